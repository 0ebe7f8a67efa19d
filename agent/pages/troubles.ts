import { randomBytes } from 'node:crypto'
import { redactAddress, redactPageText } from '../../shared/domain/redaction.ts'
import type { Publish } from '../events/publish.ts'
import type { ConsoleMessage } from './console-log.ts'
import type { NetworkRequest } from './network-log.ts'
import type { OpenPages } from './open-pages.ts'

/** For so long the same trouble is counted instead of told again. */
const windowMs = 60_000
/** So many different ones of a kind are told within that; the rest is summed up in one number. */
const toldPerWindow = 20

interface Told {
  id: string
  firstAt: string
  count: number
  /** What was last published. */
  published: number
  publish: (told: Told) => void
}

/**
 * Counts repetitions, so that a page that writes ten thousand errors a second costs a look into a map for each, and
 * a few rows a minute in all.
 */
export class TroubleCount {
  readonly #told = new Map<string, Told>()
  readonly #sumUp: (told: Told) => void
  #rest: Told | null = null
  #timer: NodeJS.Timeout | undefined

  /** `sumUp` tells of what was beyond the different ones. */
  constructor(sumUp: (told: Told) => void) {
    this.#sumUp = sumUp
  }

  /** One more; `publish` is called for the first, at each power of ten, and at the end of the minute. */
  add(signature: string, at: string, publish: (told: Told) => void): void {
    this.#timer ??= setTimeout(() => this.flush(), windowMs).unref()
    const known = this.#told.get(signature)
    if (known !== undefined) return count(known)
    if (this.#told.size < toldPerWindow) {
      const told = fresh(at, publish)
      this.#told.set(signature, told)
      count(told)
      return
    }
    this.#rest ??= fresh(at, this.#sumUp)
    count(this.#rest)
  }

  /** Tells the counts and begins anew. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const told of [...this.#told.values(), ...(this.#rest === null ? [] : [this.#rest])]) {
      if (told.count !== told.published) tell(told)
    }
    this.#told.clear()
    this.#rest = null
  }
}

function fresh(firstAt: string, publish: (told: Told) => void): Told {
  return { id: randomBytes(6).toString('hex'), firstAt, count: 0, published: 0, publish }
}

function count(told: Told): void {
  told.count++
  if (told.count >= told.published * 10) tell(told)
}

function tell(told: Told): void {
  told.published = told.count
  told.publish(told)
}

/** Stores errors of pages and requests that failed, so that they are there after the browser is not; returns what ends it. */
export function announceTroubles(pages: OpenPages, publish: Publish): () => void {
  const nowhere = { url: null, line: null }
  const errors = new TroubleCount((told) =>
    publish('page_error', {
      ...shown(told),
      source: 'rest',
      text: `${told.count} more errors of other kinds`,
      ...nowhere,
    }),
  )
  const requests = new TroubleCount((told) => {
    const error = `${told.count} more requests failed, of other kinds`
    publish('request_failed', { ...shown(told), source: 'rest', method: '', url: '', status: null, error })
  })
  const stop = pages.events.on((event) => {
    if (event.type === 'console') addError(errors, event, publish)
    else if (event.type === 'network') addRequest(requests, event, publish)
    else if (event.type === 'crash') {
      const url = redactAddress(event.url)
      errors.add(`crash ${url}`, new Date().toISOString(), (told) =>
        publish('page_error', { ...shown(told), source: 'crash', text: 'The page crashed', url, line: null }),
      )
    }
  })
  // What the first page did while its browser was still starting; a request that has not ended comes by itself.
  for (const message of pages.console.list()) addError(errors, message, publish)
  for (const request of pages.network.list())
    if (request.duration !== null || request.failed !== null) addRequest(requests, request, publish)
  return () => {
    stop()
    errors.flush()
    requests.flush()
  }
}

const shown = ({ id, firstAt, count }: Told) => ({ troubleId: id, firstAt, count })

function addError(errors: TroubleCount, event: ConsoleMessage, publish: Publish): void {
  // What the browser says of a request that failed is told as that request, with more of it.
  if (event.level !== 'error' || event.text.startsWith('Failed to load resource:')) return
  const signature = `${event.text.slice(0, 200).replace(/\d+/g, '#')} ${event.url ?? ''}:${event.line ?? ''}`
  errors.add(signature, event.timestamp, (told) =>
    publish('page_error', {
      ...{ ...shown(told), source: 'console', line: event.line },
      text: redactPageText(event.text, 2000),
      url: event.url === null ? null : redactAddress(event.url),
    }),
  )
}

function addRequest(requests: TroubleCount, event: NetworkRequest, publish: Publish): void {
  const refused = event.status !== null && event.status >= 400
  // Aborted ones were given up by the page or the person: every navigation leaves some behind.
  const failed = event.failed !== null && event.failed !== 'net::ERR_ABORTED'
  if (!refused && !failed) return
  const path = event.url.slice(0, 500).split(/[?#]/, 1)[0] ?? ''
  requests.add(`${event.method} ${event.status} ${path.replace(/\d+/g, '#')}`, event.timestamp, (told) =>
    publish('request_failed', {
      ...{ ...shown(told), source: 'request', method: event.method, status: event.status, error: event.failed },
      url: redactAddress(event.url),
    }),
  )
}
