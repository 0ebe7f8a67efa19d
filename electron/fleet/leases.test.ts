import { beforeEach, expect, test } from 'vitest'
import type { AgentClient } from '../../shared/client/client.ts'
import { Problem } from '../../shared/errors.ts'
import { TestClock } from '../test-clock.ts'
import { LeaseWatch } from './lease-watch.ts'
import { Leases } from './leases.ts'

let clock: TestClock
let leases: Leases
let watch: LeaseWatch
let said: string[]
let renewals: number
let gone: boolean
/** What giving back meets. */
let failure: Problem | undefined

const lease = {
  ...{ leaseId: 'l', operator: 'ada', reason: '' },
  ...{ takenAt: '2026-01-01T00:00:00.000Z', expiresAt: '2026-01-01T00:05:00.000Z' },
}
const call = async (name: string) => {
  if (name === 'takeover.renew' && gone) throw new Problem('lease-gone', 'That lease has ended.')
  if (name === 'takeover.renew') renewals++
  if (name === 'takeover.handBack' && failure !== undefined) throw failure
  return name === 'takeover.handBack' ? { ok: true, handedBackTo: 'none', heldMs: 1 } : lease
}
const client = { call } as unknown as AgentClient
const take = (machineId: string, ttlMs = 300_000) => leases.take(machineId, client, { operator: 'ada', ttlMs })
const given = { outcome: 'resolved', note: '' }

beforeEach(() => {
  clock = new TestClock()
  leases = new Leases(clock)
  said = []
  renewals = 0
  gone = false
  failure = undefined
  const tell = (machineId: string, news: string, leftMs: number) => said.push(`${machineId} ${news} ${leftMs}`)
  watch = new LeaseWatch({ clock, leases, tell })
  leases.onChange = (machineId, change) => watch.changed(machineId, change)
})

test('each lease held here is warned about a minute before its end, and keeping it takes that back', async () => {
  await take('a')
  await clock.advance(30_000)
  await take('b')
  await clock.advance(209_999)
  expect(said).toEqual([])
  await clock.advance(1)
  expect(said.splice(0)).toEqual(['a ending 60000'])
  expect([watch.isEnding('a'), watch.isEnding('b')]).toEqual([true, false])
  await leases.stillHere('a', true)
  expect(said.splice(0)).toEqual(['a settled 0'])
  expect(watch.isEnding('a')).toBe(false)
  await clock.advance(30_000)
  expect(said.splice(0)).toEqual(['b ending 60000'])
  await leases.giveBack('b', given)
  expect(said.splice(0)).toEqual(['b settled 0'])
  await clock.advance(210_000)
  expect(said).toEqual(['a ending 60000'])
})

test('a lease of a minute is warned about at half its time', async () => {
  await take('a', 60_000)
  await clock.advance(29_999)
  expect(said).toEqual([])
  await clock.advance(1)
  expect(said).toEqual(['a ending 30000'])
})

test('that control has run out is said: by the machine, by a renewal that fails, or after its silence', async () => {
  await take('a')
  leases.forget('a', 'ran_out')
  expect(said.splice(0)).toEqual(['a ran_out 0'])
  await take('a')
  said.length = 0
  leases.forget('a', 'lost')
  expect(said.splice(0)).toEqual(['a lost 0'])
  // Taken again, it is no longer so.
  await take('a')
  expect(said.splice(0)).toEqual(['a settled 0'])
  gone = true
  await expect(leases.stillHere('a', true)).rejects.toMatchObject({ code: 'lease-gone' })
  expect(said.splice(0)).toEqual(['a ran_out 0'])
  await take('a')
  said.length = 0
  await clock.advance(304_999)
  expect(said.splice(0)).toEqual(['a ending 60000'])
  await clock.advance(1)
  expect(said).toEqual(['a settled 0', 'a ran_out 0'])
  expect(leases.leaseId('a')).toBeUndefined()
})

test('what is given back has not run out, and nothing is said of it later', async () => {
  await take('a')
  await leases.giveBack('a', given)
  await clock.advance(600_000)
  expect(said).toEqual([])
})

test('what the machine says while it is given back is not taken for a loss', async () => {
  await take('a')
  const back = leases.giveBack('a', given)
  leases.forget('a', 'lost')
  await back
  expect(said).toEqual([])
})

test('what ended before it was given back is not taken for given back; where the answer was lost it may be', async () => {
  await take('a')
  failure = new Problem('lease-gone', 'That lease has ended.')
  await expect(leases.giveBack('a', given)).rejects.toMatchObject({ code: 'lease-gone' })
  expect(said.splice(0)).toEqual(['a ran_out 0'])
  expect(leases.leaseId('a')).toBeUndefined()
  await take('a')
  failure = new Problem('unreachable', 'The connection ended.')
  await expect(leases.giveBack('a', given)).rejects.toMatchObject({ code: 'unreachable' })
  expect(leases.leaseId('a')).toBe('l')
  failure = new Problem('lease-gone', 'That lease has ended.')
  said.length = 0
  expect(await leases.giveBack('a', given)).toBeNull()
  expect([leases.leaseId('a'), said]).toEqual([undefined, []])
})

test('work goes on renewing after this computer’s clock was set back', async () => {
  await take('a')
  clock.set(clock.now() - 3600_000)
  await leases.stillHere('a')
  expect(renewals).toBe(1)
})

test('a machine that names times that are none, or promises too much, gives what was asked for', async () => {
  for (const expiresAt of ['soon', '2099-01-01T00:00:00.000Z']) {
    const odd = { call: async () => ({ ...lease, expiresAt }) } as unknown as AgentClient
    expect(await leases.take('a', odd, { operator: 'ada', ttlMs: 60_000 })).toBe('2026-01-01T00:01:00.000Z')
  }
})
