import { expect, test } from 'vitest'
import { AutoStop, busyReason, type IdleFacts } from './auto-stop.ts'

const minute = 60_000
const idle: IdleFacts = { activeJobs: 0, openTerminals: 0, leaseHolder: null, deploying: false }
const at = (autoStop: AutoStop, now: number, changed: Partial<Parameters<AutoStop['look']>[0]> = {}) =>
  autoStop.look({ enabled: true, idleMinutes: 30, keepUntil: undefined, busy: undefined, now, ...changed }).kind

test('a job, a terminal, a lease and a deploy each keep a machine up; not knowing does too', () => {
  expect(busyReason(idle)).toBeUndefined()
  expect(busyReason({ ...idle, activeJobs: 2 })).toBe('2 active jobs')
  expect(busyReason({ ...idle, openTerminals: 1 })).toBe('an open terminal')
  expect(busyReason({ ...idle, leaseHolder: 'ada' })).toBe('ada has control')
  expect(busyReason({ ...idle, deploying: true })).toBe('a deploy')
  expect(busyReason(undefined)).toBeNull()
})

test('a warning five minutes before, once, and then the stop', () => {
  const autoStop = new AutoStop()
  const seen = Array.from({ length: 32 }, (_, index) => at(autoStop, index * minute))
  expect(seen.indexOf('warn')).toBe(25)
  expect(seen.filter((kind) => kind === 'warn')).toHaveLength(1)
  expect(seen.indexOf('stop')).toBe(30)
})

test('whatever happens meanwhile begins the count anew', () => {
  const autoStop = new AutoStop()
  at(autoStop, 0)
  expect(at(autoStop, 26 * minute)).toBe('warn')
  expect(at(autoStop, 28 * minute, { busy: 'an open terminal' })).toBe('none')
  expect(at(autoStop, 31 * minute)).toBe('none')
  expect(at(autoStop, 57 * minute)).toBe('warn')
  expect(at(autoStop, 58 * minute, { busy: null })).toBe('none')
  expect(at(autoStop, 62 * minute)).toBe('none')
})

test('kept up for an hour, it is warned of again before that hour ends', () => {
  const autoStop = new AutoStop()
  at(autoStop, 0)
  at(autoStop, 26 * minute)
  autoStop.reset()
  const keepUntil = 86 * minute
  const seen = Array.from({ length: 70 }, (_, index) => at(autoStop, (27 + index) * minute, { keepUntil }))
  const first = (kind: string) => 27 + seen.indexOf(kind as 'warn')
  expect(first('warn')).toBe(86)
  expect(first('stop')).toBe(91)
})

test('nobody is switched off unwarned, even when nobody looked for hours', () => {
  const autoStop = new AutoStop()
  at(autoStop, 0)
  expect(at(autoStop, 300 * minute)).toBe('warn')
  expect(at(autoStop, 301 * minute)).toBe('none')
  expect(at(autoStop, 305 * minute)).toBe('stop')
})

test('turned off, it never decides', () => {
  const autoStop = new AutoStop()
  for (let now = 0; now < 100; now++) expect(at(autoStop, now * minute, { enabled: false })).toBe('none')
})
