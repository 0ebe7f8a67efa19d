import { expect, test } from 'vitest'
import type { CdpConnection } from './cdp.ts'
import { Heartbeat, usualPulse } from './heartbeat.ts'

const pulse = { everyMs: 5, noticeMs: 20, limitMs: 200 }

/** A Chromium that answers at once, until it is told not to. */
function chromium() {
  const state = { frozen: false, asked: 0 }
  let answer = () => {}
  const cdp = {
    open: true,
    send(_method: string, _params: object, { timeoutMs }: { timeoutMs: number }) {
      state.asked++
      if (!state.frozen) return Promise.resolve({})
      return new Promise((resolve, reject) => {
        answer = () => resolve({})
        setTimeout(() => reject(new Error('Chromium did not answer')), timeoutMs)
      })
    },
  } as unknown as CdpConnection
  return { state, cdp, thaw: () => answer() }
}

test('as it comes it says silence within two seconds, and ends nothing before ten', () => {
  expect(usualPulse.everyMs + usualPulse.noticeMs).toBeLessThan(2000)
  expect(usualPulse.limitMs).toBe(10_000)
})

test('silence is said, and taken back when there is an answer', async () => {
  const { state, cdp, thaw } = chromium()
  const ended = new AbortController()
  const heartbeat = new Heartbeat({ cdp, display: null }, ended.signal, { ...pulse, limitMs: 60_000 })
  const told: (string | undefined)[] = []
  heartbeat.onChange(() => told.push(heartbeat.silence))
  await expect.poll(() => state.asked).toBeGreaterThan(2)
  expect(heartbeat.silence).toBeUndefined()
  state.frozen = true
  await expect.poll(() => heartbeat.silence).toBe('Chromium has not answered for 0.02 s.')
  state.frozen = false
  thaw()
  await expect.poll(() => heartbeat.silence).toBeUndefined()
  expect(told).toEqual(['Chromium has not answered for 0.02 s.', undefined])
  ended.abort()
})

test('a part that stays silent is given up after its limit', async () => {
  const { state, cdp } = chromium()
  state.frozen = true
  const heartbeat = new Heartbeat({ cdp, display: null }, new AbortController().signal, pulse)
  expect(await heartbeat.stopped).toContain('does not answer any more: Chromium did not answer')
})

test('nothing is asked, or said, once it is over', async () => {
  const { state, cdp } = chromium()
  const ended = new AbortController()
  const heartbeat = new Heartbeat({ cdp, display: null }, ended.signal, pulse)
  let said = false
  void heartbeat.stopped.then(() => {
    said = true
  })
  await expect.poll(() => state.asked).toBeGreaterThan(2)
  ended.abort()
  const { asked } = state
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect([state.asked, said]).toEqual([asked, false])
})
