import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type AdsPower, startAdsPower } from '../../e2e/rigs/adspower.ts'
import { startBrowser } from '../../shared/contract/browser.ts'
import { type BrowserParts, createBrowserParts } from '../browser/parts.ts'
import { LocalApi } from './local-api.ts'
import { AdsPowerProfiles } from './profiles.ts'

let ads: AdsPower
let dataDir: string
let parts: BrowserParts
beforeEach(async () => {
  ads = await startAdsPower()
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'adspower-'))
})
afterEach(async () => {
  await parts?.close()
  await ads.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

const events: Record<string, unknown>[] = []
function createParts(key?: string): BrowserParts {
  events.length = 0
  parts = createBrowserParts({
    ...{ dataDir, audit: { recordSystem: () => {} }, log: () => {} },
    publish: (_type, data) => events.push(data),
    adspower: { url: ads.url, key, intervalMs: 50 },
  })
  return parts
}
const start = (params: Record<string, unknown> = {}) =>
  parts.browser.start(startBrowser.params.parse({ provider: 'adspower', profileId: 'abc1', ...params }))

describe('a profile of AdsPower', () => {
  test.each(['newer API', 'older API'] as const)('is started, used and stopped where there is no %s', async (lacks) => {
    ads.mood.lacks = lacks
    ads.mood.key = 'the-key'
    createParts('the-key')
    const status = await start({ url: 'data:text/html,<title>hello' })
    expect(status).toMatchObject({ state: 'active', liveView: 'screencast', processes: [], display: null })
    // Its cookies are in AdsPower's profile: no context of the agent's is in use.
    expect([status.contextId, parts.browser.contextInUse]).toEqual([null, null])
    expect(ads.browsers.size).toBe(1)
    expect(status.cdpUrl).toContain(`127.0.0.1:${ads.browsers.get('abc1')?.port}/`)
    await expect.poll(async () => (await parts.browser.status()).url).toContain('hello')
    const { pages } = parts.browser.requireSession()
    expect(pages.network.list().map(({ url }) => url)).toContain('data:text/html,<title>hello')
    expect(ads.calls.every((call) => call.authorization === 'Bearer the-key')).toBe(true)
    expect(ads.calls.some((call) => call.line.includes('the-key'))).toBe(false)
    await parts.browser.stop()
    expect(ads.browsers.size).toBe(0)
    expect((await parts.browser.status()).state).toBe('inactive')
    if (lacks === 'newer API')
      expect(ads.calls.map((call) => call.line)).toEqual([
        'GET /api/v1/browser/start?user_id=abc1&open_tabs=1&headless=0',
        'GET /api/v1/browser/stop?user_id=abc1',
      ])
  })

  test('whose browser dies is noticed at once', async () => {
    createParts()
    await start({ profileId: '7' })
    process.kill(ads.browsers.get('7')?.pid ?? 0, 'SIGKILL')
    await expect.poll(async () => (await parts.browser.status()).state, { timeout: 5000 }).toBe('failed')
    expect((await parts.browser.status()).lastError?.message).toContain('AdsPower')
  })

  test('an error is shown in AdsPower’s own words, and a start without a profile is refused', async () => {
    createParts()
    ads.mood.error = { code: 9, msg: 'Profile does not exist' }
    await expect(start()).rejects.toMatchObject({ code: 'start-failed', message: 'AdsPower: Profile does not exist' })
    expect((await parts.browser.status()).state).toBe('failed')
    await expect(start({ profileId: undefined })).rejects.toMatchObject({ code: 'invalid-params' })
  })

  test.each([
    '',
    'garbage',
    '[]',
    '{"code":"x"}',
    '{"code":0,"data":null}',
    '{"code":0,"data":{"debug_port":"99999"}}',
  ])('an answer such as %j is a failed start', async (garbage) => {
    createParts()
    ads.mood.garbage = garbage
    await expect(start()).rejects.toMatchObject({ code: 'start-failed' })
  })

  test.each([
    'ws://10.0.0.1:9222/devtools/browser/x',
    'ws://evil.example:9222/x',
    'ws://127.0.0.1.evil.example:1/x',
    'nonsense',
  ])('an address such as %s is not followed', async (reportedAddress) => {
    createParts()
    ads.mood.reportedAddress = reportedAddress
    await expect(start()).rejects.toMatchObject({ message: expect.stringContaining('not followed') })
    expect(ads.browsers.size).toBe(0)
  })

  test('that does not answer', async () => {
    createParts()
    await ads.stop()
    await expect(start()).rejects.toMatchObject({ message: expect.stringContaining('does not answer') })
    ads = await startAdsPower()
  })
})

describe('the Local API', () => {
  test('is called no faster than it takes, however many ask, and again after it said so', async () => {
    ads.mood.minIntervalMs = 180
    const profiles = new AdsPowerProfiles(new LocalApi({ url: ads.url, key: undefined, intervalMs: 200 }))
    await Promise.all(Array.from({ length: 5 }, () => profiles.isActive('abc1')))
    const gaps = ads.calls.slice(1).map((call, index) => call.time - (ads.calls[index]?.time ?? 0))
    expect(ads.calls).toHaveLength(5)
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(190)
    const hasty = new AdsPowerProfiles(new LocalApi({ url: ads.url, key: undefined, intervalMs: 100 }))
    ads.mood.minIntervalMs = 300
    setTimeout(() => {
      ads.mood.minIntervalMs = 0
    }, 150)
    await hasty.isActive('abc1')
    expect(await hasty.isActive('abc1')).toBe(false)
  })

  test('passes no password on', async () => {
    const profiles = new AdsPowerProfiles(new LocalApi({ url: ads.url, key: undefined, intervalMs: 10 }))
    expect(await profiles.list()).toEqual([{ id: 'abc1', name: 'one' }])
  })

  test('that hangs is given up', async () => {
    ads.mood.delayMs = 1500
    const api = new LocalApi({ url: ads.url, key: undefined, timeoutMs: 200 })
    await expect(api.call('GET', '/api/v1/browser/active', {})).rejects.toMatchObject({
      message: expect.stringContaining('within 0.2 s'),
    })
  })
})
