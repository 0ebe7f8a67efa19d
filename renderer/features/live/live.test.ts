import { expect, test } from 'vitest'
import { lifecycleStates } from '../../../shared/domain/lifecycle.ts'
import type { DesktopView } from '../desktop/desktop.store.ts'
import { machine } from '../machine/machine.fixture.ts'
import { isReachable, whyNot } from '../machine/reach.ts'
import { liveCondition, pageCondition } from './condition.ts'
import { coverage } from './coverage.ts'
import { describeEvent } from './describeEvent.ts'
import { clickCounter, isOnPage, modifiersOf, pointOnPage, pressTogether } from './pageInput.ts'
import { whatHappened } from './past.ts'
import { specialKeys } from './screen.ts'
import { addEvent, type SeenEvent } from './timeline.store.ts'

test('every state but running has a panel with words and, but for starting, a way on', () => {
  for (const state of lifecycleStates) {
    const condition = liveCondition(machine({ state }))
    if (state === 'running') expect(condition).toEqual({ kind: 'live', view: 'vnc' })
    else {
      if (condition.kind !== 'panel') throw new Error(`${state} shows a picture`)
      expect(condition.title).not.toBe('')
      expect(condition.text).not.toBe('')
      expect(condition.action === 'none').toBe(state === 'starting')
    }
  }
})

test('this computer is started again, another machine is woken, a refused secret is typed in anew', () => {
  const killed = { state: 'killed' } as const
  expect(liveCondition(machine({ ...killed, tunnel: { kind: 'local' } }))).toMatchObject({ action: 'start-local' })
  expect(liveCondition(machine(killed))).toMatchObject({ action: 'wake' })
  expect(liveCondition(machine({ state: 'paused' }))).toMatchObject({ action: 'wake' })
  const refused = { code: 'unauthorized', detail: 'The agent refuses this secret.' }
  expect(liveCondition(machine({ state: 'unknown', problem: refused }))).toMatchObject({ action: 'fix-credentials' })
  expect(liveCondition(machine({ state: 'unknown' }))).toMatchObject({ action: 'verify' })
})

test('a sandbox that lost its browser alone shows the way to wake it, and its machine can be asked', () => {
  const only = { state: 'killed', killedReason: 'terminated' } as const
  const gone = machine({ ...only, problem: { code: 'not-found', detail: 'The browser is gone.' } })
  expect(liveCondition(gone)).toMatchObject({ kind: 'panel', action: 'wake', text: 'The browser is gone.' })
  expect([isReachable(gone), whyNot(gone)]).toEqual([true, undefined])
  const unasked = machine({ state: 'killed', problem: { code: 'no-keychain', detail: 'Enter it again.' } })
  expect(liveCondition(unasked)).toMatchObject({ action: 'wake', text: 'It was ended from outside.' })
  const off = { state: 'off', detail: 'killed' } as const
  const lost = machine({ state: 'killed', killedReason: 'not_found', links: { ...gone.links, agent: off } })
  expect([isReachable(lost), whyNot(lost)]).toEqual([false, 'prod-01 is killed. Wake it first.'])
})

test('while a machine is silent, what its browser did last is not told as what it does now', () => {
  const problem = { code: 'unreachable', detail: 'Nothing listens there.' } as const
  const { links } = machine()
  const busy = { state: 'busy', detail: 'no answer, try 2 of 4' } as const
  for (const silent of [
    { ...links, agent: busy },
    { ...links, tunnel: busy },
  ])
    expect(liveCondition(machine({ problem, links: silent }, { state: 'stopping' }))).toMatchObject({
      ...{ title: 'No answer', action: 'verify' },
      text: 'Nothing listens there. It is being asked again: no answer, try 2 of 4.',
    })
  expect(liveCondition(machine({}, { state: 'stopping' }))).toMatchObject({ title: 'The browser is stopping' })
  // A picture that broke off says so itself, and is there again at once.
  expect(liveCondition(machine({ problem, links: { ...links, agent: busy } }))).toMatchObject({ kind: 'live' })
})

test('what is only remembered is not shown as live', () => {
  expect(liveCondition(machine({ knownFrom: 'cache' }))).toMatchObject({ kind: 'panel', action: 'verify' })
})

test('the machine’s own words stand before ours', () => {
  const problem = { code: 'unauthorized', detail: 'The agent refuses this secret.' }
  expect(liveCondition(machine({ state: 'unknown', problem }))).toMatchObject({ text: problem.detail })
})

test('the browser’s state decides on a machine that runs, and unknown words are no picture', () => {
  expect(liveCondition(machine({}, { liveView: 'screencast' }))).toEqual({ kind: 'live', view: 'screencast' })
  expect(liveCondition(machine({}, { liveView: 'none' }))).toMatchObject({ kind: 'panel' })
  expect(liveCondition(machine({}, { state: 'some-newer-state' }))).toMatchObject({ action: 'start-browser' })
  const missing = { state: 'install_required', installCommand: 'apt-get install x', missingDependencies: ['x'] }
  expect(liveCondition(machine({}, missing))).toMatchObject({ install: 'apt-get install x' })
  const failed = { state: 'failed', lastError: { code: 'start-failed', message: 'It fell over.' } }
  expect(liveCondition(machine({}, failed))).toMatchObject({ text: 'It fell over.', action: 'start-browser' })
})

test('a desktop stands where a browser would, as long as there is none', () => {
  const desktop = (state: string): DesktopView => ({
    ...{ state, display: ':1', resolution: null, startedAt: null, missingDependencies: [], installCommand: null },
    ...{ processes: [], lastError: { code: 'start-failed', message: 'It fell over.' } },
  })
  const off = machine({}, { state: 'inactive' })
  expect(liveCondition(off, desktop('active'))).toEqual({ kind: 'live', view: 'vnc', desktop: true })
  expect(pageCondition(off, desktop('active'))).toMatchObject({ kind: 'panel', action: 'none' })
  expect(liveCondition(off, desktop('starting'))).toMatchObject({ title: 'The desktop is starting' })
  expect(liveCondition(off, desktop('failed'))).toMatchObject({ text: 'It fell over.', action: 'start-browser' })
  expect(liveCondition(machine(), desktop('failed'))).toEqual({ kind: 'live', view: 'vnc' })
  for (const nothing of [null, desktop('inactive'), desktop('some-newer-state')])
    expect(liveCondition(off, nothing)).toMatchObject({ title: 'The browser is off' })
  expect(liveCondition(machine({ state: 'killed' }), desktop('active'))).toMatchObject({ kind: 'panel' })
})

test('a picture is whole when its pieces reach every edge', () => {
  const covered = coverage(() => ({ width: 100, height: 50 }))
  covered.add(0, 0, 100, 25)
  expect(covered.complete).toBe(false)
  covered.add(0, 25, 100, 25)
  expect(covered.complete).toBe(true)
  expect(coverage(() => ({ width: 0, height: 0 })).complete).toBe(false)
})

test('events are kept newest first and a replayed one is not told twice', () => {
  const event = (seq: number) => ({ seq, time: '', type: 'health' })
  const events = [3, 1, 2, 3].reduce<readonly { seq: number; time: string; type: string }[]>(
    (seen, seq) => addEvent(seen, event(seq)),
    [],
  )
  expect(events.map(({ seq }) => seq)).toEqual([3, 2, 1])
})

test('a lease is told by who holds it; renewals and viewers are not told', () => {
  const taken = {
    seq: 1,
    time: '',
    type: 'takeover_lease',
    change: 'taken',
    lease: { operator: 'Ada', reason: 'captcha' },
  }
  expect(describeEvent(taken, 'Ada')).toMatchObject({ title: 'You took over', detail: 'captcha', tone: 'person' })
  expect(describeEvent(taken, 'Grace')).toMatchObject({ title: 'Ada took over' })
  expect(describeEvent({ ...taken, change: 'handed_back', lease: null }, '')).toMatchObject({
    title: 'Control was given back',
  })
  expect(describeEvent({ ...taken, change: 'ended', lease: null }, '')).toMatchObject({
    title: 'Control ended with the browser',
  })
  expect(describeEvent({ ...taken, change: 'renewed' }, 'Ada')).toBeNull()
  expect(describeEvent({ seq: 2, time: '', type: 'viewers', count: 2 }, '')).toBeNull()
  expect(describeEvent({ seq: 3, time: '', type: 'from_a_newer_agent' }, '')).toBeNull()
})

test('a point of the fitted picture is a point of the page, and never outside it', () => {
  const box = { left: 10, top: 20, width: 400, height: 400 }
  const page = { width: 800, height: 400 }
  expect(pointOnPage({ x: 10, y: 120 }, box, page)).toEqual({ x: 0, y: 0 })
  expect(pointOnPage({ x: 210, y: 220 }, box, page)).toEqual({ x: 400, y: 200 })
  expect(pointOnPage({ x: 500, y: 1000 }, box, page)).toEqual({ x: 800, y: 400 })
  expect(isOnPage({ x: 210, y: 121 }, box, page)).toBe(true)
  expect(isOnPage({ x: 210, y: 119 }, box, page)).toBe(false)
  expect(isOnPage({ x: 9, y: 220 }, box, page)).toBe(false)
})

test('modifiers are counted as the contract says', () => {
  const none = { altKey: false, ctrlKey: false, metaKey: false, shiftKey: false }
  expect(modifiersOf(none)).toBe(0)
  expect(modifiersOf({ ...none, ctrlKey: true, shiftKey: true })).toBe(10)
})

test('keys pressed together carry the modifiers that are down, and all come up', () => {
  const keys = specialKeys.find(({ id }) => id === 'ctrl-alt-del')?.keys ?? []
  const told = pressTogether(keys).map((input) => input.type === 'key' && [input.event, input.key, input.modifiers])
  expect(told).toEqual([
    ['down', 'Control', 2],
    ['down', 'Alt', 3],
    ['down', 'Delete', 3],
    ['up', 'Delete', 3],
    ['up', 'Alt', 2],
    ['up', 'Control', 0],
  ])
})

test('a double click is two quick presses of one button at one place', () => {
  const count = clickCounter()
  expect(count(0, 10, 10, 0)).toBe(1)
  expect(count(200, 12, 10, 0)).toBe(2)
  expect(count(400, 12, 10, 0)).toBe(3)
  expect(count(600, 12, 10, 0)).toBe(3)
  expect(count(700, 60, 10, 0)).toBe(1)
  expect(count(800, 60, 10, 2)).toBe(1)
  expect(count(2000, 60, 10, 2)).toBe(1)
})

const entry = (at: string, title: string, more: object = {}) => ({
  ...{ key: `${at} ${title}`, kind: 'engine', what: 'engine', at, until: null, running: false, tone: 'engine' },
  ...{ title, detail: '', who: null, count: 1, source: null, picture: null, ...more },
})

test('what a machine kept is told up to where this window heard it itself, and nothing twice', () => {
  const event = { seq: 9, time: '2026-01-01T10:00:00Z', type: 'agent_started', agentVersion: '1' }
  const past = [
    entry('2026-01-01T10:00:00Z', 'Agent started'),
    entry('2026-01-01T08:00:00Z', 'Stagehand dom connected'),
    entry('2026-01-01T09:00:00Z', 'Browser runs', { kind: 'browser', what: 'browser' }),
    entry('2026-01-01T09:30:00Z', 'A CDP client was connected', { kind: 'browser', what: 'cdp_attach' }),
  ]
  const titles = (events: SeenEvent[]) =>
    whatHappened(events, past, 'Ada', '2026-01-01T11:00:00Z').map(({ title }) => title)
  expect(titles([event])).toEqual(['Agent started', 'Browser runs', 'Stagehand dom connected'])
  expect(titles([])).toEqual(['Agent started', 'Browser runs', 'Stagehand dom connected'])
})

test('control that was heard of is not told again by the machine’s record, where it began a moment before', () => {
  const takenAt = '2026-01-01T11:00:00.000Z'
  const lease = { operator: 'Grace', reason: '', takenAt, expiresAt: '2026-01-01T11:05:00.000Z' }
  const heard = {
    seq: 9,
    time: '2026-01-01T11:00:00.107Z',
    type: 'takeover_lease',
    change: 'taken',
    lease,
  } as SeenEvent
  const kept = entry(takenAt, 'Grace has control', { key: `lease:${takenAt}`, kind: 'takeover', what: 'lease' })
  const titles = (events: SeenEvent[]) =>
    whatHappened(events, [kept], 'Ada', '2026-01-01T11:00:01.000Z').map(({ title }) => title)
  expect(titles([])).toEqual(['Grace has control'])
  expect(titles([heard])).toEqual(['Grace took over'])
  // That it goes on tells nobody who took it.
  expect(titles([{ ...heard, change: 'renewed' }])).toEqual(['Grace has control'])
})
