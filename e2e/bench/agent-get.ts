import path from 'node:path'
import { startAgentProcess } from '../rigs/agent-process.ts'
import { nodeProgram } from '../rigs/built.ts'
import { accepts, freePort } from '../rigs/ports.ts'
import { runProgram, startProgram } from '../rigs/program.ts'
import type { Bench } from './bench.ts'
import { atLeastTimes } from './target.ts'

const connections = 16
const runMs = 2000
const beside = (name: string) => path.join(import.meta.dirname, name)

/** An authenticated small JSON GET over connections that are kept. */
export const agentGet: Bench = {
  name: 'agent.get',
  unit: 'requests/s',
  against: `a bare node:http server with the same JSON, ${connections} kept connections`,
  target: atLeastTimes(0.9),
  runs: 7,
  warmups: 1,
  async open() {
    const port = await freePort()
    const agent = await startAgentProcess({ PILOTHOUSE_PORT: String(port) })
    const answer = JSON.stringify(await agent.client.call('takeover.get'))
    const barePort = await freePort()
    const bare = await startProgram(nodeProgram, [beside('bare-server.mjs'), String(barePort), answer])
    await bare.ready('the bare server', () => accepts({ port: barePort }))
    const load = async (to: number) => {
      const request = [
        'GET /takeover HTTP/1.1',
        `Host: 127.0.0.1:${to}`,
        // Sent to both, so that both read the same bytes.
        `Authorization: Bearer ${agent.secret}`,
        'Connection: keep-alive',
        '\r\n',
      ].join('\r\n')
      const options = JSON.stringify({ port: to, request, connections, ms: runMs })
      return Number(await runProgram(nodeProgram, [beside('load.mjs'), options]))
    }
    return {
      ours: () => load(port),
      yardstick: () => load(barePort),
      async close() {
        await bare.end()
        await agent.stop()
      },
    }
  },
}
