import { create, type StoreApi, type UseBoundStore } from 'zustand'
import type { Aim } from './aim.ts'
import { type Pick, pickKey, type Since } from './choices.store.ts'
import { type FeedState, LogFeed } from './feed.ts'
import type { FromEngine, Stats, ToEngine } from './model/protocol.ts'

export interface SessionState {
  stats: Stats | null
  feeds: Readonly<Record<string, FeedState>>
  following: boolean
  paused: boolean
  /** A moment that the person wants to see, as long as they do not go elsewhere. */
  aim: Aim | null
  /** The match that was gone to, and which one it is. */
  match: { serial: number; rank: number } | null
  /** Lines that were there when following ended. */
  unfollowedAt: number
}

type Frame = Extract<FromEngine, { type: 'frame' }>

/** One view of logs: the thread with the lines, what feeds it, and what the screen shows of it. */
export class LogsSession {
  readonly state: UseBoundStore<StoreApi<SessionState>>
  readonly #worker = new Worker(new URL('./logs.worker.ts', import.meta.url), { type: 'module', name: 'logs' })
  readonly #feeds = new Map<string, { feed: LogFeed; source: number }>()
  /** Every source there ever was, by number: rows name theirs by it. */
  readonly sources: Pick[] = []
  onFrame: (frame: Frame) => void = () => {}
  onGoto: (row: number, serial: number) => void = () => {}
  #exported: ((text: string | null) => void) | undefined

  constructor() {
    this.state = create<SessionState>(() => ({
      stats: null,
      feeds: {},
      following: true,
      paused: false,
      aim: null,
      match: null,
      unfollowedAt: 0,
    }))
    this.#worker.onmessage = ({ data }: MessageEvent<FromEngine>) => this.#receive(data)
  }

  post(message: ToEngine, transfer: Transferable[] = []): void {
    this.#worker.postMessage(message, transfer)
  }

  /** Shows these services and no others. */
  show(picks: readonly Pick[], since: Since): void {
    const wanted = new Set(picks.map(pickKey))
    for (const [key, { feed }] of this.#feeds) {
      if (wanted.has(key)) continue
      feed.close()
      this.#feeds.delete(key)
      this.state.setState(({ feeds: { [key]: _gone, ...feeds } }) => ({ feeds }))
    }
    for (const pick of picks) {
      const key = pickKey(pick)
      if (this.#feeds.has(key)) continue
      const source = this.sources.push(pick) - 1
      const feed = new LogFeed(pick, source, {
        post: (message, transfer) => this.post(message, transfer),
        changed: (state) => {
          this.state.setState(({ feeds }) => ({ feeds: { ...feeds, [key]: state } }))
          this.land()
        },
      })
      this.#feeds.set(key, { feed, source })
      void feed.start(since)
    }
    this.land()
  }

  /** Asks once more for a service that could not be read. */
  retry(key: string, since: Since): void {
    const picks = [...this.#feeds.values()].flatMap(({ source }) => this.sources[source] ?? [])
    this.show(
      picks.filter((pick) => pickKey(pick) !== key),
      since,
    )
    this.show(picks, since)
  }

  /** Begins again from another moment. */
  restart(picks: readonly Pick[], since: Since): void {
    this.show([], since)
    this.post({ type: 'clear' })
    this.show(picks, since)
  }

  /** Goes to a moment when the lines that are being read have come to it, or to their end. */
  aim(time: number, from: Aim['from']): void {
    this.state.setState({ aim: { time, from, there: false } })
    this.post({ type: 'aim', time })
  }

  /** The person goes elsewhere. */
  leaveAim(): void {
    if (this.state.getState().aim === null) return
    this.state.setState({ aim: null })
    this.post({ type: 'aim', time: null })
  }

  /** What there is to be read has been: whether the moment is in it or not, that is the place. */
  land(): void {
    const { aim, feeds } = this.state.getState()
    const isRead = ({ state }: FeedState) => state === 'live' || state === 'failed'
    const all = Object.values(feeds)
    if (aim === null || aim.there || all.length === 0 || !all.every(isRead)) return
    this.post({ type: 'jump', time: aim.time })
    this.state.setState({ aim: { ...aim, there: true } })
    this.#landing = true
  }
  /** What was read on the way to a moment is nothing new: that is counted from the first frame there. */
  #landing = false

  follow(following: boolean): void {
    if (this.state.getState().following === following) return
    const added = this.state.getState().stats?.added ?? 0
    this.state.setState({ following, unfollowedAt: added })
  }

  pause(paused: boolean): void {
    this.state.setState({ paused })
    this.post({ type: 'pause', on: paused })
  }

  /** What is seen as text, part by part; null at the end. */
  async *exported(
    format: 'text' | 'jsonl',
    names: readonly { machine: string; service: string }[],
  ): AsyncGenerator<string> {
    let message: ToEngine = { type: 'export', format, names }
    for (;;) {
      const sent = message
      const text = await new Promise<string | null>((resolve) => {
        this.#exported = resolve
        this.post(sent)
      })
      if (text === null) return
      yield text
      message = { type: 'exportNext' }
    }
  }

  close(): void {
    for (const { feed } of this.#feeds.values()) feed.abandon()
    this.#worker.terminate()
  }

  #receive(message: FromEngine): void {
    switch (message.type) {
      case 'frame':
        this.onFrame(message)
        this.#takeStats(message.stats)
        if (this.#landing && !this.state.getState().following) {
          this.#landing = false
          this.state.setState({ unfollowedAt: message.stats.added })
        }
        return
      case 'goto':
        // A moment that was left while the answer was on its way.
        if (message.rank === null && this.state.getState().aim === null) return
        if (message.rank !== null) {
          this.leaveAim()
          this.state.setState({ match: { serial: message.serial, rank: message.rank } })
        }
        this.onGoto(message.row, message.serial)
        return
      case 'lost':
        return this.#feedOf(message.source)?.lost(message.since, message.problem)
      case 'live':
        return this.#feedOf(message.source)?.live()
      case 'exported':
        this.#exported?.(message.text)
        return
    }
  }

  #feedOf(source: number): LogFeed | undefined {
    return [...this.#feeds.values()].find((one) => one.source === source)?.feed
  }

  /** Words and numbers change a few times a second; rows are drawn with every frame. */
  #statsAt = 0
  #statsTimer: ReturnType<typeof setTimeout> | undefined
  #takeStats(stats: Stats): void {
    clearTimeout(this.#statsTimer)
    const set = () => {
      this.#statsAt = performance.now()
      this.state.setState({ stats })
    }
    const wait = 120 - (performance.now() - this.#statsAt)
    if (wait <= 0) set()
    else this.#statsTimer = setTimeout(set, wait)
  }
}
