import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ServicesFile } from '../deploys/services-file.ts'
import type { DockerOperations } from '../docker/operations.ts'
import { Containers, type Worker } from './containers.ts'

/** How the worker's own server answers for its health; undefined: not at all. */
let answer: { status: number; body: string } | undefined
const server = http.createServer((_request, response) => {
  if (answer === undefined) response.destroy()
  else response.writeHead(answer.status).end(answer.body)
})
let port: number
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => server.close())

const files = new ServicesFile('/nonexistent/services.json', '/nonexistent/.env')
const isSafe = (state: { alive: boolean; running: boolean }, activeJobs?: number) => {
  const container = { ...state, frozen: false } as Worker['container']
  const own = activeJobs === undefined ? undefined : { active_jobs: activeJobs }
  return new Containers({} as DockerOperations, files).isDeploySafe({ container, port, own } as Worker)
}
const runs = { alive: true, running: true }

test.each<[string, typeof answer, boolean]>([
  ['says so', { status: 200, body: '{"deploy_safe":true}' }, true],
  ['says no', { status: 200, body: '{"deploy_safe":false}' }, false],
  ['is well and does not know the word', { status: 200, body: '{"status":"idle"}' }, true],
  ['is not well and does not know the word', { status: 503, body: '{}' }, false],
  ['does not answer', undefined, false],
])('an idle worker may be replaced as its health says: it %s', async (_what, given, expected) => {
  answer = given
  expect(await isSafe(runs, 0)).toBe(expected)
})

test('a worker with a job, a silent one and one that Docker is about to start again are not safe; a stopped one is', async () => {
  answer = { status: 200, body: '{"deploy_safe":true}' }
  expect(await isSafe(runs, 1)).toBe(false)
  expect(await isSafe(runs)).toBe(false)
  expect(await isSafe({ alive: true, running: false })).toBe(false)
  expect(await isSafe({ alive: false, running: false })).toBe(true)
})
