import { spawn } from 'node:child_process'
import type { Bench } from './bench.ts'
import { countLines, countText, startLogsMachine } from './logs-machine.ts'
import { atLeastTimes } from './target.ts'

const logLines = 400_000
const asked = 5000

/** The last lines of a large log. */
export const logsHistory: Bench = {
  name: 'logs.history',
  unit: 'lines/s',
  against: `docker logs --tail ${asked}, of a log of ${logLines} lines`,
  target: atLeastTimes(4),
  runs: 9,
  warmups: 2,
  async open() {
    const machine = await startLogsMachine()
    const writer = await machine.startWriter(logLines)
    const { socket, finished } = await countLines(machine.agent, writer.name)
    await writer.go()
    await finished
    socket.close()
    const timed = async (ask: () => Promise<void>) => {
      const began = performance.now()
      await ask()
      return asked / ((performance.now() - began) / 1000)
    }
    return {
      ours: () =>
        timed(async () => {
          const { lines } = await machine.agent.client.call('logs.get', { service: writer.name, lines: asked })
          if (lines.length !== asked) throw new Error(`${lines.length} lines instead of ${asked}`)
        }),
      yardstick: () =>
        timed(async () => {
          const host = `unix://${machine.dockerd.socketPath}`
          const args = ['-H', host, 'logs', '-t', '--tail', String(asked), writer.name]
          await countText(spawn('docker', args, { stdio: ['ignore', 'pipe', 'ignore'] }).stdout, asked)
        }),
      close: () => machine.close(),
    }
  },
}
