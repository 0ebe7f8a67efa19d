import { create, type StoreApi, type UseBoundStore } from 'zustand'
import { type Pick, pickKey, type Since } from './choices.store.ts'
import { type FeedState, LogFeed } from './feed.ts'
import type { FromEngine, Stats, ToEngine } from './model/protocol.ts'

export interface SessionState {
  stats: Stats | null
  feeds: Readonly<Record<string, FeedState>>
  following: boolean
  paused: boolean
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
        changed: (state) => this.state.setState(({ feeds }) => ({ feeds: { ...feeds, [key]: state } })),
      })
      this.#feeds.set(key, { feed, source })
      void feed.start(since)
    }
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
        return
      case 'goto':
        if (message.rank !== null) this.state.setState({ match: { serial: message.serial, rank: message.rank } })
        this.onGoto(message.row, message.serial)
        return
      case 'lost': {
        const found = [...this.#feeds.values()].find(({ source }) => source === message.source)
        found?.feed.lost(message.since, message.problem)
        return
      }
      case 'live':
        return
      case 'exported':
        this.#exported?.(message.text)
        return
    }
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
