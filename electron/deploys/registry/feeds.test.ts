import { expect, test } from 'vitest'
import { Problem } from '../../../shared/errors.ts'
import type { FeedConfig, PendingTag } from '../../../shared/ipc-deploys.ts'
import { settle, TestClock } from '../../test-clock.ts'
import { readChallenge } from './challenge.ts'
import { Feeds } from './feeds.ts'
import type { ImageSource } from './image-source.ts'
import { RegistryLogins } from './logins.ts'

const config: FeedConfig = {
  ...{ address: 'https://registry.example', repository: 'team/app', pattern: 'v*', autoDeploy: false },
  ...{ maxUnavailable: 1, onFailure: 'stop', everyMinutes: 5 },
}

function stage(deployed: string[] = []) {
  const clock = new TestClock()
  const kept = new Map<string, unknown>()
  const tags = new Map([['v1', 'sha256:1']])
  const asked: string[] = []
  const begun: PendingTag[] = []
  const secrets = new Map<string, string>()
  const state = { failure: undefined as Problem | undefined, mayDeploy: true, silent: false }
  const source: ImageSource = {
    async tags(signal) {
      asked.push('tags')
      if (state.silent) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      if (state.failure !== undefined) throw state.failure
      return [...tags.keys()]
    },
    digest: async (tag) => tags.get(tag),
    origin: async (tag) => ({ commit: `commit-of-${tag}`, message: null, branch: null, source: null, createdAt: null }),
  }
  const vault = {
    get: async (id: string) => secrets.get(id),
    set: async (id: string, _kind: string, value: string) => {
      secrets.set(id, value)
      return 'keychain' as const
    },
    delete: async (id: string) => void secrets.delete(id),
    list: async () => [...secrets.keys()].map((machineId) => ({ machineId, kind: 'registry' as const, since: 'then' })),
  }
  const logins = new RegistryLogins(vault)
  const rollouts = { list: () => deployed.map((tag) => ({ tag, kind: 'deploy' })) }
  const feeds = new Feeds({
    ...{ clock, logins, log: () => {}, onChanged: () => {}, machinesIn: () => 2, makeSource: () => source },
    store: {
      settings: {
        get: (key: string) => kept.get(key),
        set: (key: string, value: unknown) => void kept.set(key, value),
      },
      rollouts: rollouts as never,
    },
    deploy: (_environment, _config, tag) => {
      if (state.mayDeploy) begun.push(tag)
      return state.mayDeploy
    },
  })
  feeds.start()
  return { clock, feeds, tags, asked, begun, deployed, state, logins }
}

const minutes = (count: number) => count * 60_000

test('without one set up, nothing is asked anywhere', async () => {
  const { clock, feeds, asked } = stage()
  await clock.advance(minutes(600))
  expect(asked).toEqual([])
  expect((await feeds.list()).map((view) => view.config)).toEqual([null, null, null])
})

test('new tags are pending with their commits, and what is deployed and older is not', async () => {
  const { clock, feeds, tags, deployed } = stage(['v1'])
  await feeds.set('prod', config)
  await clock.advance(1000)
  expect((await feeds.view('prod')).pending).toEqual([])
  tags.set('v2', 'sha256:2').set('v3', 'sha256:3').set('other', 'sha256:9')
  await clock.advance(minutes(5))
  const { pending, lookedAt } = await feeds.view('prod')
  expect(pending.map(({ tag, commit }) => [tag, commit])).toEqual([
    ['v3', 'commit-of-v3'],
    ['v2', 'commit-of-v2'],
  ])
  expect(lookedAt).not.toBeNull()
  await feeds.deployed('prod', 'v2')
  expect((await feeds.view('prod')).pending.map(({ tag }) => tag)).toEqual(['v3'])
  deployed.push('v2')
  await feeds.dismiss('prod', 'v3', 'sha256:3')
  expect((await feeds.look('prod')).pending).toEqual([])
})

test('off, nothing is deployed; on, only what appears afterwards is, once', async () => {
  const { clock, feeds, tags, begun } = stage()
  await feeds.set('prod', config)
  await clock.advance(1000)
  tags.set('v2', 'sha256:2')
  await clock.advance(minutes(6))
  expect(begun).toEqual([])
  await feeds.set('prod', { ...config, autoDeploy: true })
  await clock.advance(minutes(11))
  expect(begun).toEqual([])
  tags.set('v3', 'sha256:3').set('v4', 'sha256:4')
  await clock.advance(minutes(30))
  expect(begun.map(({ deployAs }) => deployAs)).toEqual(['v4'])
})

test('while another deploy is under way there it waits, and has its turn later', async () => {
  const { clock, feeds, tags, begun, state } = stage()
  await feeds.set('prod', { ...config, autoDeploy: true })
  await clock.advance(1000)
  state.mayDeploy = false
  tags.set('v2', 'sha256:2')
  await clock.advance(minutes(11))
  expect(begun).toEqual([])
  state.mayDeploy = true
  await clock.advance(minutes(11))
  expect(begun.map(({ tag }) => tag)).toEqual(['v2'])
})

test('a tag that moved to another image is deployed by its digest', async () => {
  const { clock, feeds, tags, begun } = stage(['v1'])
  await feeds.set('prod', { ...config, autoDeploy: true })
  await clock.advance(1000)
  tags.set('v1', 'sha256:other')
  await clock.advance(minutes(6))
  expect(begun.map(({ deployAs }) => deployAs)).toEqual(['sha256:other'])
})

test('one that fails is asked less and less often, and as late as it wishes', async () => {
  const { clock, feeds, asked, state } = stage()
  state.failure = new Problem('unreachable', 'no network')
  await feeds.set('prod', config)
  await clock.advance(minutes(5 + 10 + 20 + 40))
  // At once, then after 10, 20 and 40 minutes instead of every five.
  expect(asked).toHaveLength(4)
  expect((await feeds.view('prod')).problem).toMatchObject({ code: 'unreachable', detail: 'no network' })
  state.failure = new Problem('too-many-requests', 'later', { retryAfterMs: minutes(180) })
  await feeds.look('prod')
  await clock.advance(minutes(179))
  expect(asked).toHaveLength(5)
  state.failure = undefined
  await clock.advance(minutes(2))
  expect(await feeds.view('prod')).toMatchObject({ problem: null, pending: [{ tag: 'v1' }] })
})

test('a look has one limit, however it is spent, and the next one has its turn', async () => {
  const { clock, feeds, state } = stage()
  state.silent = true
  await feeds.set('prod', config)
  await clock.advance(minutes(2))
  expect(await feeds.view('prod')).toMatchObject({ looking: false, problem: { code: 'timeout' }, lookedAt: null })
  state.silent = false
  await clock.advance(minutes(11))
  expect(await feeds.view('prod')).toMatchObject({ problem: null, pending: [{ tag: 'v1' }] })
})

test('a login goes only to the registry it was typed for', async () => {
  const { feeds, logins } = stage()
  await expect(feeds.setLogin('prod', { username: 'ci', password: 'x' })).rejects.toThrow(/which registry/)
  await feeds.set('prod', config)
  await feeds.setLogin('prod', { username: 'ci', password: 'x' })
  expect(await logins.get('prod', config.address)).toEqual({ username: 'ci', password: 'x' })
  expect(await logins.get('prod', 'https://elsewhere.example')).toBeUndefined()
  expect((await feeds.view('prod')).loginSince).toBe('then')
  await feeds.set('prod', null)
  expect(await logins.get('prod', config.address)).toBeUndefined()
  await settle()
})

test.each<[string, unknown]>([
  [
    'Bearer realm="https://a/t",service="s, t",scope="x"',
    { scheme: 'bearer', params: { realm: 'https://a/t', service: 's, t', scope: 'x' } },
  ],
  ['Basic realm="r", Bearer realm=https://a/t', { scheme: 'bearer', params: { realm: 'https://a/t' } }],
  ['basic realm="a \\"b\\""', { scheme: 'basic', params: { realm: 'a "b"' } }],
  ['Negotiate', undefined],
  ['', undefined],
])('the challenge %s is read', (header, expected) => expect(readChallenge(header)).toEqual(expected))
