import { expect, test } from 'vitest'
import type { AgentEvent } from '../../shared/contract/index.ts'
import { Problem } from '../../shared/errors.ts'
import type { Notice } from '../notifications.ts'
import { TestClock } from '../test-clock.ts'
import { TakeoverCalls, type TakeoverCallsDeps } from './calls.ts'

const m1 = { id: 'm1', name: 'jobs-1' }

function rig(requests: { id: string; state: string }[] | Problem, takeoverSound = true) {
  const clock = new TestClock()
  const told: Notice[] = []
  const at = { tones: 0 }
  const fleet = {
    call: async () => {
      if (requests instanceof Problem) throw requests
      return { requests }
    },
  } as unknown as TakeoverCallsDeps['fleet']
  const calls = new TakeoverCalls({
    ...{ fleet, clock },
    settings: () => ({ operator: 'Ada', takeoverSound }),
    notify: (notice) => void told.push(notice),
    playTone: () => void at.tones++,
  })
  const event = (change: string, more: object = {}) =>
    ({
      // Its machine's clock is a day behind.
      ...{ type: 'takeover_request', seq: 1, time: new Date(clock.now() - 86_400_000).toISOString(), change },
      request: { id: 'r1', reason: 'Captcha', instruction: 'log in with hunter2', assignedTo: null, ...more },
    }) as AgentEvent
  return { calls, told, at, event, clock }
}

test('a new request calls everyone, with its reason and the way to its machine', async () => {
  const { calls, told, at, event } = rig([{ id: 'r1', state: 'open' }])
  await calls.heard(m1, event('raised'), 0)
  expect(told).toEqual([{ machineId: 'm1', machineName: 'jobs-1', text: 'Captcha', place: '#/machine/m1/live' }])
  expect(at.tones).toBe(1)
})

test('a machine that sends no events calls as loudly', () => {
  const { calls, told, at } = rig([])
  calls.found(m1)
  expect(told).toMatchObject([{ machineName: 'jobs-1', place: '#/machine/m1/live' }])
  expect(at.tones).toBe(1)
})

test('whoever it is handed on to is called, and nobody else', async () => {
  const { calls, told, at, event } = rig([{ id: 'r1', state: 'open' }])
  await calls.heard(m1, event('handed_on', { assignedTo: 'Grace' }), 0)
  expect([told.length, at.tones]).toEqual([0, 0])
  await calls.heard(m1, event('handed_on', { assignedTo: 'Ada' }), 0)
  expect(told.map(({ text }) => text)).toEqual(['Handed on to you: Captcha'])
  expect(at.tones).toBe(1)
})

test('what is over is called for no more, however it is told again', async () => {
  for (const requests of [[{ id: 'r1', state: 'done' }], [{ id: 'r2', state: 'open' }], []]) {
    const { calls, told, at, event } = rig(requests)
    await calls.heard(m1, event('raised'), 0)
    await calls.heard(m1, event('handed_on', { assignedTo: 'Ada' }), 0)
    expect([told.length, at.tones]).toEqual([0, 0])
  }
  const { calls, told, event } = rig([{ id: 'r1', state: 'open' }])
  for (const change of ['accepted', 'declined', 'timed_out', 'done', 'cancelled'])
    await calls.heard(m1, event(change), 0)
  expect(told).toEqual([])
})

test('one that is still open is called for however old it is', async () => {
  const { calls, told, event } = rig([{ id: 'r1', state: 'open' }])
  await calls.heard(m1, event('raised'), 86_400_000)
  expect(told).toHaveLength(1)
})

test('a machine that cannot be asked: news calls, what is old does not', async () => {
  const { calls, told, event } = rig(new Problem('unreachable', 'gone again'))
  await calls.heard(m1, event('raised'), 86_400_000)
  expect(told).toEqual([])
  await calls.heard(m1, event('raised'), 0)
  expect(told).toHaveLength(1)
})

test('several in one moment are one tone; none where none was chosen', async () => {
  const { calls, told, at, event, clock } = rig([{ id: 'r1', state: 'open' }])
  for (let count = 0; count < 3; count++) await calls.heard(m1, event('raised'), 0)
  expect([told.length, at.tones]).toEqual([3, 1])
  await clock.advance(2000)
  await calls.heard(m1, event('raised'), 0)
  expect(at.tones).toBe(2)
  const quiet = rig([{ id: 'r1', state: 'open' }], false)
  await quiet.calls.heard(m1, quiet.event('raised'), 0)
  expect([quiet.told.length, quiet.at.tones]).toEqual([1, 0])
})
