import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenedBrowser, openBrowser } from './rigs/opened-browser.ts'

/** A browser that someone else has control of, as whoever comes to it sees it. */
describe('a browser in the hands of someone else', () => {
  let opened: OpenedBrowser
  const lease = (state: string) => opened.console.window.locator(`[data-testid=lease-bar][data-lease=${state}]`)
  const take = (operator: string, reason: string) =>
    opened.agent.client.call('takeover.take', { operator, reason, ttlMs: 300_000 })

  beforeAll(async () => {
    opened = await openBrowser({
      answer: (_request, response) => {
        response.end('<!doctype html><title>Shop</title>')
      },
      ...{ first: '/shop', tab: 'live', headless: true },
    })
    await lease('none').waitFor()
  }, 180_000)
  afterAll(async () => {
    await opened?.stop()
  })

  test('the key that takes over says who has it, and what to do', async () => {
    const { window } = opened.console
    const { leaseId } = await take('Grace', 'a captcha')
    await lease('other').waitFor()
    await window.keyboard.press('t')
    await window.getByText('Grace has control of shop-1').first().waitFor({ timeout: 8000 })
    await window.getByText('Their reason: a captcha. Ask them to give it back.').first().waitFor({ timeout: 8000 })
    expect((await opened.agent.client.call('takeover.get')).lease?.operator).toBe('Grace')
    await opened.agent.client.call('takeover.handBack', { leaseId })
    await lease('none').waitFor()
    await window.keyboard.press('t')
    await lease('mine').waitFor()
  })
})
