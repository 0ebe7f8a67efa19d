import type { BrowserService } from '../browser/browser.service.ts'

const drawLimitMs = 3000

/** The page in front as a small JPEG, over the agent's own connection; null when it cannot be drawn. */
export async function drawPage(browser: BrowserService): Promise<Uint8Array | null> {
  const front = browser.session?.pages.front
  if (front == null) return null
  try {
    // Not scaled down by Chromium: that would lay out the page anew, under an operator's eyes.
    const options = { format: 'jpeg', quality: 30, optimizeForSpeed: true }
    const { data } = await front.cdp.send('Page.captureScreenshot', options, drawLimitMs)
    return Buffer.from(String(data), 'base64')
  } catch {
    return null
  }
}
