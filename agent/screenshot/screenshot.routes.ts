import { Problem } from '../../shared/errors.ts'
import type { BrowserParts } from '../browser/parts.ts'
import type { Session } from '../browser/session.ts'
import type { DesktopService } from '../desktop/desktop.service.ts'
import { type Handlers, Reply } from '../server/handlers.ts'

/** A page that is busy draws late; one that hangs is not waited for. */
const drawMs = 10_000

export function screenshotRoutes(
  { browser, desktop }: Pick<BrowserParts, 'browser' | 'desktop'>,
  display: DesktopService,
): Pick<Handlers, 'machine.screenshot'> {
  return {
    'machine.screenshot': async (_params, context) => {
      const picture = desktop.screen === null ? await ofPage(browser) : await display.screenshot()
      context.note({ bytes: picture.length })
      return new Reply('image/png', picture, { headers: { 'cache-control': 'no-store' } })
    },
  }
}

async function ofPage(browser: BrowserParts['browser']): Promise<Uint8Array> {
  const session = browser.requireSession()
  const [front] = browser.pages(session)
  if (front === undefined)
    throw new Problem('cdp-error', 'The browser has no page to take a picture of. Open one, or start it anew.')
  return capture(session, front.id)
}

async function capture(session: Session, targetId: string): Promise<Uint8Array> {
  const page = await session.cdp.attach(targetId)
  try {
    const { data } = await page.send('Page.captureScreenshot', { format: 'png' }, drawMs)
    return Buffer.from(String(data), 'base64')
  } finally {
    await page.detach()
  }
}
