import { spawn } from 'node:child_process'
import net from 'node:net'
import path from 'node:path'
import { nodeProgram } from '../rigs/built.ts'
import { accepts, freePort } from '../rigs/ports.ts'
import { startProgram } from '../rigs/program.ts'
import type { Bench } from './bench.ts'
import { countLines, countText, type LogsMachine, startLogsMachine } from './logs-machine.ts'
import { atLeastTimes, shown } from './target.ts'

const lines = 150_000
/** As a worker writes them. */
const longLine = `2026-01-01T00:00:00Z info job=4711 step=fill-form field=email took=12ms ${'x'.repeat(130)}`

/** Lines per second while a container writes them: from its start signal to its last line at the client. */
async function timed(
  machine: LogsMachine,
  follow: (name: string) => Promise<{ last: Promise<void>; end: () => void }>,
  line?: string,
) {
  const writer = await machine.startWriter(lines, line)
  const { last, end } = await follow(writer.name)
  const began = performance.now()
  await writer.go()
  await last
  const seconds = (performance.now() - began) / 1000
  end()
  await writer.remove()
  return (lines + 1) / seconds
}

const ours = (machine: LogsMachine, line?: string) =>
  timed(
    machine,
    async (name) => {
      const { socket, finished } = await countLines(machine.agent, name)
      return { last: finished, end: () => socket.close() }
    },
    line,
  )

const dockerLogs = (machine: LogsMachine, line?: string) =>
  timed(
    machine,
    async (name) => {
      const host = `unix://${machine.dockerd.socketPath}`
      const child = spawn('docker', ['-H', host, 'logs', '-f', '-t', name], { stdio: ['ignore', 'pipe', 'ignore'] })
      return { last: countText(child.stdout, lines + 1), end: () => void child.kill() }
    },
    line,
  )

export const logsLive: Bench = {
  name: 'logs.live',
  unit: 'lines/s',
  against: 'docker logs -f, both while the container writes',
  target: atLeastTimes(1.3),
  runs: 5,
  warmups: 1,
  async open() {
    const machine = await startLogsMachine()
    return {
      ours: () => ours(machine),
      yardstick: () => dockerLogs(machine),
      close: () => machine.close(),
    }
  },
}

/** The same in bytes, with lines as long as they are on a real machine. */
export const logsBytes: Bench = {
  name: 'logs.bytes',
  unit: 'MB/s',
  against: `docker logs -f, lines of ${longLine.length} letters`,
  target: shown,
  runs: 5,
  warmups: 1,
  async open() {
    const machine = await startLogsMachine()
    const megabytes = (perSecond: number) => (perSecond * (longLine.length + 1)) / 1e6
    return {
      ours: async () => megabytes(await ours(machine, longLine)),
      yardstick: async () => megabytes(await dockerLogs(machine, longLine)),
      close: () => machine.close(),
    }
  },
}

export const logsSocket: Bench = {
  name: 'logs.socket',
  unit: 'lines/s',
  against: "Docker's own stream over plain TCP, both while the container writes",
  target: atLeastTimes(0.8),
  runs: 5,
  warmups: 1,
  async open() {
    const machine = await startLogsMachine()
    const port = await freePort()
    const script = path.join(import.meta.dirname, 'logs-pipe.mjs')
    const pipe = await startProgram(nodeProgram, [script, machine.dockerd.socketPath, String(port)])
    await pipe.ready('the pipe', () => accepts({ port }))
    return {
      ours: () => ours(machine),
      yardstick: () =>
        timed(machine, async (name) => {
          const client = net.connect({ port, host: '127.0.0.1', noDelay: true })
          client.write(name)
          return { last: countText(client, lines + 1), end: () => void client.destroy() }
        }),
      async close() {
        await pipe.end()
        await machine.close()
      },
    }
  },
}
