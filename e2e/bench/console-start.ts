import type { Bench } from './bench.ts'
import { atMostTimes } from './target.ts'
import { prepareWindows } from './windows.ts'

/** Process start to a window that shows the fleet of the last run. */
export const consoleStart: Bench = {
  name: 'console.start',
  unit: 'ms',
  against: 'an Electron app with one empty window',
  target: atMostTimes(1.5),
  runs: 7,
  warmups: 1,
  async open() {
    const windows = await prepareWindows()
    const time = async (open: typeof windows.openConsole) => {
      const { program, page, tookMs } = await open()
      page.close()
      await program.end()
      return tookMs
    }
    return { ours: () => time(windows.openConsole), yardstick: () => time(windows.openEmpty), close: windows.close }
  },
}
