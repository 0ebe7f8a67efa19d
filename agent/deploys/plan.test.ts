import { expect, test } from 'vitest'
import type { ManagedContainer } from '../docker/managed.ts'
import { imagesBefore } from './make-plan.ts'
import { imagesFor, type Plan, planInstances, refuseForeignNames, tagOf } from './plan.ts'
import { ServicesFile } from './services-file.ts'

const files = new ServicesFile('/nonexistent/services.json', '/nonexistent/.env')
const container = (name: string, service: string, alive: boolean, port?: number): ManagedContainer => ({
  ...{ id: `id-${name}`, name, service, alive, running: alive, imageId: 'sha256:1', image: 'ghosthands:v1' },
  ...{ labels: {}, port, published: new Map(), frozen: false, createdAt: 0 },
})
const names = (containers: ManagedContainer[]) =>
  planInstances(files, containers).map(({ name, oldId, wasAlive }) => `${name} ${oldId ?? 'new'} ${wasAlive}`)

test('an empty machine gets an API and a worker', () => {
  expect(names([])).toEqual(['ghosthands-api new false', 'ghosthands-worker new false'])
})
test('every worker that is alive is replaced; one that a person stopped is left alone', () => {
  const workers = [
    container('ghosthands-worker', 'worker', false),
    container('ghosthands-worker-2', 'worker', true, 3102),
    container('ghosthands-worker-3', 'worker', true, 3103),
  ]
  expect(names(workers)).toEqual([
    'ghosthands-api new false',
    'ghosthands-worker-2 id-ghosthands-worker-2 true',
    'ghosthands-worker-3 id-ghosthands-worker-3 true',
  ])
  expect(planInstances(files, workers).map(({ port }) => port)).toEqual([3100, 3102, 3103])
})
test('the first of a service moves to a port that was changed in services.json, unless another is there', () => {
  const made = (port: number, declared?: string, name = 'ghosthands-worker') => ({
    ...container(name, 'worker', true, port),
    labels: declared === undefined ? {} : { 'gh.declared-port': declared },
  })
  const ports = (...containers: ManagedContainer[]) =>
    planInstances(files, containers)
      .filter(({ service }) => service === 'worker')
      .map(({ port, newPort }) => [port, newPort])
  expect(ports(made(4000, '4000'))).toEqual([[4000, 3101]])
  // As services.json says still, and as another tool chose.
  expect(ports(made(4000, '3101'))).toEqual([[4000, undefined]])
  expect(ports(made(4000))).toEqual([[4000, undefined]])
  const second = made(3101, '4000', 'ghosthands-worker-2')
  expect(ports(made(4000, '4000'), second)).toEqual([
    [4000, undefined],
    [3101, undefined],
  ])
})
test('where none is alive the first is started again', () => {
  expect(names([container('ghosthands-worker', 'worker', false)])[1]).toBe(
    'ghosthands-worker id-ghosthands-worker false',
  )
})
test('a deploy server is replaced where there is one', () => {
  expect(names([container('ghosthands-deploy-server', 'deploy-server', true)])).toHaveLength(3)
})
test("someone else's container with one of our names is not touched", () => {
  const planned = planInstances(files, [])
  expect(() => refuseForeignNames(planned, [{ id: 'x', name: 'ghosthands-api' }])).toThrow(/not one of ours/)
  expect(() => refuseForeignNames(planned, [{ id: 'x', name: 'other' }])).not.toThrow()
})
test('a tag and a digest mean an image', () => {
  const digest = `sha256:${'a'.repeat(64)}`
  const planned = planInstances(files, [])
  expect(imagesFor(files, planned, 'v2').api?.reference).toBe('ghosthands:v2')
  expect(imagesFor(files, planned, digest).api?.reference).toBe(`ghosthands@${digest}`)
  expect(tagOf('registry.example:5000/team/ghosthands:v1')).toBe('v1')
  expect(tagOf('registry.example:5000/team/ghosthands')).toBe('registry.example:5000/team/ghosthands')
  expect(tagOf(`ghosthands@${digest}`)).toBe(digest)
})

const imageOf = (id: string) => ({ api: { name: `ghosthands:${id}`, reference: null, id, repoDigest: null } })
const plan = (images: string, previous?: string): Plan => ({
  ...{ images: imageOf(images), previous: previous === undefined ? {} : imageOf(previous), instances: [] },
})
test('a service of which nothing was left when it was replaced goes back to what it ran before that', () => {
  const both = (id: string) => ({ ...imageOf(id), worker: imageOf(id).api })
  const now = { images: both('v3'), previous: { worker: imageOf('v2').api }, instances: [] }
  const before = { images: both('v2'), previous: both('v1'), instances: [] }
  expect(imagesBefore(now.images, [now, before])).toEqual(both('v2'))
  const worker = { images: { worker: imageOf('v2').api }, previous: both('v3'), instances: [] }
  expect(imagesBefore(now.images, [worker])).toEqual({ worker: imageOf('v2').api, api: imageOf('v3').api })
})
test.each<[string, Plan[], string | undefined]>([
  ['the one before', [plan('v2', 'v1'), plan('v1')], 'v1'],
  ['past restarts, which were of the same image', [plan('v2', 'v2'), plan('v2', 'v2'), plan('v2', 'v1')], 'v1'],
  ['to and fro', [plan('v1', 'v1'), plan('v1', 'v2'), plan('v2', 'v1'), plan('v1')], 'v2'],
  ['what was deployed before, where nothing of it was left', [plan('v3'), plan('v2', 'v1')], 'v2'],
  ['nowhere, where there was never another', [plan('v1', 'v1'), plan('v1')], undefined],
])('a rollback goes to %s', (_what, plans, expected) => {
  expect(imagesBefore(plans[0]?.images ?? {}, plans).api?.id).toBe(expected)
})
