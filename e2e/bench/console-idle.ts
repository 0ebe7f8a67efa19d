import { processTree, proportionalBytes } from '../rigs/processes.ts'
import type { Bench } from './bench.ts'
import { settled } from './settled.ts'
import { atMostTimes } from './target.ts'
import { prepareWindows } from './windows.ts'

/** What the console's processes take together while nobody does anything. */
export const consoleIdle: Bench = {
  name: 'console.idle',
  unit: 'MB',
  against: 'an Electron app with one empty window, all processes',
  target: atMostTimes(1.5),
  runs: 3,
  warmups: 0,
  async open() {
    const windows = await prepareWindows()
    const weigh = async (open: typeof windows.openConsole) => {
      const { program, page } = await open()
      page.close()
      const bytes = await settled(() =>
        processTree(program.pid).reduce((sum, { pid }) => sum + proportionalBytes(pid), 0),
      )
      await program.end()
      return bytes / 1e6
    }
    return { ours: () => weigh(windows.openConsole), yardstick: () => weigh(windows.openEmpty), close: windows.close }
  },
}
