import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { startTestAgent, type TestAgent } from '../../e2e/rigs/agent.ts'
import type { Dockerd } from '../../e2e/rigs/dockerd.ts'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import type { AgentEvent } from '../../shared/contract/index.ts'
import { Problem } from '../../shared/errors.ts'
import type { AgentHooks } from '../agent.ts'
import { type ServicesInput, testServices } from './test-image.ts'

export interface TestMachine {
  rig: TestAgent
  services: Awaited<ReturnType<typeof testServices>>
  /** The folder with services.json and the env file. */
  folder: string
  writeServices(services: ServicesInput): void
  /** Names of this machine's containers, running ones with a `+`. */
  containers(): Promise<string[]>
  /** Removes every container. */
  clear(): Promise<void>
  stop(): Promise<void>
}

/** An agent in this process for a Docker daemon, with services of its own. */
export async function startTestMachine(
  dockerd: Dockerd,
  hooks: AgentHooks = {},
  env: Record<string, string> = {},
): Promise<TestMachine> {
  const { folder, remove } = freshFolder('services')
  const services = await testServices()
  const writeServices = (value: ServicesInput) =>
    writeFileSync(path.join(folder, 'services.json'), JSON.stringify(value))
  mkdirSync(folder, { recursive: true })
  writeServices(services)
  writeFileSync(path.join(folder, '.env'), 'FROM_FILE="a b # c"\n')
  const rig = await startTestAgent(
    {
      DOCKER_HOST: `unix://${dockerd.socketPath}`,
      PILOTHOUSE_SERVICES: path.join(folder, 'services.json'),
      ...env,
    },
    hooks,
  )
  return {
    rig,
    services,
    folder,
    writeServices,
    containers: () => listNames(dockerd),
    async clear() {
      const ids = (await dockerd.docker('ps', '-aq')).split('\n').filter(Boolean)
      if (ids.length > 0) await dockerd.docker('rm', '-f', ...ids)
    },
    async stop() {
      await rig.stop()
      remove()
    },
  }
}

export async function listNames(dockerd: Dockerd): Promise<string[]> {
  const text = await dockerd.docker('ps', '-a', '--format', '{{.Names}} {{.State}}')
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => line.replace(/ running$/, '+').replace(/ \w+$/, '-'))
    .sort()
}

/** The problem a call ends with. */
export async function problemOf(call: Promise<unknown>): Promise<Problem> {
  const end = await call.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (end instanceof Problem) return end
  throw new Error(`Not a problem: ${String(end)}`)
}

/** Every event the agent sends from now on. */
export async function followAgent(rig: TestAgent): Promise<{ events: AgentEvent[]; stop: () => void }> {
  const socket = await rig.client.open('events')
  const events: AgentEvent[] = []
  socket.onMessage = (message) => void events.push(message as AgentEvent)
  return { events, stop: () => socket.close() }
}
