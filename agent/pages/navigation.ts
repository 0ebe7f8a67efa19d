import { Problem } from '../../shared/errors.ts'
import { answerLimitMs } from './beside.ts'
import { callInFrame } from './in-frame.ts'
import { readPlace } from './in-page-reading.ts'
import { leaveBy } from './leaving.ts'
import type { Milestone } from './loading.ts'
import { onceItStays } from './moving-on.ts'
import type { OpenPages } from './open-pages.ts'
import type { Operation } from './operation.ts'
import type { Page } from './page.ts'

export interface Place {
  url: string
  title: string
}
export interface Arrival extends Place {
  status: number | null
  /** Set when the address was a file to download; the page stays where it was. */
  download: { filename: string; url: string } | null
}

/** What Chromium calls an answer that is no page, although the server gave one. */
const noAnswer = new Set(['net::ERR_ABORTED', 'net::ERR_HTTP_RESPONSE_CODE_FAILURE'])

/** Opens an address in a tab and waits until the document is as far as asked. */
export async function navigate(
  pages: OpenPages,
  page: Page,
  operation: Operation,
  url: string,
  waitUntil: Milestone,
): Promise<Arrival> {
  operation.waitingFor(
    () => new Problem('timeout', `${shown(url)} did not load in time. Try again, or give it more time.`),
  )
  const { loading } = page
  const downloads = pages.downloads.count
  const { documents, moves } = loading
  const stop = stopWith(page, operation, () => loading.documents === documents && loading.moves === moves)
  try {
    const { error, loaderId, isDownload } = await leaveBy(pages, page, operation, async () => {
      const before = loading.documents
      const answer = await page.cdp.send('Page.navigate', { url }, operation.leftMs())
      const { errorText, loaderId: id } = answer as { errorText?: string; loaderId?: string }
      const isShown = () => loading.loaderId === id || loading.documents > before
      // Without a loader it stayed within the document, such as a move to a heading.
      if (id !== undefined && (errorText ?? '') === '') await loading.until(isShown, operation.signal)
      return { error: errorText, loaderId: id, isDownload: answer['isDownload'] === true }
    })
    if (typeof error === 'string' && error !== '') {
      const find = () => pages.downloads.find(page.frames.main?.id ?? page.id, downloads)
      // The download itself is told of a moment after the navigation that it ended.
      if (isDownload && find() === undefined) await pages.events.next('download', answerLimitMs, operation.signal)
      const download = find()
      const status = loaderId === undefined ? null : loading.statusOf(loaderId)
      if (download !== undefined || isDownload) {
        const { filename, url: from } = download ?? { filename: '', url }
        return { ...(await placeOf(page, operation)), status, download: { filename, url: from } }
      }
      if (status === null || !noAnswer.has(error)) throw failed(url, pages.explain(url, error))
      return { ...(await placeOf(page, operation)), status, download: null }
    }
    if (loaderId !== undefined) await loading.until(() => loading.isDone(waitUntil), operation.signal)
    if (loading.brokenOff !== null && !loading.has(waitUntil)) throw brokenOff(url, loading.brokenOff)
    const status = loading.statusOf(loading.loaderId)
    return { ...(await placeOf(page, operation)), status, download: null }
  } finally {
    stop.forget()
  }
}

/**
 * What was begun goes no further when nobody waits for it any more, or a person took control. What is shown already goes
 * on loading: a dialog ends the wait as well, and the rest of its page comes when it is answered.
 */
function stopWith(page: Page, operation: Operation, isUnderWay: () => boolean): { forget: () => void } {
  const stop = () => {
    if (isUnderWay()) page.cdp.send('Page.stopLoading').catch(() => {})
  }
  operation.signal.addEventListener('abort', stop)
  return { forget: () => operation.signal.removeEventListener('abort', stop) }
}

/** One page back or forward in the tab's history. */
export async function travel(pages: OpenPages, page: Page, operation: Operation, by: -1 | 1): Promise<Place> {
  const asked = () => page.cdp.send('Page.getNavigationHistory', {}, operation.leftMs())
  const history = await onceItStays(operation, asked)
  const entries = history['entries'] as { id: number; url: string }[]
  const entry = entries[Number(history['currentIndex']) + by]
  if (entry === undefined) {
    throw new Problem(
      'conflict',
      `There is no page to go ${by < 0 ? 'back' : 'forward'} to in this tab. Navigate to an address instead.`,
    )
  }
  return move(pages, page, operation, 'Page.navigateToHistoryEntry', { entryId: entry.id })
}

export async function reload(pages: OpenPages, page: Page, operation: Operation, ignoreCache: boolean): Promise<Place> {
  return move(pages, page, operation, 'Page.reload', { ignoreCache })
}

async function move(
  pages: OpenPages,
  page: Page,
  operation: Operation,
  method: string,
  params: Record<string, unknown>,
): Promise<Place> {
  operation.waitingFor(() => new Problem('timeout', 'The page did not load in time. Try again, or navigate elsewhere.'))
  const { loading } = page
  const { documents, moves } = loading
  const stop = stopWith(page, operation, () => loading.documents === documents && loading.moves === moves)
  try {
    await leaveBy(pages, page, operation, async () => {
      await page.cdp.send(method, params, operation.leftMs())
      const happened = () => loading.moves > moves || (loading.documents > documents && loading.isDone('load'))
      await loading.until(happened, operation.signal)
    })
  } finally {
    stop.forget()
  }
  if (loading.moves === moves && loading.unreachable !== null) {
    const error = loading.failureOf(loading.loaderId) ?? 'net::ERR_FAILED'
    throw failed(loading.unreachable, pages.explain(loading.unreachable, error))
  }
  if (loading.moves === moves && loading.brokenOff !== null) throw brokenOff(page.url, loading.brokenOff)
  return placeOf(page, operation)
}

/** Where the page is and what it is called, as it says itself. */
export async function placeOf(page: Page, operation: Operation): Promise<Place> {
  const { main } = page.frames
  const asked = main === undefined ? undefined : callInFrame(main, operation, readPlace).catch(() => undefined)
  const late = operation.pause(answerLimitMs).catch(() => undefined)
  // A page that is in an endless loop by now has still arrived.
  const told = await Promise.race([asked, late])
  // The page that Chromium shows for one it could not load has an address of its own.
  if (told === undefined || told.url.startsWith('chrome-error:')) return { url: page.url, title: page.title }
  return told
}

function failed(url: string, error: string): Problem {
  return new Problem('cdp-error', `${shown(url)} could not be loaded: ${error}. ${adviceOn(error)}`, { reason: error })
}

function adviceOn(error: string): string {
  if (error.includes('CERT')) return "The site's certificate is not valid; the browser does not open it."
  switch (error) {
    case 'net::ERR_ABORTED':
      return 'Something ended it, such as another navigation, or an address that is no page. Look where the page is.'
    case 'net::ERR_TOO_MANY_REDIRECTS':
      return 'The site sends the browser round in circles. Delete its cookies, or look at its server.'
    case 'net::ERR_INVALID_AUTH_CREDENTIALS':
      return 'The site asks for a name and a password, or does not take these. Give them in the address, as in https://name:password@host/.'
    default:
      return 'Check the address, and that the machine can reach it.'
  }
}

/** The document began to come, and is shown as far as it did. */
function brokenOff(url: string, error: string): Problem {
  const detail = `${shown(url)} broke off: ${error}. What came of it is shown. Try again, or look at its server.`
  return new Problem('cdp-error', detail, { reason: error })
}

/** Without the name and password that may stand in it: what is said here is written into logs. */
function shown(url: string): string {
  const bare = url.replace(/^([a-z]+:\/\/)[^/?#\\]*@/i, '$1')
  return bare.length > 200 ? `${bare.slice(0, 200)}…` : bare
}
