import { setTimeout as sleep } from 'node:timers/promises'
import { answerLimitMs, answers, dialogBeside, heldUpBy } from './beside.ts'
import type { OpenPages } from './open-pages.ts'
import type { Operation } from './operation.ts'
import type { Page } from './page.ts'

/** A page that goes from one endless loop to the next is in the next by now. */
const againMs = 150

/**
 * Leaves a page by what `go` does, which ends when another is shown. One that was in an endless loop may be in the next
 * before that, and Chromium waits for it and passes nothing on to it: its process is ended, and it is left once more.
 */
export async function leaveBy<Result>(
  pages: OpenPages,
  page: Page,
  operation: Operation,
  go: () => Promise<Result>,
): Promise<Result> {
  if (!(await freeLoop(pages, page, operation))) return page.leave(go)
  const { documents, moves } = page.loading
  const over = new AbortController()
  const isOver = () => over.signal.aborted || page.loading.documents > documents || page.loading.moves > moves
  const left = page.leave(go)
  const settled = left.then(
    () => over.abort(),
    () => over.abort(),
  )
  const loops = async () => {
    while (!isOver()) {
      if (!(await answers(page)) && !isOver() && dialogBeside(pages, page) === undefined) return true
      await sleep(againMs, undefined, { signal: operation.signal }).catch(() => over.abort())
    }
    return false
  }
  const loopsAgain = await Promise.race([settled.then(() => false), loops()])
  if (!loopsAgain) return left
  await page.end(operation)
  // What is still on its way would have Chromium refuse to go the same way again.
  await page.cdp.send('Page.stopLoading', {}, operation.leftMs())
  return page.leave(go)
}

/** Closes a tab, and waits until it is gone. */
export async function closeTab(pages: OpenPages, page: Page, limitMs: number): Promise<void> {
  await page.leave(async () => {
    const asked = pages.closeTab(page)
    const gone = page.untilClosed(limitMs)
    void helpAlong(pages, page)
    // Chromium answers the question when the tab is gone, or not at all when it is gone itself.
    await Promise.all([asked, gone])
  })
}

/** A dialog closes with its tab, and Chromium gives up on most loops by itself; not on all. */
async function helpAlong(pages: OpenPages, page: Page): Promise<void> {
  try {
    if (await page.isGoneWithin(answerLimitMs)) return
    // One that waits for the dialog of another is not in a loop.
    if (dialogBeside(pages, page) === undefined) await freeLoop(pages, page)
    if (!page.closed) await pages.closeTab(page)
  } catch {
    // It has gone by itself meanwhile, or the browser has: whoever waits for it hears of that.
  }
}

/**
 * Ends a script that runs for ever: Chromium would wait for it before it left or closed the page. A page that only
 * waits for someone to answer a dialog is left alone. Says whether there was something to end.
 */
async function freeLoop(pages: OpenPages, page: Page, operation?: Operation): Promise<boolean> {
  if (page.crashed || page.dialog !== null || (await answers(page))) return false
  const other = dialogBeside(pages, page)
  if (other !== undefined) throw heldUpBy(other)
  await page.cdp.send('Runtime.terminateExecution', {}, answerLimitMs).catch(() => {})
  const isFree = (await answers(page)) && (await sleep(againMs).then(() => answers(page)))
  if (!isFree && page.dialog === null && dialogBeside(pages, page) === undefined) await page.end(operation)
  return true
}
