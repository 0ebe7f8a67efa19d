import { setTimeout as sleep } from 'node:timers/promises'
import type { OpenPages } from './open-pages.ts'
import type { Page } from './page.ts'

/** How long a start waits for its page to answer. One that is slower goes on loading in a browser that is there. */
const answerMs = 1000
/** Chromium answers on its debugging port a moment before its first tab is there. */
const firstTabMs = 3000
/** A document that has just been shown may not take commands yet. */
const [clearTries, clearPauseMs] = [20, 25]

/**
 * Nothing is fetched for a blank page, so nothing can be missed: Chromium opens it itself. What else begins with about:
 * it would take for pages of its own.
 */
export function fetchesNothing(url: string): boolean {
  return /^about:blank(?:[?#]|$)/.test(url)
}

/**
 * Sends a blank tab to the address that the browser was started for; false when it is still on its way. Chromium
 * itself would be there before anyone listened: the page's first requests and messages would be in no log.
 */
export async function openStartPage(page: Page, url: string, signal: AbortSignal): Promise<boolean> {
  const arrived = firstDocument(page).then(() => forgetBlank(page))
  const stayed = page.cdp.send('Page.navigate', { url }, answerMs).then(
    // A file to download, or an answer without content: the tab stays where it is.
    (answer) => answer['isDownload'] === true || answer['errorText'] === 'net::ERR_ABORTED',
    () => false,
  )
  const settled = stayed.then((stays) => (stays ? undefined : arrived)).then(() => true)
  const late = sleep(answerMs, false, { signal, ref: false }).catch(() => false)
  const done = await Promise.race([settled, late])
  // What Chromium itself says of a tab that is on its way.
  if (!done && page.url === 'about:blank') page.url = url
  return done
}

/** Settles when the page shows a dialog: it is not drawn any further before that is answered. */
export async function untilDialog(page: Page): Promise<void> {
  if (page.dialog !== null) return
  await new Promise<void>((resolve) => {
    page.onDialog((dialog) => {
      if (dialog !== null) resolve()
    })
  })
}

/** The tab that a browser comes up with; undefined when there is none. */
export async function firstTab(pages: OpenPages, signal: AbortSignal): Promise<Page | undefined> {
  const deadline = Date.now() + firstTabMs
  while (pages.front === null && Date.now() < deadline) await sleep(10, undefined, { signal })
  return pages.front ?? undefined
}

function firstDocument(page: Page): Promise<void> {
  return new Promise((resolve) => {
    const stop = page.cdp.on('Page.frameNavigated', (params) => {
      const frame = params['frame'] as { parentId?: string; url: string }
      if (frame.parentId !== undefined || frame.url === 'about:blank') return
      stop()
      resolve()
    })
  })
}

/** The blank page that came first is nobody's to go back to. */
export async function forgetBlank(page: Page): Promise<void> {
  for (let left = clearTries; left > 0 && !page.closed; left--) {
    const cleared = await page.cdp.send('Page.resetNavigationHistory').then(
      () => true,
      () => false,
    )
    if (cleared) return
    await sleep(clearPauseMs, undefined, { ref: false })
  }
}
