import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { AgentEvent } from '../../shared/contract/index.ts'
import type { PastTakeover } from '../../shared/contract/takeover.ts'
import { Problem } from '../../shared/errors.ts'
import { openStore, type Store } from '../store/store.ts'
import { OwnTakeovers, type OwnTakeoversDeps } from './own-takeovers.ts'

let folder = ''
let store: Store
const log = vi.fn()
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pilothouse-takeovers-'))
  store = openStore(path.join(folder, 'console.db'))
  log.mockClear()
})
afterEach(() => {
  store.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

const past = (id: number, more: Partial<PastTakeover> = {}): PastTakeover => ({
  ...{ id, time: new Date(Date.UTC(2026, 0, 1, 0, 0, id)).toISOString(), operator: 'Ada', requestId: 'r1' },
  ...{ outcome: 'resolved', note: `note ${id}`, handedBackTo: 'stagehand', heldMs: 5000 },
  ...{ requestToAcceptedMs: 1200, acceptedToControlMs: 8.5, handBackToActingMs: 900, ...more },
})
const ended = (takeoverId: number | undefined, more: object = {}) => {
  const { id: _id, heldMs, ...rest } = past(takeoverId ?? 1)
  const which = takeoverId === undefined ? {} : { takeoverId, heldMs }
  return { type: 'human_takeover', seq: 1, change: 'ended', ...rest, ...which, ...more } as AgentEvent
}

function rig(answer: () => PastTakeover[] = () => []) {
  const machines = new Map([
    ['m1', { agentId: 'agent-1', name: 'jobs-1' }],
    ['m2', { agentId: 'agent-2', name: 'jobs-2' }],
  ])
  const at = { operator: 'Ada' }
  const fleet = {
    has: (id: string) => machines.has(id),
    machine: (id: string) => ({ record: machines.get(id) }),
    call: async () => ({ takeovers: answer() }),
  } as unknown as OwnTakeoversDeps['fleet']
  const own = new OwnTakeovers({ store, fleet, log, operator: () => at.operator })
  const shown = () => own.list().map(({ machineName, note }) => `${machineName} ${note}`)
  return { own, shown, machines, at }
}

test('what ended is kept from its event with its times, and the history that tells it again adds nothing', () => {
  const { own } = rig()
  own.heard('m1', ended(7))
  own.heard('m1', ended(7))
  expect(own.list()).toEqual([{ ...past(7), machineId: 'm1', machineName: 'jobs-1' }])
  own.told('m1', [past(8), past(7)])
  expect(own.list().map(({ id }) => id)).toEqual([8, 7])
})

test('only this operator’s own, and under each name their own', () => {
  const { own, shown, at } = rig()
  own.heard('m1', ended(1, { operator: 'Grace' }))
  own.heard('m1', ended(2, { change: 'began' }))
  own.told('m2', [past(3), past(4, { operator: 'Grace' })])
  expect(shown()).toEqual(['jobs-2 note 3'])
  at.operator = 'Grace'
  expect(shown()).toEqual([])
})

test('an agent that does not say which one it was is asked', async () => {
  const { own, shown } = rig(() => [past(3)])
  own.heard('m1', ended(undefined))
  await expect.poll(shown).toEqual(['jobs-1 note 3'])
})

test('the same number on two machines is two takeovers', () => {
  const { own, shown } = rig()
  own.told('m1', [past(1)])
  own.told('m2', [past(1, { time: '2026-01-02T00:00:00.000Z' })])
  expect(shown()).toEqual(['jobs-2 note 1', 'jobs-1 note 1'])
})

test('a machine that is gone keeps its takeovers and its last name; added again they are its own', async () => {
  const { own, shown, machines } = rig(() => {
    throw new Problem('unreachable', 'gone')
  })
  own.told('m1', [past(1), past(2)])
  await own.ask('m1')
  expect(shown()).toEqual(['jobs-1 note 2', 'jobs-1 note 1'])
  machines.delete('m1')
  own.removed('m1', 'jobs-renamed')
  expect(shown()).toEqual(['jobs-renamed note 2', 'jobs-renamed note 1'])
  own.heard('m1', ended(9))
  expect(shown()).toHaveLength(2)
  machines.set('m9', { agentId: 'agent-1', name: 'jobs-back' })
  own.told('m9', [past(2)])
  expect(own.list().map(({ machineId, machineName, id }) => [machineId, machineName, id])).toEqual([
    ['m9', 'jobs-back', 2],
    ['m9', 'jobs-back', 1],
  ])
})

test('a machine’s words are bounded, its nonsense is left out, and it cannot push out the others’', () => {
  const { own } = rig()
  own.told('m2', [past(1)])
  own.told('m1', [past(1, { note: 'x'.repeat(100_000), outcome: 'y'.repeat(5000) }), past(2, { time: 'never' })])
  expect(own.list().map(({ note, outcome }) => [note.length, outcome.length])).toContainEqual([2000, 64])
  own.told(
    'm1',
    Array.from({ length: 700 }, (_unused, index) => past(10 + index)),
  )
  const kept = store.ownTakeovers.last('Ada', 10_000)
  expect(kept.filter(({ machineId }) => machineId === 'm1')).toHaveLength(500)
  expect(kept.filter(({ machineId }) => machineId === 'm2')).toHaveLength(1)
  expect(own.list()).toHaveLength(200)
})

test('a store that takes nothing costs the record, and is said in the log', () => {
  const { own } = rig()
  store.connection.exec('DROP TABLE own_takeovers')
  own.heard('m1', ended(7))
  expect(log).toHaveBeenCalledWith('error', 'a takeover could not be kept', expect.anything())
})
