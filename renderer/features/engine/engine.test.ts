import { expect, test } from 'vitest'
import { defaultCascade } from '../../../shared/domain/cascade.ts'
import { defaultLimits } from '../../../shared/domain/switch-criteria.ts'
import type { SeenEvent } from '../live/timeline.store.ts'
import { cascadeView, lastRun } from './cascade.ts'
import { describeEngineEvent } from './describeEngineEvent.ts'
import { describeDriver, type EngineConfig, type EngineState } from './engine.store.ts'
import { stepShares } from './steps.ts'

const model = { name: 'scripted', baseUrl: null }
const config = {
  limits: defaultLimits,
  cascade: defaultCascade,
  pins: {},
  models: { stagehand: model, cua: model, magnitude: model },
} as unknown as EngineConfig

const state = (more: Partial<EngineState> = {}): EngineState => ({
  ...{ engine: 'none', mode: null, state: 'idle', since: null, failures: 0, lease: null, paused: null },
  ...{ cascadeLevel: null, switching: false, runId: null, refused: 0, ...more },
})

let seq = 0
const tried = (
  runId: string,
  engine: string,
  mode: string | null,
  result: string,
  platform = 'unknown',
): SeenEvent => ({
  ...{ seq: ++seq, time: '', type: 'engine_operation', runId, platform, kind: 'act' },
  attempt: { engine, mode, level: 1, attempt: 1, startedAt: '', durationMs: 120, result, confidence: null, detail: '' },
})
const marks = (view: ReturnType<typeof cascadeView>) =>
  view.levels.map(({ engine, mode, mark }) => `${engine}${mode ?? ''} ${mark}`)

test('while an operation runs, what came before its level has failed and what comes after waits', () => {
  const events = [tried('r', 'stagehand', 'dom', 'failed')]
  const view = cascadeView(config, state({ cascadeLevel: 2, runId: 'r' }), events)
  expect(marks(view)).toEqual(['stagehanddom failed', 'stagehandcua current', 'magnitude waiting', 'human waiting'])
})

test('afterwards it is told what each came to, of the last run only', () => {
  const events = [
    tried('new', 'magnitude', null, 'success'),
    tried('new', 'stagehand', 'dom', 'timed_out'),
    tried('old', 'human', null, 'success'),
  ]
  expect(lastRun(events).map(({ attempt }) => attempt.engine)).toEqual(['stagehand', 'magnitude'])
  expect(marks(cascadeView(config, state(), events))).toEqual([
    'stagehanddom failed',
    'stagehandcua waiting',
    'magnitude done',
    'human waiting',
  ])
})

test('a platform has an order of its own, and a pin comes first', () => {
  const events = [tried('r', 'magnitude', null, 'success', 'workday')]
  const view = cascadeView(config, state(), events)
  expect([view.platform, view.levels[0]?.engine]).toEqual(['workday', 'magnitude'])
  const pinned = { ...config, pins: { workday: 'stagehand/cua' } } as EngineConfig
  expect(cascadeView(pinned, state(), events).levels[0]).toMatchObject({ engine: 'stagehand', mode: 'cua' })
})

test('the engine that the machine puts first stands first, also one that is not in the table there', () => {
  const events = [tried('r', 'magnitude', null, 'failed', 'linkedin')]
  const run = { cascadeLevel: 2, runId: 'r', state: 'connected', engine: 'stagehand', mode: 'dom' } as const
  expect(marks(cascadeView(config, state(run), events, { linkedin: 'magnitude' }))).toEqual([
    'magnitude failed',
    'stagehanddom current',
    'stagehandcua waiting',
    'human waiting',
  ])
  const onWorkday = [tried('r', 'magnitude', null, 'success', 'workday')]
  expect(cascadeView(config, state(), onWorkday, { workday: 'stagehand/dom' }).levels).toMatchObject([
    { engine: 'stagehand', mode: 'dom' },
    { engine: 'magnitude' },
    { engine: 'stagehand', mode: 'cua' },
    { engine: 'human' },
  ])
})

test('at work is the engine that is connected, also where an operation runs without the cascade; and a person who is waited for', () => {
  const connected = { cascadeLevel: 1, runId: 'r', state: 'connected', engine: 'magnitude', mode: null } as const
  expect(marks(cascadeView(config, state(connected), []))).toEqual([
    'stagehanddom waiting',
    'stagehandcua waiting',
    'magnitude current',
    'human waiting',
  ])
  expect(marks(cascadeView(config, state({ ...connected, cascadeLevel: 4 }), [])).at(-1)).toBe('human current')
})

test('events are told in words; what another event tells better is not', () => {
  const event = (type: string, data: Record<string, unknown>): SeenEvent => ({ seq: 1, time: '', type, ...data })
  expect(describeEngineEvent(event('engine_connected', { engine: 'stagehand', mode: 'cua', durationMs: 350 }))).toEqual(
    {
      tone: 'engine',
      title: 'Stagehand cua connected',
      detail: '0.35 s',
    },
  )
  expect(
    describeEngineEvent(event('takeover_request', { change: 'raised', request: { reason: 'no element' } })),
  ).toMatchObject({ tone: 'person', title: 'A person is wanted', detail: 'no element' })
  const escalation = { to: { engine: 'human', mode: null }, reason: 'level_exhausted: it took 4 s' }
  expect(describeEngineEvent(event('cascade_escalation', escalation))).toMatchObject({
    title: 'Next: A person',
    detail: 'it took 4 s',
  })
  expect(describeEngineEvent(event('takeover_request', { change: 'accepted', request: {} }))).toBeNull()
  expect(describeEngineEvent(event('engine_operation', { attempt: { result: 'failed' } }))).toBeNull()
  expect(describeEngineEvent(event('engine_switch', {}))).toBeNull()
})

test('who drives, and how the steps of a switch share the line', () => {
  expect(describeDriver(null)).toBe('nobody is driving')
  expect(describeDriver(state({ engine: 'magnitude' }))).toBe('Magnitude is driving')
  const step = (name: string, ms: number) => ({ step: name, ms, result: 'ok' })
  expect(stepShares([step('connect', 300), step('verify', 100), step('connect', 0)]).map(({ share }) => share)).toEqual(
    [75, 25, 0],
  )
  expect(new Set(stepShares([step('connect', 0), step('connect', 0)]).map(({ key }) => key)).size).toBe(2)
})
