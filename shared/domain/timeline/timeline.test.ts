import { describe, expect, test } from 'vitest'
import type { AgentEvent, EventData, EventType } from '../../contract/index.ts'
import { MemoryBook } from './book.ts'
import { writeAudit } from './from-audit.ts'
import { pictureMoment, writeEvent } from './from-event.ts'

const second = (n: number) => new Date(Date.UTC(2026, 0, 1, 3, 0, n)).toISOString()

function rig() {
  const book = new MemoryBook()
  let seq = 0
  const event = <Type extends EventType>(type: Type, data: EventData[Type], at = ++seq) =>
    ({ seq: ++seq, time: second(at), type, ...data }) as unknown as AgentEvent
  return {
    book,
    heard: <Type extends EventType>(at: number, type: Type, data: EventData[Type]) => {
      const happened = event(type, data, at)
      writeEvent(book, happened)
      return happened
    },
    audited: (id: number, action: string, details: Record<string, unknown>, more: object = {}) =>
      writeAudit(book, {
        ...{
          id,
          action,
          details,
          createdAt: second(id),
          operator: 'Ada',
          result: 'success',
          errorMessage: null,
          durationMs: 20,
        },
        ...more,
      }),
    told: () =>
      book
        .list()
        .reverse()
        .map(({ kind, title, tone }) => `${kind}: ${title} (${tone})`),
  }
}

const stagehand = { engine: 'stagehand', mode: 'dom' } as const
const attempt = (result: string, startedAt: string) => ({
  ...{ ...stagehand, level: 1, attempt: 1, startedAt, durationMs: 1500, result, confidence: 0.4 },
  detail: 'no element for {"password":"canary"}',
})
const lease = { operator: 'Ada', reason: 'stuck', takenAt: second(20), expiresAt: second(60) }
const request = {
  ...{
    id: 'r1',
    state: 'open',
    reason: 'All engines failed.',
    instruction: 'Send it',
    pageUrl: null,
    raisedAt: second(10),
  },
  ...{ deadline: second(50), leftMs: 1000, assignedTo: null, operator: null, jobId: null, runId: 'a' },
} as const
const untold = { requestToAcceptedMs: 900, acceptedToControlMs: 12.4, handBackToActingMs: null }

describe('a night’s story', () => {
  const { book, heard, audited, told } = rig()
  test('events and audit become one list in time', () => {
    heard(1, 'agent_started', { agentVersion: '0.1.0' })
    heard(2, 'browser_state', { state: 'starting', url: null, reason: 'start asked for' })
    heard(3, 'browser_state', { state: 'active', url: 'https://x.example/?token=canary', reason: 'started' })
    heard(4, 'engine_connected', { ...stagehand, url: '', durationMs: 80 })
    heard(8, 'engine_operation', {
      runId: 'a',
      kind: 'act',
      platform: 'unknown',
      attempt: attempt('failed', second(6)),
    })
    heard(9, 'cascade_escalation', {
      ...{ runId: 'a', level: 4, from: stagehand, to: { engine: 'human', mode: null }, reason: 'three failures' },
    })
    heard(10, 'takeover_request', { change: 'raised', request })
    heard(20, 'takeover_request', { change: 'accepted', request: { ...request, operator: 'Ada' } })
    heard(20, 'takeover_lease', { change: 'taken', lease })
    heard(21, 'human_takeover', {
      ...{
        change: 'began',
        operator: 'Ada',
        requestId: 'r1',
        outcome: null,
        note: null,
        handedBackTo: null,
        ...untold,
      },
    })
    heard(25, 'takeover_lease', { change: 'renewed', lease })
    heard(30, 'takeover_lease', { change: 'handed_back', lease: null })
    heard(30, 'human_takeover', {
      ...{ change: 'ended', operator: 'Ada', requestId: 'r1', outcome: 'resolved', note: 'clicked it', ...untold },
      ...{ handedBackTo: 'stagehand', handBackToActingMs: 310 },
    })
    audited(40, 'set_env', { vars: { API_KEY: '***' } })
    audited(41, 'exec', { command: 'df -h' }, { result: 'failure', errorMessage: 'The command ended with 1.' })
    heard(50, 'browser_state', { state: 'failed', url: null, reason: 'Chromium ended by itself' })
    expect(told()).toEqual([
      'machine: Agent started (up)',
      'browser: Browser runs (up)',
      'engine: Stagehand dom is connected (engine)',
      'engine: Stagehand dom: act failed (broken)',
      'engine: Escalated from Stagehand dom to a person (person)',
      'takeover: A person was wanted: accepted (person)',
      'takeover: Ada had control (person)',
      'takeover: Ada gave control back to stagehand (person)',
      'commands: Set API_KEY (off)',
      'commands: Ran df -h (broken)',
      'browser: The browser failed (broken)',
    ])
  })
  test('what has a length has its end, and what goes on is still open', () => {
    const ends = Object.fromEntries(book.list().map(({ what, until, running }) => [what, running ? 'runs' : until]))
    expect(ends).toMatchObject({ lease: second(30), request: second(20), browser: second(50), engine: 'runs' })
    expect(ends['operation']).toBe(new Date(Date.parse(second(6)) + 1500).toISOString())
  })
  test('the measured times stand with it, and no secret does', () => {
    expect(book.find({ latest: 'lease' })?.detail).toBe(
      'stuck Request to accepted 900 ms. Accepted to in control 12 ms. Given back.',
    )
    expect(book.find({ latest: 'handed-back' })?.detail).toContain('Hand-back to acting 310 ms.')
    expect(JSON.stringify(book.list())).not.toContain('canary')
  })
  test('a desktop is there from its start to its end, and a failure says why', () => {
    const { book, heard, audited, told } = rig()
    heard(1, 'desktop_state', { state: 'starting', reason: 'start asked for' })
    heard(2, 'desktop_state', { state: 'active', reason: 'started' })
    heard(3, 'desktop_state', { state: 'failed', reason: 'Xvnc ended by SIGKILL' })
    audited(4, 'start', { id: 'ghosthands-api' })
    audited(5, 'stop', {})
    expect(told()).toEqual([
      'browser: Desktop runs (up)',
      'browser: The desktop failed (broken)',
      'machine: Start ghosthands-api (off)',
      'machine: Stop (off)',
    ])
    expect(book.find({ latest: 'desktop' })).toMatchObject({ running: false, until: second(3) })
  })

  test('another agent ends what the last one left open', () => {
    heard(70, 'agent_started', { agentVersion: '0.1.0' })
    expect(book.list().filter(({ running }) => running)).toEqual([])
    expect(book.find({ latest: 'engine' })).toMatchObject({
      until: second(70),
      detail: expect.stringContaining('The agent ended'),
    })
  })
})

test('the same thing heard twice is one entry, with its newest words', () => {
  const { book, heard, audited } = rig()
  const trouble = {
    troubleId: 't',
    firstAt: second(1),
    source: 'console',
    text: 'TypeError: x\n  at y',
    url: null,
    line: 3,
  } as const
  heard(1, 'page_error', { ...trouble, count: 1 })
  heard(9, 'page_error', { ...trouble, count: 400 })
  expect(book.list()).toMatchObject([{ at: second(1), count: 400, title: 'TypeError: x' }])
  audited(10, 'exec', { command: 'sleep 1' }, { result: 'pending', durationMs: null })
  expect(book.find({ key: 'audit:10' })).toMatchObject({ running: true, until: null })
  audited(10, 'exec', { command: 'sleep 1' }, { durationMs: 1000 })
  expect(book.find({ key: 'audit:10' })).toMatchObject({ running: false, until: second(11) })
})

test('a deploy is one span from its first step to its end, with whoever asked for it', () => {
  const { book, heard, audited } = rig()
  const step = { deployId: 4, imageTag: 'v2', status: 'started', service: null, progress: 0.1 } as const
  heard(2, 'deploy_step', { ...step, step: 'pull', message: 'Pulling' })
  heard(5, 'deploy_step', { ...step, step: 'start', message: 'Starting' })
  heard(9, 'deploy_finished', { deployId: 4, imageTag: 'v2', status: 'rolled_back', message: 'never healthy' })
  audited(1, 'deploy', { image_tag: 'v2' }, { result: 'failure' })
  expect(book.list()).toMatchObject([
    { key: 'deploy:4', at: second(2), until: second(9), tone: 'broken', who: 'Ada', title: 'Deploy of v2 rolled back' },
  ])
})

test('a page that changes its title is not a journey', () => {
  const { book, heard } = rig()
  const at = { tabId: 't', active: true, url: 'https://x.example/inbox' }
  heard(1, 'page_navigated', { ...at, title: 'Inbox' })
  heard(2, 'page_navigated', { ...at, title: '(1) Inbox' })
  heard(3, 'page_navigated', { ...at, url: 'https://x.example/mail', title: 'Mail' })
  heard(4, 'page_navigated', { ...at, title: 'Behind', active: false })
  expect(book.list().map(({ title }) => title)).toEqual(['Mail', '(1) Inbox'])
})

test('pictures are taken where something went wrong or changed hands, and nowhere else', () => {
  const { heard } = rig()
  const operation = (result: string) =>
    heard(1, 'engine_operation', { runId: 'a', kind: 'act', platform: 'unknown', attempt: attempt(result, second(1)) })
  expect(pictureMoment(operation('success'))).toBeNull()
  expect(pictureMoment(operation('timed_out'))).toContain('operation:a')
  expect(pictureMoment(heard(2, 'takeover_lease', { change: 'taken', lease }))).toBe(`lease:${second(20)}`)
  expect(pictureMoment(heard(3, 'takeover_lease', { change: 'renewed', lease }))).toBeNull()
  expect(pictureMoment(heard(4, 'takeover_request', { change: 'raised', request }))).toBe('request:r1')
})
