import { setTimeout as sleep } from 'node:timers/promises'
import { residentBytes } from '../rigs/processes.ts'
import { times } from '../rigs/soak.ts'
import { until } from '../rigs/until.ts'
import type { Bench } from './bench.ts'
import { countLines, type LogsMachine, startLogsMachine } from './logs-machine.ts'
import { settled } from './settled.ts'
import { atMost } from './target.ts'

const lines = 250_000
const sampleMs = 20

/** By how many MB the agent grows at most while a container floods a reader; throws unless every line is accounted for. */
async function growth(machine: LogsMachine, reads: boolean): Promise<number> {
  const { agent } = machine
  const writer = await machine.startWriter(lines)
  const { socket, count, finished } = await countLines(agent, writer.name)
  // One beside it that reads, as there would be: its end says that all has been written.
  const other = await countLines(agent, writer.name)
  const before = await settled(() => residentBytes(agent.pid))
  if (!reads) socket.pause()
  let peak = before
  const timer = setInterval(() => {
    peak = Math.max(peak, residentBytes(agent.pid))
  }, sampleMs)
  try {
    await writer.go()
    await other.finished
    socket.resume()
    if (reads) await finished
    await until('every line, sent or counted', () => count.lines + count.dropped >= lines + 1, 60_000)
  } finally {
    clearInterval(timer)
    socket.close()
    other.socket.close()
    await writer.remove()
  }
  if (count.lines + count.dropped !== lines + 1) {
    throw new Error(`${count.lines} lines and ${count.dropped} dropped are not ${lines + 1}`)
  }
  if (!reads && count.dropped === 0) throw new Error('The slow reader was not slow enough to have lines dropped.')
  return Math.max(0, peak - before) / 1e6
}

export const logsSlow: Bench = {
  name: 'logs.slow',
  unit: 'MB',
  against: 'the same flood with a reader that reads',
  target: atMost(25, 'MB'),
  runs: 3,
  warmups: 1,
  async open() {
    const machine = await startLogsMachine()
    return {
      ours: () => growth(machine, false),
      yardstick: () => growth(machine, true),
      close: () => machine.close(),
    }
  },
}

/** Ten minutes with PILOTHOUSE_SOAK=1; half a minute shows already whether it only grows. */
const heldMs = times(30_000, 600_000)

/** By how many MB the agent has grown after a reader has taken nothing for minutes, while a container goes on writing. */
async function growthOver(machine: LogsMachine, reads: boolean): Promise<number> {
  const { agent } = machine
  const writer = await machine.startChatter()
  const { socket } = await countLines(agent, writer.name)
  try {
    const before = await settled(() => residentBytes(agent.pid))
    if (!reads) socket.pause()
    await writer.go()
    await sleep(heldMs)
    return Math.max(0, residentBytes(agent.pid) - before) / 1e6
  } finally {
    socket.close()
    await writer.remove()
  }
}

export const logsSlowMinutes: Bench = {
  name: 'logs.slow-minutes',
  unit: 'MB',
  against: `a reader that reads, both for ${heldMs / 1000} s`,
  target: atMost(25, 'MB'),
  runs: 1,
  warmups: 0,
  async open() {
    const machine = await startLogsMachine()
    // A process that has just started grows with whatever it does first; that is not the reader's doing.
    await growth(machine, true)
    return {
      ours: () => growthOver(machine, false),
      yardstick: () => growthOver(machine, true),
      close: () => machine.close(),
    }
  },
}
