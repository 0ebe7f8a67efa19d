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
  const busyAt = new Map<number, string | null>([
    [28, 'an open terminal'],
    [58, null],
  ])
  const seen = Array.from({ length: 80 }, (_, index) =>
    at(autoStop, index * minute, busyAt.has(index) ? { busy: busyAt.get(index) } : {}),
  )
  expect(seen.flatMap((kind, index) => (kind === 'none' ? [] : [`${kind} ${index}`]))).toEqual(['warn 25', 'warn 54'])
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
  const from = (start: number) => Array.from({ length: 6 }, (_, index) => at(autoStop, (start + index) * minute))
  expect(from(300)).toEqual(['warn', 'none', 'none', 'none', 'none', 'stop'])
})

test('a computer that slept through the warning warns again before it stops anything', () => {
  const autoStop = new AutoStop()
  const seen = Array.from({ length: 27 }, (_, index) => at(autoStop, index * minute))
  expect(seen.at(25)).toBe('warn')
  const after = Array.from({ length: 6 }, (_, index) => at(autoStop, (600 + index) * minute))
  expect(after).toEqual(['warn', 'none', 'none', 'none', 'none', 'stop'])
})

test('turned off, it never decides', () => {
  const autoStop = new AutoStop()
  for (let now = 0; now < 100; now++) expect(at(autoStop, now * minute, { enabled: false })).toBe('none')
})
