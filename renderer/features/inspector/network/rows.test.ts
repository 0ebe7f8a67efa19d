// biome-ignore lint/style/noRestrictedImports: only a shell can say what a shell reads
import { execFileSync } from 'node:child_process'
import { RE2JS } from 're2js'
import { describe, expect, test } from 'vitest'
import { curlOf } from './curl.ts'
import { patternOf } from './pattern.ts'
import { recordedRow } from './record.ts'
import {
  answered,
  durationOf,
  ended,
  failedRow,
  isFailure,
  type NetworkRow,
  nameOf,
  phasesOf,
  sentRow,
} from './rows.ts'

const sent = (request: Record<string, unknown> = {}): NetworkRow =>
  sentRow(
    {
      requestId: '1',
      timestamp: 10,
      wallTime: 1000,
      type: 'Fetch',
      request: { url: 'https://shop.example/api/cart?id=7', method: 'GET', headers: {}, ...request },
    },
    'k',
    undefined,
  )
const timing = {
  ...{ requestTime: 10.002, proxyStart: -1, proxyEnd: -1, workerStart: -1 },
  ...{ dnsStart: 1, dnsEnd: 3, connectStart: 3, connectEnd: 9, sslStart: 5, sslEnd: 9 },
  ...{ sendStart: 9, sendEnd: 10, receiveHeadersEnd: 30 },
}

test('a request grows from its beginning to its end', () => {
  const row = ended(answered(sent(), { status: 200, mimeType: 'application/json', timing }), { timestamp: 10.05 }, 321)
  expect(row).toMatchObject({ status: 200, size: 321, at: 1_000_000, type: 'Fetch' })
  expect(durationOf(row)).toBeCloseTo(50)
  expect(durationOf(sent())).toBeNull()
  expect(isFailure(row)).toBe(false)
  expect(isFailure({ ...row, status: 404 })).toBe(true)
})

test('one that failed says why', () => {
  expect(failedRow(sent(), { timestamp: 11, errorText: 'net::ERR_FAILED', blockedReason: 'csp' }).failed).toBe(
    'net::ERR_FAILED (csp)',
  )
  expect(failedRow(sent(), { timestamp: 11, canceled: true, errorText: 'net::ERR_ABORTED' }).failed).toBe('cancelled')
})

test('an answer that has no body is whole, whether the page reads that or not', () => {
  const unread = { timestamp: 11, canceled: true, errorText: 'net::ERR_ABORTED' }
  expect(failedRow(answered(sent(), { status: 204 }), unread)).toMatchObject({ status: 204, failed: null, endedAt: 11 })
  expect(failedRow(answered(sent(), { status: 200 }), unread).failed).toBe('cancelled')
})

test('the phases follow each other and make up the whole', () => {
  const row = ended(answered(sent(), { status: 200, timing }), { timestamp: 10.05 }, 1)
  const phases = phasesOf(row)
  expect(phases.map(({ name }) => name)).toEqual([
    'Queued',
    'Waiting to start',
    'DNS',
    'Connecting',
    'TLS',
    'Sending',
    'Waiting for the answer',
    'Receiving',
  ])
  expect(phases.reduce((sum, { ms }) => sum + ms, 0)).toBeCloseTo(durationOf(row) ?? 0)
  for (const [place, phase] of phases.slice(1).entries()) {
    const before = phases[place]
    expect(phase.from).toBeCloseTo((before?.from ?? 0) + (before?.ms ?? 0))
  }
})

test('names are short, whatever the address is', () => {
  expect(nameOf('https://shop.example/api/cart?id=7')).toBe('cart?id=7')
  expect(nameOf('https://shop.example/')).toBe('shop.example')
  expect(nameOf(`data:text/html,${'x'.repeat(1000)}`).length).toBeLessThan(60)
  expect(nameOf('no address')).toBe('no address')
})

test('the agent’s record is an outline', () => {
  const row = recordedRow(
    {
      ...{ url: 'https://a.example/x.css', method: 'GET', status: 200, mimeType: 'text/css', responseSize: 9 },
      duration: 20,
      timestamp: '2026-01-01T00:00:00.000Z',
      failed: null,
    },
    'r',
  )
  expect(row).toMatchObject({ recorded: true, type: 'Stylesheet', size: 9 })
  expect(durationOf(row)).toBeCloseTo(20)
})

describe('as a command for a shell', () => {
  test('a shell reads exactly what was sent, whatever stands in it', () => {
    const url = `https://shop.example/a?b='$(touch /nowhere)'&c=\`id\`;d`
    const headers = {
      'X-Odd': `it's "so"; $HOME`,
      Cookie: 'session=canary',
      authorization: 'Bearer canary',
      ':path': '/x',
    }
    const command = curlOf(sent({ url, headers, method: 'POST', postData: "a='1'\nb=2\u001b[201~" }))
    expect(command).not.toContain('canary')
    const script = `curl() { for one in "$@"; do printf '%s\\0' "$one"; done; }; ${command}`
    const read = execFileSync('sh', ['-c', script]).toString().split('\0').slice(0, -1)
    expect(read).toEqual([url, '-H', `X-Odd: it's "so"; $HOME`, '--data-raw', "a='1'\nb=2[201~", '--compressed'])
  })

  test('other methods are named', () => {
    expect(curlOf(sent({ method: 'DELETE' }))).toContain("-X 'DELETE'")
  })
})

describe('the pattern', () => {
  const found = (typed: string, url: string) => {
    const pattern = patternOf(typed, RE2JS)
    return pattern.kind === 'matches' ? pattern.test(url) : pattern.kind
  }
  test('is plain text, or an expression between slashes', () => {
    expect(found('CART', 'https://x/cart')).toBe(true)
    expect(found('a.c', 'https://x/abc')).toBe(false)
    expect(found('/a.c$/', 'https://x/abc')).toBe(true)
    expect(found('/ABC/i', 'https://x/abc')).toBe(true)
    expect(found('', 'x')).toBe('all')
    expect(found('/(/', 'x')).toBe('invalid')
    expect(found('/(?=a)/', 'x')).toBe('invalid')
  })

  test('cannot hang the window', () => {
    // With backtracking this takes longer than the universe has.
    expect(found('/(a+)+$/', `${'a'.repeat(2000)}b`)).toBe(false)
  })
})
