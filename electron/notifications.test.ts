import { expect, test } from 'vitest'
import type { AgentEvent } from '../shared/contract/index.ts'
import { Notifications, type ShownNotification } from './notifications.ts'
import { plainText } from './plain-text.ts'
import { TestClock } from './test-clock.ts'

const all = { takeovers: true, deploys: true, lost: true, sound: false }
const machine = (id: string) => ({ id, name: `name of ${id}` })
const lost = { from: 'running', to: 'unknown', at: '', reason: 'The tunnel ended.' } as const

function rig(choices = all, focused: string | null = null) {
  const clock = new TestClock()
  const shown: ShownNotification[] = []
  const at = { place: focused }
  const notifications = new Notifications({
    choices: () => choices,
    show: (notification) => void shown.push(notification),
    focusedPlace: () => at.place,
    clock,
  })
  return { clock, shown, notifications, at }
}

test('a machine that is lost is told with its name and reason, and leads to its page', async () => {
  const { clock, shown, notifications } = rig()
  notifications.changed(machine('m1'), lost)
  await clock.advance(1000)
  expect(shown).toEqual([
    { title: 'A machine is lost: name of m1', body: 'The tunnel ended.', silent: true, place: '#/machine/m1/live' },
  ])
})

test('nothing is told that was not chosen, and what ends as it should is no loss', async () => {
  const { clock, shown, notifications } = rig({ ...all, lost: false })
  notifications.changed(machine('m1'), lost)
  const other = rig()
  for (const to of ['paused', 'terminated', 'running', 'starting'] as const)
    other.notifications.changed(machine('m1'), { ...lost, to })
  other.notifications.changed(machine('m1'), { ...lost, from: 'starting' })
  await clock.advance(60_000)
  await other.clock.advance(60_000)
  expect([...shown, ...other.shown]).toEqual([])
})

test('a hundred at once are one notification, and the next follow in one more, after a while', async () => {
  const { clock, shown, notifications } = rig()
  for (let index = 0; index < 100; index++) notifications.changed(machine(`m${index}`), lost)
  await clock.advance(1000)
  expect(shown).toEqual([
    {
      title: '100 machines are lost',
      body: 'name of m0, name of m1, name of m2 and 97 more',
      silent: true,
      place: '#/fleet',
    },
  ])
  notifications.changed(machine('x'), lost)
  notifications.changed(machine('y'), lost)
  await clock.advance(5000)
  expect(shown).toHaveLength(1)
  await clock.advance(5000)
  expect(shown[1]?.title).toBe('2 machines are lost')
})

test('a clock that is set back keeps nobody waiting', async () => {
  const { clock, shown, notifications } = rig()
  notifications.changed(machine('m1'), lost)
  await clock.advance(1000)
  clock.set(clock.now() - 3_600_000)
  notifications.changed(machine('m2'), lost)
  await clock.advance(1000)
  expect(shown).toHaveLength(2)
})

test('the machine that a person is looking at tells itself', async () => {
  const { clock, shown, notifications, at } = rig(all, '#/machine/m1/logs')
  notifications.changed(machine('m1'), lost)
  notifications.changed(machine('m2'), lost)
  await clock.advance(1000)
  expect(shown.map(({ title }) => title)).toEqual(['A machine is lost: name of m2'])
  // Opened in the second between the news and the telling.
  notifications.changed(machine('m3'), lost)
  at.place = '#/machine/m3/live'
  await clock.advance(20_000)
  expect(shown).toHaveLength(1)
})

test('failed deploys come from the machines, whatever their clocks show; old ones told again do not', async () => {
  const { clock, shown, notifications } = rig()
  const failed = {
    ...{ type: 'deploy_finished', seq: 2, time: '2025-12-31T20:00:00.000Z', deployId: 1, imageTag: 'v2' },
    ...{ status: 'failed', message: 'never healthy' },
  } as AgentEvent
  notifications.heard(machine('m1'), failed, 60_000)
  notifications.heard(machine('m2'), { ...failed, time: new Date(clock.now()).toISOString() } as AgentEvent, 3_600_000)
  notifications.heard(machine('m3'), { ...failed, status: 'completed' } as AgentEvent, 0)
  await clock.advance(1000)
  expect(shown.map(({ title, body, place }) => [title, body, place])).toEqual([
    ['A deploy failed: name of m1', 'v2: never healthy', '#/machine/m1/deploys'],
  ])
})

test('what a machine says is plain text outside of our windows', () => {
  expect(plainText('<b>hi</b> & <img src=x onerror=alert(1)>', 100)).not.toMatch(/[<>&]/)
  expect(plainText('a\u202eb\u0007c\n\nd', 100)).toBe('a b c d')
  expect(plainText('postgres://user:hunter2@db/x', 100)).not.toContain('hunter2')
  expect(plainText('API_TOKEN=abc123 failed', 100)).not.toContain('abc123')
  expect([...plainText('🚀'.repeat(300), 60)]).toHaveLength(60)
})
