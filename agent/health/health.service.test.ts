import { expect, test } from 'vitest'
import type { ManagedContainer } from '../docker/managed.ts'
import type { Worker } from '../workers/containers.ts'
import type { WorkerStatus } from '../workers/own-server.ts'
import { type HealthOptions, HealthService } from './health.service.ts'

const container = (service: string) =>
  ({
    id: service,
    name: service,
    service,
    running: true,
    alive: true,
    labels: {},
    createdAt: 0,
  }) as unknown as ManagedContainer
const status = (more: Partial<WorkerStatus> = {}): WorkerStatus => ({
  ...{ active_jobs: 0, is_running: true, is_draining: false },
  ...more,
})
const reasons = async (services: string[], own: WorkerStatus | undefined, mustBeThere: string[] = []) => {
  const managed = services.map(container)
  const workers = managed
    .filter(({ service }) => service === 'worker')
    .map((one): Worker => ({ container: one, port: 1, own }))
  const containers = {
    managed: async () => managed,
    workers: async () => workers,
    isHealthy: async () => true,
    isDeploySafe: async () => true,
  }
  const deploys = { current: null, deployedTag: 'v1' }
  const options = {
    engine: { expected: true },
    containers,
    deploys,
    mustBeThere: () => mustBeThere,
    troubles: () => [],
  }
  return (await new HealthService(options as unknown as HealthOptions).snapshot()).reasons
}

test('a worker that says nothing and one that says it does not work are told apart', async () => {
  expect(await reasons(['worker'], status())).toEqual([])
  expect(await reasons(['worker'], undefined)).toEqual(['Worker worker runs but does not answer.'])
  const idle = await reasons(['worker'], status({ is_running: false }))
  expect(idle).toEqual(['Worker worker runs but says of itself that it does not work.'])
})

test('a service that must be there and is not is missed by its name', async () => {
  expect(await reasons(['worker', 'api'], status(), ['api', 'worker'])).toEqual([])
  const gone = await reasons(['worker'], status(), ['api', 'worker'])
  expect(gone).toEqual(['No container of the service api is left. Deploy it again.'])
  expect(await reasons([], undefined, ['api', 'worker'])).toEqual(['Nothing of what was deployed is there.'])
})
