import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { startAgentProcess } from '../rigs/agent-process.ts'
import { nodeProgram } from '../rigs/built.ts'
import { freshFolder } from '../rigs/folder.ts'
import { runProgram } from '../rigs/program.ts'
import type { Bench } from './bench.ts'
import { atLeastTimes } from './target.ts'

const megabytes = 48
/** Typed in two halves, so that its echo is not taken for it. */
const mark = 'END-OF-IT'
/** As often as the console's view acknowledges. */
const ackEveryBytes = 128 * 1024

/** Output of a shell, from the terminal to a client that acknowledges it. */
export const terminalOutput: Bench = {
  name: 'terminal.output',
  unit: 'MB/s',
  against: 'node-pty alone, reading bytes',
  target: atLeastTimes(0.8),
  runs: 7,
  warmups: 1,
  async open() {
    const { folder, remove } = freshFolder('pty')
    const file = path.join(folder, 'output')
    const line = '2026-01-01T00:00:00Z info job=4711 step=fill-form field=email took=12ms ok\n'
    writeFileSync(file, line.repeat(Math.ceil((megabytes * 1e6) / line.length)))
    const command = `cat '${file}'; echo ${mark.slice(0, 4)}''${mark.slice(4)}`
    const agent = await startAgentProcess({ PILOTHOUSE_SHELL: '/bin/sh' })
    const rate = (ms: number) => megabytes / (ms / 1000)
    return {
      ours: async () => rate(await throughAgent(agent.client, command)),
      yardstick: async () =>
        rate(Number(await runProgram(nodeProgram, [path.join(import.meta.dirname, 'pty-alone.mjs'), command, mark]))),
      async close() {
        await agent.stop()
        remove()
      },
    }
  },
}

async function throughAgent(
  client: Awaited<ReturnType<typeof startAgentProcess>>['client'],
  command: string,
): Promise<number> {
  const terminal = await client.open('terminal', { cols: 120, rows: 40 })
  const took = Promise.withResolvers<number>()
  let began = 0
  let tail = ''
  let taken = 0
  terminal.onBytes = (bytes) => {
    taken += bytes.length
    if (taken >= ackEveryBytes) {
      terminal.send({ type: 'ack', bytes: taken })
      taken = 0
    }
    const last = Buffer.from(bytes.subarray(-2 * mark.length)).toString('latin1')
    tail = (tail + last).slice(-3 * mark.length)
    if (began > 0 && tail.includes(mark)) took.resolve(performance.now() - began)
  }
  terminal.onMessage = ({ type }) => {
    // Both shells get the same time to come up.
    if (type === 'ready') {
      setTimeout(() => {
        began = performance.now()
        terminal.sendBytes(Buffer.from(`${command}\r`))
      }, 300)
    }
  }
  const ms = await took.promise
  terminal.send({ type: 'close' })
  await terminal.closed
  return ms
}
