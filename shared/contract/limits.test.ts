import { describe, expect, test } from 'vitest'
import { auditActions } from './audit-actions.ts'
import type { CallDefinition } from './define.ts'
import { type CallName, calls, callsByName, sockets } from './index.ts'
import { capabilityNames } from './machine.ts'

/** What others rely on, number by number: the fleet's clients were written against these. */

const given = (name: CallName, params: object) => callsByName[name].params.safeParse(params)
const filled = (name: CallName, params: object) => callsByName[name].params.parse(params) as Record<string, unknown>

describe('what is not said has the value it always had', () => {
  test.each([
    ['exec.run', { command: 'x' }, { timeout_ms: 30_000 }],
    ['logs.get', { service: 'api' }, { lines: 200 }],
    ['workers.start', {}, { maxConcurrentJobs: 1 }],
    ['workers.stop', { id: 'a' }, { graceful: true }],
    ['env.set', { vars: {} }, { restart: false }],
    ['deploys.deploy', { image_tag: 'v1' }, { force: false }],
    ['audit.list', {}, { page: 1 }],
  ] as const)('%s %o', (name, params, values) => {
    expect(filled(name, params)).toMatchObject(values)
  })
})

describe('limits are where they are said to be', () => {
  test.each([
    ['exec.run', 'timeout_ms', 1000, 300_000, { command: 'x' }],
    ['logs.get', 'lines', 1, 5000, { service: 'api' }],
    ['workers.start', 'maxConcurrentJobs', 1, 5, {}],
  ] as const)('%s %s from %i to %i', (name, key, least, most, rest) => {
    for (const value of [least, most]) expect(given(name, { ...rest, [key]: value }).success).toBe(true)
    for (const value of [least - 1, most + 1, least + 0.5, String(least)])
      expect([value, given(name, { ...rest, [key]: value }).success]).toEqual([value, false])
  })

  test('a command has 2000 characters at most, a lease 15 minutes', () => {
    const command = (length: number) => given('exec.run', { command: 'x'.repeat(length) }).success
    expect([command(2000), command(2001)]).toEqual([true, false])
    const lease = (ttlMs: number) => given('takeover.take', { operator: 'Ann', ttlMs }).success
    expect([lease(15 * 60_000), lease(15 * 60_000 + 1)]).toEqual([true, false])
  })

  test('no socket takes a large frame', () => {
    for (const { name, maxFrameBytes, proxied } of sockets)
      if (!proxied) expect([name, maxFrameBytes <= 1024 * 1024]).toEqual([name, true])
  })
})

test('every call that changes something is audited; what only looks is not', () => {
  // Two that change nothing, by a method that carries a body: one waits for the page, the other gives a pass for a
  // socket, and whoever opens one that changes something stands in the audit.
  const looks = calls.filter(({ method, audit }) => method !== 'GET' && audit === undefined).map(({ name }) => name)
  expect(looks.sort()).toEqual(['browser.wait', 'tickets.create'])
})

test('an audit row says what it was about before it is acted: by a parameter, or because its action is of one call only', () => {
  const sharing = (call: CallDefinition) => calls.filter(({ audit }) => audit === call.audit).length > 1
  const unclear = (calls as readonly CallDefinition[]).filter(
    (call) =>
      call.audit !== undefined &&
      sharing(call) &&
      call.auditSubject === undefined &&
      Object.keys(call.params.shape).length === 0,
  )
  expect(unclear.map(({ name }) => name)).toEqual([])
})

test('a worker that was started is 201, and what existing clients read keeps its names', () => {
  expect(callsByName['workers.start'].successStatus).toBe(201)
  expect(Object.keys(callsByName['deploys.deploy'].params.shape)).toContain('image_tag')
  expect(Object.keys(callsByName['deploys.drain'].params.shape)).toContain('worker_id')
})

test('the names of actions and capabilities that others know are all there', () => {
  const known =
    'start stop deploy rollback drain set_env delete_env reveal_env exec terminal_open terminal_close start_worker stop_worker build terminate health_check restart_service screenshot takeover hand_back engine_switch rotate_secret browser_start browser_stop cdp_attach recording_start recording_stop'
  expect(known.split(' ').filter((name) => !(auditActions as readonly string[]).includes(name))).toEqual([])
  const parts = 'docker display vnc chromium adspower pty recording engines'
  expect(parts.split(' ').filter((name) => !(capabilityNames as readonly string[]).includes(name))).toEqual([])
})
