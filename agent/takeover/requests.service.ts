import { randomUUID } from 'node:crypto'
import type { Attempt } from '../../shared/contract/attempts.ts'
import type { EventData } from '../../shared/contract/index.ts'
import type { TakeoverRequest } from '../../shared/contract/takeover.ts'
import { Problem } from '../../shared/errors.ts'
import type { Publish } from '../events/publish.ts'
import type { LeaseEnd } from './lease.service.ts'

/** How a call for help ended. */
export type RequestOutcome =
  | { kind: 'handed_back'; operator: string; outcome: string; note: string; handedBackTo: string }
  /** The person who had accepted did not give control back: the lease ran out, or the browser ended. */
  | { kind: 'lapsed'; operator: string; why: string }
  | { kind: 'declined'; reason: string }
  | { kind: 'timed_out' }
  | { kind: 'cancelled'; reason: string }

export interface Asked {
  reason: string
  instruction: string
  pageUrl: string | null
  picture: string | null
  timeMs: number
  runId: string | null
  jobId: string | null
  tried?: readonly Attempt[]
}

interface Open {
  view: Omit<TakeoverRequest, 'leftMs'>
  raisedMs: number
  deadlineMs: number
  acceptedMs: number | null
  timer: NodeJS.Timeout
  settle: (outcome: RequestOutcome) => void
}

/** Requests that are over are shown for a while, so that a console that was away can say what became of them. */
const keptOver = 20

/** Calls for a person: raised by the cascade, shown by every console, accepted by whoever takes control. */
export class TakeoverRequests {
  readonly #publish: Publish
  #requests: Open[] = []
  /** Hears of each new one. */
  onRaised: (id: string) => void = () => {}

  constructor(publish: Publish) {
    this.#publish = publish
  }

  get openCount(): number {
    return this.#requests.filter(({ view }) => view.state === 'open').length
  }

  list(): TakeoverRequest[] {
    const open = (request: Open) => request.view.state === 'open' || request.view.state === 'accepted'
    return [...this.#requests].sort((a, b) => Number(open(b)) - Number(open(a)) || b.raisedMs - a.raisedMs).map(shown)
  }

  /** Calls for a person; settles when one has come and gone, or none will come. */
  raise(asked: Asked): { id: string; outcome: Promise<RequestOutcome>; cancel: (reason: string) => void } {
    const { timeMs, tried = [], ...rest } = asked
    const id = randomUUID()
    const now = Date.now()
    const settled = Promise.withResolvers<RequestOutcome>()
    const request: Open = {
      view: {
        ...{ ...rest, tried: [...tried] },
        ...{ id, state: 'open', assignedTo: null, operator: null },
        ...{ raisedAt: new Date(now).toISOString(), deadline: new Date(now + timeMs).toISOString() },
      },
      ...{ raisedMs: now, deadlineMs: now + timeMs, acceptedMs: null },
      timer: setTimeout(() => this.#end(request, 'timed_out', { kind: 'timed_out' }), timeMs),
      settle: settled.resolve,
    }
    this.#requests.push(request)
    this.#announce(request, 'raised')
    this.onRaised(id)
    const cancel = (reason: string) => this.#end(request, 'cancelled', { kind: 'cancelled', reason })
    return { id, outcome: settled.promise, cancel }
  }

  /** Calls for a person and waits for what becomes of it. Whoever gave up meanwhile, or before, calls nobody. */
  async ask(asked: Asked, signal: AbortSignal, gaveUp: string): Promise<RequestOutcome> {
    if (signal.aborted) return { kind: 'cancelled', reason: gaveUp }
    const { outcome, cancel } = this.raise(asked)
    const stop = () => cancel(gaveUp)
    signal.addEventListener('abort', stop)
    try {
      return await outcome
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  /** The request, if it can still be accepted, declined or handed on. */
  requireOpen(id: string): TakeoverRequest {
    return shown(this.#open(id))
  }

  decline(id: string, reason: string, operator: string | null): TakeoverRequest {
    const request = this.#open(id)
    request.view = { ...request.view, operator }
    this.#end(request, 'declined', { kind: 'declined', reason })
    return shown(request)
  }

  handOn(id: string, to: string): TakeoverRequest {
    const request = this.#open(id)
    request.view = { ...request.view, assignedTo: to }
    this.#announce(request, 'handed_on')
    return shown(request)
  }

  /**
   * Whoever takes control has accepted the request that was meant, or, where none was named, the one that has waited
   * longest; returns it and how long it had waited.
   */
  leaseTaken(operator: string, id: string | null): { id: string; waitedMs: number } | null {
    const request = this.#requests.find(({ view }) => view.state === 'open' && (id === null || view.id === id))
    if (request === undefined) return null
    clearTimeout(request.timer)
    request.acceptedMs = Date.now()
    request.view = { ...request.view, state: 'accepted', operator }
    this.#announce(request, 'accepted')
    return { id: request.view.id, waitedMs: request.acceptedMs - request.raisedMs }
  }

  leaseEnded({ change, operator, handedBack }: LeaseEnd): void {
    const request = this.#requests.find(({ view }) => view.state === 'accepted')
    if (request === undefined) return
    if (change === 'handed_back') {
      const { outcome = 'resolved', note = '', to = 'none' } = handedBack ?? {}
      this.#end(request, 'done', { kind: 'handed_back', operator, outcome, note, handedBackTo: to })
    } else {
      const why = change === 'expired' ? 'the lease was not renewed' : 'the browser ended'
      this.#end(request, 'done', { kind: 'lapsed', operator, why })
    }
  }

  /** Nobody can help with a browser that is gone. */
  cancelAll(reason: string): void {
    for (const request of this.#requests) this.#end(request, 'cancelled', { kind: 'cancelled', reason })
  }

  #open(id: string): Open {
    const request = this.#requests.find(({ view }) => view.id === id)
    if (request === undefined)
      throw new Problem('not-found', 'There is no such request. GET /takeover/requests lists them.')
    if (request.view.state === 'open') return request
    const who = request.view.operator === null ? '' : ` by ${request.view.operator}`
    throw new Problem(
      'conflict',
      `That request is ${request.view.state.replace('_', ' ')}${who}. Nothing is left to do.`,
    )
  }

  #end(request: Open, state: 'timed_out' | 'declined' | 'done' | 'cancelled', outcome: RequestOutcome): void {
    if (request.view.state !== 'open' && request.view.state !== 'accepted') return
    clearTimeout(request.timer)
    request.view = { ...request.view, state, picture: null }
    this.#announce(request, state)
    request.settle(outcome)
    const over = this.#requests.filter(({ view }) => view.state !== 'open' && view.state !== 'accepted')
    const forgotten = new Set(over.slice(0, Math.max(0, over.length - keptOver)))
    this.#requests = this.#requests.filter((one) => !forgotten.has(one))
  }

  #announce(request: Open, change: EventData['takeover_request']['change']): void {
    const { picture: _picture, ...view } = shown(request)
    this.#publish('takeover_request', { change, request: view })
  }
}

function shown({ view, deadlineMs }: Open): TakeoverRequest {
  return { ...view, leftMs: view.state === 'open' ? Math.max(0, deadlineMs - Date.now()) : 0 }
}
