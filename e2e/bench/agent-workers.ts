import path from 'node:path'
import { startAgentProcess } from '../rigs/agent-process.ts'
import { nodeProgram } from '../rigs/built.ts'
import { startDockerd } from '../rigs/dockerd.ts'
import { accepts, freePort } from '../rigs/ports.ts'
import { startProgram } from '../rigs/program.ts'
import type { Bench } from './bench.ts'
import { type Load, loadConnections, loadOn } from './load.ts'
import { shown } from './target.ts'

const beside = (name: string) => path.join(import.meta.dirname, name)
const status = {
  worker_id: 'w1',
  active_jobs: 0,
  max_concurrent: 1,
  is_running: true,
  is_draining: false,
  uptime_ms: 1,
}

/** A real Docker with a worker in it, an agent, and a bare server that asks both the same things for each request. */
async function startMachine() {
  const dockerd = await startDockerd()
  await dockerd.importBusybox('worker')
  const [port, barePort, workerPort] = [await freePort(), await freePort(), await freePort()]
  const labels = ['gh.managed=true', 'gh.service=worker', `gh.port=${workerPort}`].flatMap((label) => [
    '--label',
    label,
  ])
  const run = ['run', '-d', '--network=none', '--name', 'ghosthands-worker', ...labels, 'worker', 'sleep', '100000']
  await dockerd.docker(...run)
  // The worker's own server, as fast as one can be: it is the agent that is measured.
  const worker = await startProgram(nodeProgram, [beside('bare-server.mjs'), `${workerPort}`, JSON.stringify(status)])
  await worker.ready('the worker', () => accepts({ port: workerPort }))
  const bare = await startProgram(nodeProgram, [
    ...[beside('bare-asker.mjs'), `${barePort}`, dockerd.socketPath, `${workerPort}`],
  ])
  await bare.ready('the bare server', () => accepts({ port: barePort }))
  const env = { PILOTHOUSE_PORT: String(port), DOCKER_HOST: `unix://${dockerd.socketPath}` }
  const agent = await startAgentProcess(env)
  const [first] = await agent.client.call('workers.list')
  if (first?.status !== 'idle') throw new Error(`The worker is ${first?.status ?? 'not there'}, not idle.`)
  return {
    load: (urlPath: string) => loadOn(port, urlPath, agent.secret),
    bare: (urlPath: string) => loadOn(barePort, urlPath, agent.secret),
    async close() {
      await agent.stop()
      await bare.end()
      await worker.end()
      await dockerd.stop()
    },
  }
}

function bench(name: string, urlPath: string, unit: string, of: (load: Load) => number): Bench {
  return {
    ...{ name, unit, target: shown, runs: 5, warmups: 1 },
    against: `a bare node:http server that asks Docker and the worker the same, ${loadConnections} kept connections`,
    async open() {
      const machine = await startMachine()
      return {
        ours: async () => of(await machine.load(urlPath)),
        yardstick: async () => of(await machine.bare(urlPath)),
        close: machine.close,
      }
    },
  }
}

/** What a machine with Docker and a worker answers, and how late the latest: nobody has set a target for these. */
export const agentWorkers: readonly Bench[] = [
  bench('agent.health', '/health', 'requests/s', ({ perSecond }) => perSecond),
  bench('agent.health-p99', '/health', 'ms', ({ p99 }) => p99),
  bench('agent.workers', '/workers', 'requests/s', ({ perSecond }) => perSecond),
  bench('agent.workers-p99', '/workers', 'ms', ({ p99 }) => p99),
]
