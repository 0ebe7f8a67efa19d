import path from 'node:path'
import { startAgentProcess } from '../rigs/agent-process.ts'
import { nodeProgram } from '../rigs/built.ts'
import { accepts, freePort } from '../rigs/ports.ts'
import { startProgram } from '../rigs/program.ts'
import type { Bench } from './bench.ts'
import { loadConnections, loadOn } from './load.ts'
import { atLeastTimes } from './target.ts'

/** An authenticated small JSON GET over connections that are kept. */
export const agentGet: Bench = {
  name: 'agent.get',
  unit: 'requests/s',
  against: `a bare node:http server with the same JSON, ${loadConnections} kept connections`,
  target: atLeastTimes(0.9),
  runs: 7,
  warmups: 1,
  async open() {
    const port = await freePort()
    const agent = await startAgentProcess({ PILOTHOUSE_PORT: String(port) })
    const answer = JSON.stringify(await agent.client.call('takeover.get'))
    const barePort = await freePort()
    const script = path.join(import.meta.dirname, 'bare-server.mjs')
    const bare = await startProgram(nodeProgram, [script, String(barePort), answer])
    await bare.ready('the bare server', () => accepts({ port: barePort }))
    const load = async (to: number) => (await loadOn(to, '/takeover', agent.secret)).perSecond
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
