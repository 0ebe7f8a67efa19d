import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ContainerState } from '../docker/operations.ts'
import { awaitHealth, stillRuns } from './await-health.ts'
import { defaultServices, type Service, servicesSchema } from './services-schema.ts'

const server = http.createServer((_request, response) => response.end('{}'))
let port: number
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => server.close())

const { api } = servicesSchema.parse(defaultServices).services
const spec = { ...api, health: { path: '/', limitMs: 100 } } as Service
const wait = (running: string[]) => {
  const state = (id: string) => ({
    ...{ id, name: id, running: running.includes(id), restarts: 0, exitCode: 0, imageId: '', imageName: '' },
    ...{ env: new Map<string, string>(), labels: {}, startedAt: '' },
  })
  const docker = { inspectContainer: async (id: string) => state(id), lastLines: async () => [] }
  return awaitHealth(docker, { id: 'new', name: 'api', port, oldId: 'old' }, spec, undefined)
}

test('an answer counts when the new container runs and the old one does not', async () => {
  await expect(wait(['new'])).resolves.toEqual({ id: 'new', name: 'api', startedAt: '' })
})
test('an answer that the old container may have given does not count', async () => {
  await expect(wait(['new', 'old'])).rejects.toThrow('The old api was started again')
})

test.each([
  ['still the same', { running: true, startedAt: 'then' }, undefined],
  [
    'about to be started again',
    { running: false, startedAt: 'then' },
    'ended a moment after its port had answered (exit code 3)',
  ],
  ['started again', { running: true, startedAt: 'now' }, 'ended a moment after'],
  ['gone', undefined, 'api disappeared'],
])('what was well once has to be a moment later as well: %s', async (_what, state, problem) => {
  const docker = {
    inspectContainer: async () => state && ({ ...state, exitCode: 3 } as ContainerState),
    lastLines: async () => ['the port is taken'],
  }
  const looked = stillRuns(docker, [{ id: 'new', name: 'api', startedAt: 'then' }], undefined, 0)
  if (problem === undefined) await expect(looked).resolves.toBeUndefined()
  else await expect(looked).rejects.toThrow(problem)
})
