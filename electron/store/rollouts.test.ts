import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Rollout } from '../../shared/domain/rollout.ts'
import { newRollout } from '../deploys/new-rollout.ts'
import { apply, type RolloutEvent } from '../deploys/rollout.ts'
import { openStore, type Store } from './store.ts'

let folder = ''
let store: Store
const file = () => path.join(folder, 'console.db')
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pilothouse-rollouts-'))
  store = openStore(file())
})
afterEach(() => {
  store.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

const at = '2026-01-02T00:00:00.000Z'
const make = (tag: string, ids: string[], environment: 'prod' | 'dev' = 'prod', operator = 'ada') =>
  store.rollouts.add(
    newRollout({
      ...{ tag, operator, at, maxUnavailable: 1, onFailure: 'stop' as const, force: false, commit: 'abc123' },
      ...{ commitMessage: 'Mend it', branch: 'main' },
      machines: ids.map((machineId) => ({ machineId, name: machineId, environment })),
    }),
  )

test('a rollout is found after a reopening as it was stored last, with its story', () => {
  const events: RolloutEvent[] = [
    { type: 'begin', machineId: 'm1' },
    { type: 'checked', machineId: 'm1', facts: { baseline: 4 } },
  ]
  let rollout = make('v2', ['m1', 'm2'])
  for (const event of events) {
    const next = apply(rollout, event, at)
    rollout = store.rollouts.save(rollout, next, [{ at, machineId: 'm1', step: event.type, detail: null }])
  }
  store.close()
  store = openStore(file())
  expect(store.rollouts.open()).toEqual([rollout])
  expect(store.rollouts.steps(rollout.id).map(({ step }) => step)).toEqual(['started', 'begin', 'checked'])
  expect(rollout.legs[0]).toMatchObject({ state: 'deploying', baseline: 4, historyId: expect.any(Number) })
})

test('the history that other tools read has a row for each machine that was begun, and its end', () => {
  let rollout = make('v2', ['m1', 'm2'])
  const tell = (event: RolloutEvent) => {
    rollout = store.rollouts.save(rollout, apply(rollout, event, at), [])
  }
  tell({ type: 'begin', machineId: 'm1' })
  expect(store.deploys.last(5)).toEqual([])
  tell({ type: 'checked', machineId: 'm1', facts: { baseline: 1 } })
  expect(store.deploys.last(5)).toMatchObject([
    { sandboxId: 'm1', imageTag: 'v2', status: 'deploying', commitSha: 'abc123' },
  ])
  tell({ type: 'ended', machineId: 'm1', end: 'failed', detail: 'not healthy' })
  expect(store.deploys.last(5)).toMatchObject([
    { sandboxId: 'm1', status: 'rolled_back', errorMessage: 'not healthy', triggeredBy: 'ada', completedAt: at },
  ])
  expect(store.rollouts.open()).toEqual([])
})

test('the history has the commit’s words and branch, and a rollback names the row that it takes back', () => {
  const play = (rollout: Rollout, events: readonly RolloutEvent[]) =>
    events.reduce((now, event) => store.rollouts.save(now, apply(now, event, at), []), rollout)
  const steps = (deployId: number): RolloutEvent[] => [
    { type: 'begin', machineId: 'm1' },
    { type: 'checked', machineId: 'm1', facts: { baseline: deployId - 1 } },
    { type: 'deployed', machineId: 'm1', facts: { agentDeployId: deployId } },
    { type: 'ended', machineId: 'm1', end: 'completed', detail: null },
  ]
  const done = play(make('v2', ['m1']), steps(7))
  const wish = { tag: 'v1', operator: 'ada', at, maxUnavailable: 1, onFailure: 'stop' as const, force: false }
  const machines = [{ machineId: 'm1', name: 'm1', environment: 'prod' as const, undoes: 7 }]
  const back = () => store.rollouts.add(newRollout({ ...wish, kind: 'rollback', machines, rollbackOf: done.id }))
  play(back(), steps(8))
  expect(store.deploys.last(2)).toMatchObject([
    { imageTag: 'v1', rollbackOf: done.legs[0]?.historyId, commitSha: null },
    { imageTag: 'v2', rollbackOf: null, commitSha: 'abc123', commitMessage: 'Mend it', branch: 'main' },
  ])
  store.connection.exec('UPDATE sandbox_deploy_history SET rollback_of = NULL')
  store.connection.exec('DELETE FROM sandbox_deploy_history')
  play(back(), steps(9))
  expect(store.deploys.last(2)).toMatchObject([{ imageTag: 'v1', rollbackOf: null }])
})

test('a rollout of a console that kept no words of the commit is still read', () => {
  const { id } = make('v1', ['m1'])
  store.connection.exec("UPDATE rollouts SET state = json_remove(state, '$.commitMessage', '$.branch')")
  expect(store.rollouts.get(id)).toMatchObject({ commit: 'abc123', commitMessage: null, branch: null })
})

test('a row of the history that is gone is written anew, and no row of another deploy is changed instead', () => {
  const lost: RolloutEvent[] = [
    { type: 'begin', machineId: 'm1' },
    { type: 'checked', machineId: 'm1', facts: { baseline: 1 } },
    { type: 'ended', machineId: 'm1', end: 'lost', detail: 'silent' },
  ]
  const play = (rollout: Rollout, events: readonly RolloutEvent[]) =>
    events.reduce((now, event) => store.rollouts.save(now, apply(now, event, at), []), rollout)
  const first = play(make('v2', ['m1']), lost)
  store.connection.exec('DELETE FROM sandbox_deploy_history')
  const other = play(make('v3', ['m2']), lost.map((event) => ({ ...event, machineId: 'm2' })) as RolloutEvent[])
  expect(other.legs[0]?.historyId).toBe(first.legs[0]?.historyId)
  const again: RolloutEvent[] = [
    { type: 'retry', machineIds: ['m1'], force: false },
    { type: 'begin', machineId: 'm1' },
    { type: 'ended', machineId: 'm1', end: 'completed', detail: null },
  ]
  const found = play(first, again)
  expect(store.deploys.last(5).map(({ id, sandboxId, status }) => [id, sandboxId, status])).toEqual([
    [found.legs[0]?.historyId, 'm1', 'completed'],
    [other.legs[0]?.historyId, 'm2', 'failed'],
  ])
})

test('is found by environment, status, words, machine and page', () => {
  make('v1', ['m1'])
  make('v2', ['m2'], 'dev', 'auto_deploy')
  const third = make('v2.1', ['m1', 'm2'])
  const tags = (filter: object) => store.rollouts.list({ limit: 10, ...filter }).map(({ tag }) => tag)
  expect(tags({})).toEqual(['v2.1', 'v2', 'v1'])
  expect(tags({ environment: 'dev' })).toEqual(['v2'])
  expect(tags({ text: 'v2' })).toEqual(['v2.1', 'v2'])
  expect(tags({ text: 'o_d' })).toEqual(['v2'])
  expect(tags({ text: '%' })).toEqual([])
  expect(tags({ machineId: 'm1' })).toEqual(['v2.1', 'v1'])
  expect(tags({ before: third.id })).toEqual(['v2', 'v1'])
  expect(tags({ status: 'failed' })).toEqual([])
  expect(tags({ limit: 1 })).toEqual(['v2.1'])
})

test('what a newer console wrote is left out, and not broken by this one', () => {
  const { id } = make('v1', ['m1'])
  store.connection.prepare("UPDATE rollouts SET state = json_set(state, '$.status', 'levitating') WHERE id = ?").run(id)
  expect(store.rollouts.open()).toEqual([])
  expect(store.rollouts.get(id)).toBeUndefined()
})
