import { expect, test } from 'vitest'
import { Problem } from '../../shared/errors.ts'
import type { AuditIntent, AuditOutcome } from '../store/audit.ts'
import { TestClock } from '../test-clock.ts'
import { createAuditor } from './audited.ts'

const canary = 'canary-secret-9f3b'

function recorder() {
  const rows: (AuditIntent & Partial<AuditOutcome>)[] = []
  const audit = {
    begin: (intent: AuditIntent) => rows.push({ ...intent }) - 1,
    finish: (id: number, outcome: AuditOutcome) => void Object.assign(rows[id] ?? {}, outcome),
  }
  const nameOf = (id: string) => ({ m1: 'shop-1' })[id]
  return { rows, record: createAuditor({ audit, operator: () => 'ada', nameOf, clock: new TestClock() }) }
}

test('an intent stands before its act, and the result with it afterwards', () => {
  const { rows, record } = recorder()
  const finish = record('power.stop', { machineId: 'm1' })
  expect(rows).toMatchObject([{ action: 'stop', sandboxId: 'm1', operator: 'ada' }])
  expect(rows[0]?.result).toBeUndefined()
  finish?.(new Problem('forbidden', 'AWS does not let you.'))
  expect(rows[0]).toMatchObject({ result: 'failure', errorMessage: 'AWS does not let you.' })
  record('fleet.wake', { machineId: 'm1' })?.(new Error(`a bug with ${canary} in it`))
  expect(rows[1]).toMatchObject({ result: 'error', errorMessage: 'unexpected failure' })
})

test('a row says what its machine was called: it is read when the machine is gone', () => {
  const { rows, record } = recorder()
  record('fleet.remove', { machineId: 'm1' })?.()
  record('fleet.remove', { machineId: 'nobody' })?.()
  expect(rows).toMatchObject([
    { action: 'remove_machine', sandboxId: 'm1', details: { machine: 'shop-1' } },
    { action: 'remove_machine', sandboxId: 'nobody', details: {} },
  ])
})

test('what only looks is not recorded', () => {
  const { rows, record } = recorder()
  expect(record('fleet.list', {})).toBeUndefined()
  expect(record('agent.call', { machineId: 'm1', call: 'machine.status', params: {} })).toBeUndefined()
  expect(rows).toEqual([])
})

test('no secret that a person types in reaches the record', () => {
  const { rows, record } = recorder()
  record('fleet.setSecret', { machineId: 'm1', secret: canary })?.()
  record('fleet.add', {
    name: 'x',
    environment: 'dev',
    machineType: 'ec2',
    tunnel: { kind: 'local' },
    secret: canary,
  })?.()
  record('aws.setKeys', { name: 'ops', accessKeyId: canary, secretAccessKey: canary, sessionToken: canary })?.()
  record('prompt.answer', { id: '1', action: 'answer', answers: [canary], remember: true })?.()
  record('agent.call', { machineId: 'm1', call: 'env.set', params: { vars: { KEY: canary } } })?.()
  record('stream.open', { machineId: 'm1', socket: 'exec', params: { command: `x ${canary}` } })?.()
  record('registry.setLogin', { environment: 'dev', username: 'ci', password: canary })?.()
  record('app.openLink', { url: `https://example.org/reset?token=${canary}` })?.()
  expect(rows).toHaveLength(8)
  expect(rows[7]).toMatchObject({ action: 'open_link', details: { host: 'example.org' } })
  expect(JSON.stringify(rows)).not.toContain(canary)
  expect(rows[4]).toMatchObject({ action: 'set_env', details: { call: 'env.set', given: ['vars'] } })
})
