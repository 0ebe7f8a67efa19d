import { Problem } from '../../shared/errors.ts'
import type { OpenPages } from './open-pages.ts'
import type { Page } from './page.ts'

/** A page that has not answered by now is in an endless loop, or as good as. */
export const answerLimitMs = 1000

/** Whether the page answers at all; one that is gone needs no more waiting for. */
export function answers(page: Page): Promise<boolean> {
  return page.cdp.send('Runtime.evaluate', { expression: '0' }, answerLimitMs).then(
    () => true,
    (error: unknown) => !(error instanceof Problem && error.code === 'timeout'),
  )
}

/**
 * The tab whose dialog may be what keeps this one from answering. A dialog stops the whole process of its page, and a
 * page lives in one process with those that it opened.
 */
export function dialogBeside(pages: OpenPages, page: Page): Page | undefined {
  const mayShare = (one: Page) =>
    one.isolate === undefined || page.isolate === undefined || one.isolate === page.isolate
  return pages.list().find((one) => one !== page && one.dialog !== null && mayShare(one))
}

/** Says on which dialog a page waits that has none itself. */
export function heldUpBy(other: Page): Problem {
  const { dialog } = other
  const what = dialog === null ? 'a dialog' : `a dialog (${dialog.type}: "${dialog.message.slice(0, 200)}")`
  return new Problem(
    'conflict',
    `Another tab, ${other.url.slice(0, 200)}, shows ${what}, and this page does nothing meanwhile. Answer it with POST /v1/browser/dialog.`,
    { dialog, tabId: other.id },
  )
}

/** Ends what is asked of a page when a dialog of another tab keeps it from answering; returns what ends the watch. */
export function watchBeside(pages: OpenPages, page: Page): () => void {
  let over = false
  const look = async () => {
    if (dialogBeside(pages, page) === undefined || (await answers(page)) || over) return
    const other = dialogBeside(pages, page)
    if (other !== undefined) page.holdUp(heldUpBy(other))
  }
  const stop = pages.events.on((event) => {
    if (event.type === 'dialog' && event.dialog !== null && event.tabId !== page.id) void look()
  })
  void look()
  return () => {
    over = true
    stop()
  }
}
