import type { AgentClient } from '../../shared/client/client.ts'
import { followEvents, lastHeard } from '../../shared/client/events.ts'
import type { AgentEvent, SocketSend } from '../../shared/contract/index.ts'
import { Problem } from '../../shared/errors.ts'
import { EventAge } from './event-age.ts'
import type { MachineDeps } from './machine-deps.ts'
import { factsFromStatus, type MachineFacts } from './machine-facts.ts'
import { verifyLimitMs } from './verification.ts'

export interface FeedSink {
  /** The page in front has another address. */
  navigated: (url: string) => void
  learned: (facts: Partial<MachineFacts>) => void
  /** The machine proved itself alive just now. */
  heard: () => void
  /** Whether an agent of that identity is the machine that was verified. */
  isSame: (agentId: string) => boolean
}

/** Without events (an agent too old, a socket blocked) the whole state is asked for this often. */
const pollMs = 10_000
/** A feed that broke at once is not opened again at once. */
const settleMs = 1000
/** Load is missed when it is this much later than its rhythm: a full minute's hiccup of the agent is not silence. */
const lateMs = 3000
/** Seldom enough that a thousand machines cost nothing by it. */
const measureEveryMs = 120_000
/** A machine that reports more than this in ten seconds is broken or hostile; the others must not wait for it. */
const maxEvents = 2000
const eventWindowMs = 10_000

/** News from one machine: its events while they flow, and the load, which is asked for. */
export class MachineFeed {
  readonly #id: string
  readonly #deps: MachineDeps
  readonly #sink: FeedSink
  #end: (() => void) | undefined
  #open = false
  #lastSeq: number | undefined
  readonly #age: EventAge
  #send: ((message: SocketSend<'events'>) => void) | undefined
  #loadAt = Number.NEGATIVE_INFINITY
  #eventsSince = { at: 0, count: 0 }
  #measuredAt: number
  #refreshing: Promise<void> | undefined
  #refreshAgain = false
  /** Counts what events said about control: an answer that was under way meanwhile is older than they are. */
  #controlNews = 0

  /** Whether a person is wanted, as it was heard last. */
  #helpWanted = false

  constructor(id: string, deps: MachineDeps, sink: FeedSink) {
    this.#id = id
    this.#deps = deps
    this.#sink = sink
    this.#age = new EventAge(deps.clock)
    // A check has just measured it.
    this.#measuredAt = deps.clock.now()
  }

  get following(): boolean {
    return this.#end !== undefined
  }

  /** Follows until the machine has to be verified anew; says how long to wait before that. */
  async follow(client: AgentClient, signal: AbortSignal): Promise<{ waitMs: number }> {
    let everOpen = false
    const started = this.#deps.clock.now()
    await new Promise<void>((resolve) => {
      const stopEvents = followEvents(
        client,
        {
          onOpen: (hello, send) => {
            // Another agent took the place between the check and this: it is not listened to.
            if (!this.#sink.isSame(hello.agentId)) return finish()
            everOpen = true
            this.#lastSeq = lastHeard(this.#lastSeq, hello)
            this.#age.opened(hello, this.#lastSeq)
            const told = Date.parse(hello.time ?? '')
            this.#sink.learned({ clockAheadMs: Number.isNaN(told) ? null : told - this.#deps.clock.now() })
            this.#open = true
            this.#send = send
            this.pace()
            // Looked at after the events began: what changed in between cannot be missed.
            void this.refresh(client)
          },
          onEvent: (event) => (this.#isFlood() ? finish() : this.#take(client, event)),
          onMetrics: (metrics) => {
            this.#loadAt = this.#deps.clock.now()
            // It comes after everything that was told again.
            this.#age.knowsAll()
            this.#sink.heard()
            this.#sink.learned({ metrics })
          },
          onDown: () => finish(),
        },
        this.#lastSeq,
      )
      const finish = () => {
        stopEvents()
        signal.removeEventListener('abort', finish)
        this.#end = undefined
        this.#open = false
        this.#send = undefined
        resolve()
      }
      this.#end = finish
      signal.addEventListener('abort', finish)
    })
    if (signal.aborted) return { waitMs: 0 }
    if (!everOpen) {
      const before = this.#helpWanted
      await this.refresh(client)
      if (!signal.aborted) this.#deps.onPolled(this.#id, { helpWanted: this.#helpWanted && !before })
      return { waitMs: pollMs }
    }
    return { waitMs: this.#deps.clock.now() - started < settleMs ? settleMs : 0 }
  }

  stop(): void {
    this.#end?.()
  }

  /** Tells the agent how often its load is wanted. */
  pace(): void {
    this.#send?.({ type: 'metrics', everyMs: this.#deps.metricsEveryMs() })
  }

  /** Asks for the load where it does not come by itself; no answer means that the machine has to be verified. */
  async tick(client: AgentClient): Promise<void> {
    if (this.#open && this.#deps.clock.now() - this.#loadAt < this.#deps.metricsEveryMs() * 2 + lateMs) {
      return this.#measure(client)
    }
    const started = performance.now()
    try {
      const metrics = await client.call('machine.metrics', {}, { timeoutMs: verifyLimitMs })
      // The metrics alone need no secret and prove no identity; with the event socket open they do.
      if (this.#open) this.#sink.heard()
      this.#sink.learned({ metrics, roundTripMs: performance.now() - started })
    } catch (error) {
      const { code } = Problem.from(error, 'unreachable')
      if (code === 'unreachable' || code === 'timeout') this.#end?.()
    }
  }

  /** How far away the machine is, now and then: where its load comes by itself, nothing else would tell. */
  async #measure(client: AgentClient): Promise<void> {
    if (this.#deps.clock.now() - this.#measuredAt < measureEveryMs) return
    this.#measuredAt = this.#deps.clock.now()
    const started = performance.now()
    // A failure is noticed elsewhere.
    const answered = await client.call('machine.health', {}, { timeoutMs: verifyLimitMs }).then(
      () => true,
      () => false,
    )
    if (answered) this.#sink.learned({ roundTripMs: performance.now() - started })
  }

  /** Asks how it is, for browser and control; a second wish while one is under way is granted after it. */
  refresh(client: AgentClient): Promise<void> {
    if (this.#refreshing !== undefined) {
      this.#refreshAgain = true
      return this.#refreshing
    }
    this.#refreshing = this.#refresh(client).finally(() => {
      this.#refreshing = undefined
      if (this.#refreshAgain) {
        this.#refreshAgain = false
        void this.refresh(client)
      }
    })
    return this.#refreshing
  }

  async #refresh(client: AgentClient): Promise<void> {
    const newsBefore = this.#controlNews
    const { leases } = this.#deps
    const ownBefore = leases.leaseId(this.#id)
    const options = { timeoutMs: verifyLimitMs }
    const [browser, takeover, status] = await Promise.allSettled([
      client.call('browser.status', {}, options),
      client.call('takeover.get', {}, options),
      client.call('machine.status', {}, options),
    ])
    const facts: Partial<MachineFacts> = status.status === 'fulfilled' ? factsFromStatus(status.value) : {}
    if (browser.status === 'fulfilled') facts.browser = browser.value
    if (takeover.status === 'fulfilled' && this.#controlNews === newsBefore) {
      facts.viewers = takeover.value.viewers
      const { lease } = takeover.value
      facts.lease = lease
      // An agent that was killed says of no lease that it ended; one that was taken meanwhile may not be in its answer.
      const isLost = lease === null || !leases.isMine(this.#id, lease)
      if (isLost && ownBefore !== undefined && leases.leaseId(this.#id) === ownBefore) leases.forget(this.#id, 'lost')
      facts.driver = takeover.value.driver ?? null
      this.#helpWanted = (takeover.value.openRequests ?? 0) > 0
      facts.helpWanted = this.#helpWanted
    }
    for (const answer of [browser, takeover, status]) {
      if (answer.status === 'rejected') {
        const problem = Problem.from(answer.reason)
        this.#deps.log('warn', 'a machine did not say how it is', { machine: this.#id, problem: problem.toWire() })
      }
    }
    if (Object.keys(facts).length > 0) this.#sink.learned(facts)
  }

  #take(client: AgentClient, event: AgentEvent): void {
    this.#lastSeq = event.seq
    this.#deps.onEvent(this.#id, event, this.#age.heard(event))
    switch (event.type) {
      case 'takeover_lease': {
        this.#controlNews++
        const { lease } = event
        if (lease === null || !this.#deps.leases.isMine(this.#id, lease)) this.#forgetOwnLease(event)
        return this.#sink.learned({ lease })
      }
      case 'viewers':
        this.#controlNews++
        return this.#sink.learned({ viewers: event.count })
      case 'engine_connected':
        this.#controlNews++
        return this.#sink.learned({ driver: { engine: event.engine, mode: event.mode } })
      case 'engine_disconnected':
        this.#controlNews++
        return this.#sink.learned({ driver: null })
      case 'takeover_request':
        this.#controlNews++
        if (event.request.state === 'open') {
          this.#helpWanted = true
          return this.#sink.learned({ helpWanted: true })
        }
        // Another one may still be open.
        return void this.refresh(client)
      case 'page_navigated':
        return event.active ? this.#sink.navigated(event.url) : undefined
      case 'browser_state':
      case 'sandbox_active':
      case 'sandbox_terminated':
      case 'health':
        return void this.refresh(client)
    }
  }

  #isFlood(): boolean {
    const now = this.#deps.clock.now()
    if (now - this.#eventsSince.at > eventWindowMs) this.#eventsSince = { at: now, count: 0 }
    if (++this.#eventsSince.count <= maxEvents) return false
    this.#deps.log('warn', 'a machine reports too much, and is left for a moment', { machine: this.#id })
    return true
  }

  /** The answer to this console's own call can come after its event: only an end is believed. */
  #forgetOwnLease(event: Extract<AgentEvent, { type: 'takeover_lease' }>): void {
    if (event.change === 'taken' || event.change === 'renewed') return
    const ends: Record<string, 'ran_out' | 'lost'> = { expired: 'ran_out', ended: 'lost' }
    this.#deps.leases.ended(this.#id, event.time, ends[event.change] ?? 'over')
  }
}
