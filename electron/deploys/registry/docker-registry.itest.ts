import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Problem } from '../../../shared/errors.ts'
import { DockerRegistry } from './docker-registry.ts'
import { readAddress } from './registry-http.ts'
import { type BadRegistry, registryLogin, startBadRegistry } from './test-registry.ts'

let registry: BadRegistry
beforeEach(async () => {
  registry = await startBadRegistry()
  registry.add('v1', { 'org.opencontainers.image.revision': 'abc123' })
  registry.add(
    'v2',
    { 'org.opencontainers.image.revision': 'def456', 'org.opencontainers.image.source': 'https://git/x' },
    'index',
  )
})
afterEach(() => registry.stop())

const signal = new AbortController().signal
const client = (
  login: typeof registryLogin | undefined = registryLogin,
  repository = 'team/ghosthands',
  limitMs = 5000,
) => new DockerRegistry({ address: registry.address, repository }, async () => login, limitMs)
const problemOf = async (work: Promise<unknown>) => {
  const end = await work.then(
    () => 'no problem',
    (error: unknown) => error,
  )
  if (end instanceof Problem) return end
  throw new Error(`Not a problem: ${String(end)}`)
}

describe.each(['none', 'basic', 'bearer'] as const)('with %s as its way to know people', (auth) => {
  test('tags, digests and where an image comes from are read', async () => {
    registry.habits.auth = auth
    const reader = client()
    expect(await reader.tags(signal)).toEqual(['v1', 'v2'])
    expect(await reader.digest('v1', signal)).toBe(registry.digests.get('v1'))
    expect(await reader.digest('v2', signal)).toBe(registry.digests.get('v2'))
    expect(await reader.digest('gone', signal)).toBeUndefined()
    expect(await reader.origin('v1', signal)).toMatchObject({ commit: 'abc123', createdAt: '2026-02-03T04:05:06.000Z' })
    expect(await reader.origin('v2', signal)).toMatchObject({ commit: 'def456', source: 'https://git/x' })
    // One token for all of it.
    expect(registry.asked.filter((line) => line.includes('/token'))).toHaveLength(auth === 'bearer' ? 1 : 0)
  })
})

test('every page of a long list is read, and a circle ends', async () => {
  for (let number = 3; number <= 25; number++) registry.add(`v${number}`, {})
  registry.habits.page = 10
  expect(await client().tags(signal)).toHaveLength(25)
  expect(registry.asked).toHaveLength(3)
  registry.habits.circularPages = true
  expect(await client().tags(signal)).toHaveLength(10)
})

test('pages without tags and without end are not followed for ever', async () => {
  registry.habits.endlessPages = true
  expect(await problemOf(client().tags(signal))).toMatchObject({ code: 'bad-answer' })
  expect(registry.asked.length).toBeLessThan(300)
})

test('a login is never sent to another host: not for a page, not for a blob, not for a token', async () => {
  registry.habits.auth = 'basic'
  registry.habits.redirectBlobs = true
  expect(await client().origin('v1', signal)).toMatchObject({ commit: 'abc123' })
  registry.habits.page = 1
  registry.habits.nextPageElsewhere = true
  expect((await problemOf(client().tags(signal))).message).toMatch(/points to 127.0.0.1:\d+ for its next page/)
  registry.habits.auth = 'bearer'
  registry.habits.realm = 'http://tokens.example/token'
  expect((await problemOf(client().tags(signal))).message).toMatch(/sent to tokens.example without encryption/)
  expect(registry.leaked).toEqual([])
})

test('a registry that leaves the digest out of HEAD is asked for the whole', async () => {
  registry.habits.noDigest = true
  expect(await client().digest('v2', signal)).toBe(registry.digests.get('v2'))
})

test.each<[string, Partial<BadRegistry['habits']>, string, RegExp]>([
  ['too busy', { status: 429, retryAfter: '7' }, 'too-many-requests', /again in 7 s/],
  ['forbidding', { status: 403 }, 'unauthorized', /does not let us read/],
  ['in trouble', { status: 502 }, 'unreachable', /in trouble \(status 502\)/],
  ['odd', { status: 418 }, 'bad-answer', /status 418/],
  ['a web page', { garbage: 'html' }, 'bad-answer', /is not JSON/],
  ['another API', { garbage: 'shape' }, 'bad-answer', /does not look like one/],
  ['endless', { garbage: 'endless' }, 'bad-answer', /more than 4 MB/],
])('one that is %s is told by name, with the next step', async (_name, habits, code, words) => {
  Object.assign(registry.habits, habits)
  const problem = await problemOf(client().tags(signal))
  expect(problem.code).toBe(code)
  expect(problem.message).toMatch(words)
  expect(JSON.stringify(problem.toWire())).not.toContain(registryLogin.password)
})

test('without a login, with a wrong one, and without such a repository', async () => {
  registry.habits.auth = 'bearer'
  const none = new DockerRegistry({ address: registry.address, repository: 'team/ghosthands' }, async () => undefined)
  expect((await problemOf(none.tags(signal))).message).toMatch(/Enter a login for it/)
  const wrong = await problemOf(client({ ...registryLogin, password: 'wrong' }).tags(signal))
  expect(wrong).toMatchObject({ code: 'unauthorized', message: expect.stringMatching(/may read this repository/) })
  registry.habits.auth = 'none'
  expect((await problemOf(client(registryLogin, 'team/other').tags(signal))).code).toBe('not-found')
})

test('one that does not answer is given up after its time, and one that is not there at once', async () => {
  registry.habits.silent = true
  expect((await problemOf(client(registryLogin, 'team/ghosthands', 200).tags(signal))).code).toBe('timeout')
  const gone = registry.address
  await registry.stop()
  const absent = new DockerRegistry({ address: gone, repository: 'team/ghosthands' }, async () => undefined)
  expect((await problemOf(absent.tags(signal))).code).toBe('unreachable')
  registry = await startBadRegistry()
})

test('an address is an address: encrypted, or on a private network', () => {
  expect(readAddress('registry.example/').origin).toBe('https://registry.example')
  expect(readAddress('http://10.0.0.4:5000').origin).toBe('http://10.0.0.4:5000')
  for (const bad of ['http://registry.example', 'ftp://x', 'http://169.254.169.254', '::']) {
    expect(() => readAddress(bad)).toThrow(Problem)
  }
})
