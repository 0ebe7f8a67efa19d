import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { PendingTag } from '../../shared/ipc-deploys.ts'
import type { Notice } from '../notifications.ts'
import { openStore, type Store } from '../store/store.ts'
import { TestClock } from '../test-clock.ts'
import { Deploys, type DeploysDeps } from './deploys.ts'
import { type Manner, TestWorld } from './test-world.ts'

let folder = ''
let store: Store
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pilothouse-deploys-'))
  store = openStore(path.join(folder, 'console.db'))
})
afterEach(() => {
  store.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

function stage(manners: Record<string, Manner>) {
  const clock = new TestClock()
  const world = new TestWorld(clock, manners)
  const view = (id: string) => ({ id, name: id, environment: 'prod', tunnel: { kind: 'direct' } })
  const fleet = {
    has: (id: string) => world.has(id),
    call: world.call.bind(world),
    view,
    list: () => Object.keys(manners).map(view),
  }
  const notices: Notice[] = []
  const vault = {
    get: async () => undefined,
    set: async () => 'keychain',
    delete: async () => {},
    list: async () => [],
  }
  const deps: DeploysDeps = {
    ...{
      fleet: fleet as never,
      store,
      vault: vault as never,
      clock,
      log: () => {},
      onFeed: () => {},
      onPlanning: () => {},
      onNews: () => {},
    },
    notify: (notice) => void notices.push(notice),
  }
  const deploys = new Deploys(deps)
  const startAgain = () => {
    const again = new Deploys(deps)
    again.start()
    return again
  }
  const begin = (tag: string, machineIds = Object.keys(manners)) =>
    deploys.begin({ machineIds, tag, force: false, maxUnavailable: 1, onFailure: 'continue' }, 'ada')
  return { clock, world, deploys, notices, begin, startAgain }
}

test('a machine whose agent cannot be heard still has its failure told, and what an agent says is told once', async () => {
  const { clock, deploys, notices, begin } = stage({ a: 'sick', b: 'sick', c: 'dead', d: 'good' })
  begin('v2')
  await clock.advance(1000)
  const event = { ...{ seq: 1, time: '', type: 'deploy_finished', imageTag: 'v2', status: 'rolled_back', message: '' } }
  deploys.heard('b', { ...event, deployId: 2 } as never)
  await clock.advance(60_000)
  expect(notices.map(({ machineId }) => machineId).sort()).toEqual(['a', 'c'])
  expect(notices.find(({ machineId }) => machineId === 'a')?.text).toMatch(/v2: It was not healthy/)
})

test('what an agent said before the console was started anew is not said again', async () => {
  const { clock, deploys, notices, begin, startAgain } = stage({ a: 'sick', b: 'good' })
  const { id } = begin('v2')
  const event = { type: 'deploy_finished', deployId: 2, imageTag: 'v2', status: 'rolled_back', message: '' } as const
  store.events.add('a', { seq: 1, time: '', ...event })
  await until(clock, () => deploys.rollouts.get(id).legs[0]?.state === 'failed')
  deploys.stop()
  const again = startAgain()
  await clock.advance(1000)
  again.rollouts.resume(id)
  await until(clock, () => again.rollouts.get(id).status === 'failed')
  await clock.advance(60_000)
  expect(notices).toEqual([])
  again.stop()
})

async function until(clock: TestClock, isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < 100 && !isSo(); turn++) await clock.advance(500)
  expect(isSo()).toBe(true)
}

const pending: PendingTag = {
  ...{ tag: 'v2', digest: 'sha256:2', deployAs: 'v2', firstSeenAt: '2026-01-01T00:00:00.000Z', source: null },
  ...{ commit: 'abc123', message: 'Mend it', branch: 'main', createdAt: null },
}

test('a tag that a registry found brings its commit along, by hand too, and again after it is no longer new', async () => {
  const { clock, begin } = stage({ a: 'good', b: 'good' })
  const config = {
    ...{ address: 'https://registry.example', repository: 'team/app', pattern: 'v*', autoDeploy: false },
    ...{ maxUnavailable: 1, onFailure: 'stop', everyMinutes: 5 },
  }
  store.settings.set('feed:prod', { config, lookedAt: null, pending: [pending], known: {}, dismissed: [] })
  const origin = { commit: 'abc123', commitMessage: 'Mend it', branch: 'main' }
  expect(begin('v2', ['a'])).toMatchObject(origin)
  await clock.advance(60_000)
  expect(store.settings.get('feed:prod')).toMatchObject({ pending: [] })
  expect(begin('v2', ['b'])).toMatchObject(origin)
  await clock.advance(60_000)
  expect(store.deploys.last(1, 'b')).toMatchObject([{ commitSha: 'abc123', commitMessage: 'Mend it', branch: 'main' }])
  expect(begin('v3', ['a'])).toMatchObject({ commit: null, commitMessage: null, branch: null })
})
