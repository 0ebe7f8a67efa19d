import type { Bench } from './bench.ts'
import { atLeastTimes, atMostTimes } from './target.ts'
import { openTerminalWindow, openXtermAlone } from './terminal-window.ts'
import { weigh } from './weight.ts'

const megabytes = 24
/** An hour of a program that writes 30 kB a second without a pause. */
const hourOfMegabytes = 108

/** From the shell to the screen, in the console. */
const terminalView: Bench = {
  name: 'terminal.view',
  unit: 'MB/s',
  against: 'xterm alone with the same bytes, in an empty page of the same Electron',
  target: atLeastTimes(0.5),
  runs: 3,
  warmups: 1,
  async open() {
    const terminal = await openTerminalWindow(megabytes)
    const alone = await openXtermAlone(await terminal.size(), megabytes)
    return {
      ours: async () => megabytes / ((await terminal.flood()) / 1000),
      yardstick: async () => megabytes / ((await alone.flood()) / 1000),
      async close() {
        await terminal.close()
        await alone.stop()
      },
    }
  },
}

/** The console's weight after an hour's output, against its weight once the scrollback is full. */
const terminalMemory: Bench = {
  name: 'terminal.memory',
  unit: 'MB',
  against: `the same console with a full scrollback; all its processes after ${hourOfMegabytes} MB, an hour at 30 kB a second`,
  target: atMostTimes(1.15),
  runs: 1,
  warmups: 0,
  async open() {
    const portion = 12
    const terminal = await openTerminalWindow(portion)
    // Twice: what leaves the scrollback has to have been let go once.
    for (let time = 0; time < 2; time++) await terminal.flood()
    const full = await weigh(terminal.console.pid)
    return {
      async ours() {
        for (let written = 0; written < hourOfMegabytes; written += portion) await terminal.flood()
        return weigh(terminal.console.pid)
      },
      yardstick: async () => full,
      close: terminal.close,
    }
  },
}

export const terminalViewBenches: readonly Bench[] = [terminalView, terminalMemory]
