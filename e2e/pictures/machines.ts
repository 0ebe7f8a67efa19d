import fs from 'node:fs'
import path from 'node:path'
import { importServiceImage } from '../../agent/deploys/test-image.ts'
import { startTestMachine } from '../../agent/deploys/test-machine.ts'
import { addMachine } from '../rigs/added-machine.ts'
import { startTestAgent, type TestAgent } from '../rigs/agent.ts'
import { projectRoot } from '../rigs/built.ts'
import { noDockerd, startDockerd } from '../rigs/dockerd.ts'
import type { TestConsole } from '../rigs/electron.ts'
import { startSlowLine } from '../rigs/slow-line.ts'

/** Three machines that run: the first with Docker where there is one, and with a page in its browser. */
export interface PicturedMachines {
  ids: string[]
  /** The first machine takes its time for what its tabs ask, until it is told otherwise. */
  dawdle(paths: readonly string[]): void
  addTo(console: TestConsole): Promise<void>
  /** A person is wanted on the second one. */
  callForHelp(): Promise<void>
  stop(): Promise<void>
}

const names = ['shop-de-01', 'shop-de-02', 'jobs-us-01']

export async function startMachines(): Promise<PicturedMachines> {
  const ends: (() => Promise<void>)[] = []
  const stop = async () => {
    for (const end of ends.splice(0).reverse()) await end()
  }
  try {
    const agents = [await firstMachine(ends)]
    for (let index = 1; index < names.length; index++) {
      const agent = await startTestAgent({ DOCKER_HOST: 'unix:///nowhere.sock' })
      ends.push(() => agent.stop())
      agents.push(agent)
    }
    const welcome = fs.readFileSync(path.join(projectRoot, 'resources', 'demo', 'welcome.html'))
    const url = `data:text/html;base64,${welcome.toString('base64')}`
    for (const { client } of agents.slice(0, 2)) await client.call('browser.start', { url }, { timeoutMs: 60_000 })
    const ids: string[] = []
    const line = await startSlowLine(agents[0]?.port ?? 0)
    ends.push(() => line.stop())
    return {
      ids,
      stop,
      dawdle: (paths) => (paths.length === 0 ? line.release() : line.hold(...paths)),
      async addTo(console) {
        for (const [index, { port, secret }] of agents.entries()) {
          const way = { port: index === 0 ? line.port : port, secret }
          const machine = await addMachine(console, way, names[index] ?? '')
          ends.push(() => machine.stop())
          ids.push(machine.id)
        }
      },
      async callForHelp() {
        const client = agents[1]?.client
        await client?.call('engine.setConfig', {
          cascade: {
            totalMs: 900_000,
            levels: [{ engine: 'human', retries: 0, timeMs: 800_000 }],
            platforms: {},
          },
        })
        const instruction = 'Log in and open the newest application'
        void client?.call('engine.run', { instruction }, { timeoutMs: 900_000 }).catch(() => {})
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function firstMachine(ends: (() => Promise<void>)[]): Promise<TestAgent> {
  if (noDockerd !== undefined) {
    process.stdout.write(`… without Docker: ${noDockerd}\n`)
    const agent = await startTestAgent()
    ends.push(() => agent.stop())
    return agent
  }
  const dockerd = await startDockerd()
  ends.push(() => dockerd.stop())
  await importServiceImage(dockerd, 'ghosthands:v1', 'good')
  const machine = await startTestMachine(dockerd)
  ends.push(async () => {
    await machine.clear()
    await machine.stop()
  })
  const env = ['# the shop', 'API_URL=https://shop.example.org', 'API_KEY=canary', 'REGION=eu-central-1', 'WORKERS=2']
  fs.writeFileSync(path.join(machine.folder, '.env'), `${env.join('\n')}\n`)
  await machine.rig.client.call('deploys.deploy', { image_tag: 'v1' }, { timeoutMs: 120_000 })
  return machine.rig
}
