import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { type EngineRig, startEngineRig } from '../../agent/engines/engine-rig.ts'
import { type AddedMachine, addMachine, invoke } from '../rigs/added-machine.ts'
import { startTestAgent, type TestAgent } from '../rigs/agent.ts'
import { type Dockerd, noDockerd, startDockerd } from '../rigs/dockerd.ts'
import type { TestConsole } from '../rigs/electron.ts'
import { freshFolder } from '../rigs/folder.ts'
import { action, find, steps } from '../rigs/llm.ts'
import { answerAsShop } from '../rigs/shop.ts'

export interface Rig {
  console: TestConsole
  shop: TestAgent
  machine: AddedMachine
  jobs: EngineRig
  second: AddedMachine
  site: string
  /** What a container wrote; null where there is no Docker. */
  dockerd: Dockerd | null
  folder: string
  at: (id: string) => ReturnType<TestConsole['window']['getByTestId']>
}

/** Two machines, one with Docker where there is any, one with engines and a job. */
export async function startRig(console: TestConsole, ends: (() => Promise<unknown> | unknown)[]): Promise<Rig> {
  const { folder, remove } = freshFolder('hands')
  ends.push(remove)
  let site = ''
  const server = http.createServer((request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    answerAsShop(request, response, site)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.push(() => server.close())
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const dockerd = noDockerd === undefined ? await startDockerd() : null
  if (dockerd !== null) {
    ends.push(() => dockerd.stop())
    await dockerd.importBusybox('test')
  }
  const env = path.join(folder, '.env')
  fs.writeFileSync(env, 'API_URL=https://shop.example.org\n')
  const shop = await startTestAgent({
    ...{ PILOTHOUSE_SHELL: '/bin/sh', PILOTHOUSE_ENV_FILE: env },
    DOCKER_HOST: `unix://${dockerd?.socketPath ?? '/nowhere.sock'}`,
  })
  ends.push(() => shop.stop())
  await shop.client.call('browser.start', { url: `${site}/shop` }, { timeoutMs: 60_000 })
  const jobs = await startEngineRig((asked) =>
    asked.kind === 'magnitude'
      ? steps()
      : asked.text.includes('nobody finds')
        ? { status: 500 }
        : action(find(asked, /button/), 'click'),
  )
  ends.push(() => jobs.stop())
  const machine = await addMachine(console, shop, 'shop-de-01')
  ends.push(() => machine.stop())
  const second = await addMachine(console, jobs.agent, 'jobs-us-01')
  ends.push(() => second.stop())
  await invoke(console, 'settings.set', { operator: 'Ada' })
  return { console, shop, machine, jobs, second, site, dockerd, folder, at: (id) => console.window.getByTestId(id) }
}
