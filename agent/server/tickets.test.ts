import { expect, test, vi } from 'vitest'
import { Tickets } from './tickets.ts'

function tickets() {
  const clock = { now: 1_000_000 }
  return { clock, tickets: new Tickets(() => clock.now) }
}

test('a ticket lives for 30 s, and not a moment longer', () => {
  for (const [later, good] of [
    [0, true],
    [29_999, true],
    [30_000, false],
    [3_600_000, false],
  ] as const) {
    const { clock, tickets: all } = tickets()
    const { ticket, expiresAt } = all.issue('/ws/events')
    expect(expiresAt.getTime()).toBe(clock.now + 30_000)
    clock.now += later
    expect([later, all.redeem(ticket, '/ws/events')]).toEqual([later, good])
  }
})

test('a clock that is set meanwhile ends none, and lets none live longer', () => {
  const clock = vi.spyOn(Date, 'now')
  const all = new Tickets()
  for (const hours of [-1, 1]) {
    const { ticket } = all.issue('/ws/events')
    clock.mockReturnValue(Date.now() + hours * 3_600_000)
    expect([hours, all.redeem(ticket, '/ws/events')]).toEqual([hours, true])
  }
  clock.mockRestore()
})

test('once, on its own path; any use spends it', () => {
  const { tickets: all } = tickets()
  const first = all.issue('/ws/events').ticket
  expect([all.redeem(first, '/ws/events'), all.redeem(first, '/ws/events')]).toEqual([true, false])
  const second = all.issue('/ws/events').ticket
  expect([all.redeem(second, '/ws/logs'), all.redeem(second, '/ws/events')]).toEqual([false, false])
})

test('guesses of any length are refused, and no two tickets are the same', () => {
  const { tickets: all } = tickets()
  const made = Array.from({ length: 100 }, () => all.issue('/ws/events').ticket)
  expect(new Set(made).size).toBe(100)
  // Too many to try: 24 random bytes.
  for (const ticket of made) expect(Buffer.from(ticket, 'base64url')).toHaveLength(24)
  for (const guess of ['', 'x', 'x'.repeat(100_000), `${made[0]}x`]) expect(all.redeem(guess, '/ws/events')).toBe(false)
})

test('a client that asks for tickets without end loses its oldest, and grows nothing', () => {
  const { tickets: all } = tickets()
  const made = Array.from({ length: 1001 }, () => all.issue('/ws/events').ticket)
  expect(all.redeem(made[0] ?? '', '/ws/events')).toBe(false)
  expect(all.redeem(made[1] ?? '', '/ws/events')).toBe(true)
  expect(all.redeem(made[1000] ?? '', '/ws/events')).toBe(true)
})
