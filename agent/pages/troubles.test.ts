import { expect, test, vi } from 'vitest'
import type { OpenPages } from './open-pages.ts'
import { PageEvents } from './page-events.ts'
import { announceTroubles } from './troubles.ts'

const before = { list: () => [] }

function rig() {
  const events = new PageEvents()
  const told: Record<string, unknown>[] = []
  const stop = announceTroubles(
    { events, console: before, network: before } as unknown as OpenPages,
    (type, data) => void told.push({ type, ...data }),
  )
  const error = (text: string, line = 1) =>
    events.emit({
      type: 'console',
      level: 'error',
      text,
      url: 'https://x.example/a.js',
      line,
      timestamp: '2026-01-01T00:00:00.000Z',
    })
  const request = (url: string, status: number | null, failed: string | null = null) =>
    events.emit({
      ...{ type: 'network', url, method: 'GET', status, failed, timestamp: '2026-01-01T00:00:00.000Z' },
      ...{ mimeType: null, responseSize: null, duration: 1 },
    })
  return { told, stop, error, request, events }
}

test('a flood of one error is a handful of rows with an exact count', () => {
  const { told, stop, error } = rig()
  for (let i = 0; i < 12_345; i++) error(`Tick ${i} of the loop failed`)
  stop()
  expect(told.map(({ count }) => count)).toEqual([1, 10, 100, 1000, 10_000, 12_345])
  expect(new Set(told.map(({ troubleId }) => troubleId)).size).toBe(1)
})

test('a flood of different errors is cut at twenty a minute, and the rest is counted', () => {
  vi.useFakeTimers()
  try {
    const { told, stop, error } = rig()
    const word = (i: number) => i.toString(2).replaceAll('0', 'a').replaceAll('1', 'b')
    for (let i = 0; i < 5000; i++) error(`Error ${word(i)}`)
    expect(told.filter(({ source }) => source === 'console')).toHaveLength(20)
    vi.advanceTimersByTime(60_000)
    expect(told.length).toBeLessThan(30)
    expect(told.at(-1)).toMatchObject({ source: 'rest', count: 4980, text: '4980 more errors of other kinds' })
    // The next minute begins anew.
    error('Error again')
    expect(told.at(-1)).toMatchObject({ source: 'console', count: 1 })
    stop()
  } finally {
    vi.useRealTimers()
  }
})

test('requests fail by status or by the network; given-up ones and the browser’s words for them are left out', () => {
  const { told, stop, error, request, events } = rig()
  request('https://x.example/fine', 200)
  request('https://x.example/left', null, 'net::ERR_ABORTED')
  error('Failed to load resource: the server responded with a status of 500 ()')
  request('https://x.example/api/1?token=canary', 500)
  request('https://x.example/api/2?token=canary', 500)
  request('https://x.example/api/1', null, 'net::ERR_CONNECTION_REFUSED')
  events.emit({ type: 'crash', tabId: 't', url: 'https://x.example/#access_token=canary' })
  stop()
  expect(told.map(({ type, source, status, count }) => [type, source, status, count])).toEqual([
    ['request_failed', 'request', 500, 1],
    ['request_failed', 'request', null, 1],
    ['page_error', 'crash', undefined, 1],
    ['request_failed', 'request', 500, 2],
  ])
  expect(JSON.stringify(told)).not.toContain('canary')
})
