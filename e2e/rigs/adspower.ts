import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Chromium, startChromium } from './chromium.ts'

/** How the double behaves, for tests of what AdsPower does on a bad day. */
export interface AdsPowerMood {
  /** Answers the calls of that kind with 404. */
  lacks: 'older API' | 'newer API' | undefined
  key: string | undefined
  delayMs: number
  /** Instead of an answer. */
  garbage: string | undefined
  error: { code: number; msg: string } | undefined
  /** What it says of the browser's address, instead of the truth. */
  reportedAddress: string | undefined
  minIntervalMs: number
}

export interface AdsPower {
  url: string
  mood: AdsPowerMood
  /** `METHOD path?query`, and when. */
  calls: { line: string; body: string; time: number; authorization: string | undefined }[]
  browsers: Map<string, Chromium>
  stop(): Promise<void>
}

/** A local server that answers as AdsPower's Local API does, and starts a real Chromium. */
export async function startAdsPower(mood: Partial<AdsPowerMood> = {}): Promise<AdsPower> {
  const browsers = new Map<string, Chromium>()
  const calls: AdsPower['calls'] = []
  const current: AdsPowerMood = {
    ...{ lacks: undefined, key: undefined, delayMs: 0, garbage: undefined, error: undefined },
    ...{ reportedAddress: undefined, minIntervalMs: 0 },
    ...mood,
  }
  let last = 0

  const act = async (path: string, id: string): Promise<unknown> => {
    if (path.endsWith('/start')) {
      const browser = browsers.get(id) ?? (await startChromium())
      browsers.set(id, browser)
      const version = (await (await fetch(`${browser.cdpUrl}/json/version`)).json()) as Record<string, string>
      const puppeteer = current.reportedAddress ?? version['webSocketDebuggerUrl']
      return {
        ws: { puppeteer, selenium: `127.0.0.1:${browser.port}` },
        debug_port: String(browser.port),
        webdriver: '',
      }
    }
    if (path.endsWith('/stop')) {
      await browsers.get(id)?.stop()
      browsers.delete(id)
      return {}
    }
    if (path.endsWith('/active')) return { status: browsers.has(id) ? 'Active' : 'Inactive' }
    const entry = { name: 'one', username: 'ann', password: 'canary-password', fakey: 'canary-2fa' }
    return { list: [{ profile_id: 'abc1', user_id: 'abc1', serial_number: '7', ...entry }], page: 1 }
  }

  const answer = async (request: http.IncomingMessage, body: string): Promise<{ status: number; text: string }> => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const now = Date.now()
    const tooSoon = now - last < current.minIntervalMs
    last = now
    await sleep(current.delayMs)
    if (current.garbage !== undefined) return { status: 200, text: current.garbage }
    const say = (code: number, msg: string, data: unknown = {}) => ({
      status: 200,
      text: JSON.stringify({ code, msg, data }),
    })
    if (current.key !== undefined && request.headers.authorization !== `Bearer ${current.key}`)
      return say(-1, 'Api Key verification failed')
    if (tooSoon) return say(-1, 'Too many request per second, please check')
    if (current.error !== undefined) return say(current.error.code, current.error.msg)
    const newer = url.pathname.startsWith('/api/v2/browser-profile/')
    const older = url.pathname.startsWith('/api/v1/')
    const isThere = (newer && current.lacks !== 'newer API') || (older && current.lacks !== 'older API')
    if (!isThere) return { status: 404, text: 'Not Found' }
    const params = request.method === 'POST' ? JSON.parse(body || '{}') : Object.fromEntries(url.searchParams)
    const { profile_id, profile_no, user_id, serial_number } = params as Record<string, string>
    return say(0, 'success', await act(url.pathname, profile_id ?? user_id ?? profile_no ?? serial_number ?? ''))
  }

  const server = http.createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += String(chunk)
    })
    request.on('end', () => {
      calls.push({
        line: `${request.method} ${request.url}`,
        ...{ body, time: Date.now(), authorization: request.headers.authorization },
      })
      answer(request, body).then(
        ({ status, text }) => response.writeHead(status, { 'content-type': 'application/json' }).end(text),
        () => response.destroy(),
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mood: current,
    calls,
    browsers,
    async stop() {
      for (const browser of browsers.values()) await browser.stop()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
