import type { AgentEvent } from '../../shared/contract/index.ts'
import { pictureMoment } from '../../shared/domain/timeline/from-event.ts'
import type { Publish } from '../events/publish.ts'
import type { Log } from '../log.ts'
import type { PictureFiles } from './pictures.ts'

/** Moments closer together than this share a picture: the page has hardly changed. */
const sharedMs = 1000
/** How often the page is looked at for the case that its browser dies, and how long it gets to draw first. */
const rememberEveryMs = 10_000
const settleMs = 1000

export interface MomentsOptions {
  files: PictureFiles
  /** The page in front as a small JPEG; null when it cannot be drawn. */
  draw: () => Promise<Uint8Array | null>
  publish: Publish
  log: Log
}

/** Takes a picture at each key moment. Of a browser that died there is only the last that was seen. */
export class Moments {
  readonly #options: MomentsOptions
  #last: { at: number; jpeg: Uint8Array; id: string | null } | null = null
  #drawing: Promise<void> | null = null
  #remember: NodeJS.Timeout | undefined
  #rememberedAt = Number.NEGATIVE_INFINITY
  #closed = false

  constructor(options: MomentsOptions) {
    this.#options = options
  }

  /** Looks at an event as it happens. */
  heard(event: AgentEvent): void {
    const key = pictureMoment(event)
    const gone = event.type === 'browser_state' && event.state === 'failed'
    if (key !== null) void this.#picture(key, gone || event.type === 'page_error')
    if (gone || (event.type === 'browser_state' && event.state === 'inactive')) this.#last = null
    if (event.type === 'page_navigated' || event.type === 'page_error') this.#rememberSoon()
  }

  /** Resolves when what was begun is done: tests and the end of the agent wait for it. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#remember)
    await this.#drawing
  }

  async #picture(key: string, lastOnly: boolean): Promise<void> {
    const { files, publish, log } = this.#options
    // Taken now: what follows forgets the picture of a browser that is gone.
    let seen = this.#last
    if (!lastOnly) {
      if (seen === null || performance.now() - seen.at > sharedMs) await this.#draw()
      seen = this.#last
    }
    if (seen === null || this.#closed) return
    try {
      seen.id ??= files.add(seen.jpeg)
      if (seen.id !== null) publish('moment_pictured', { key, picture: seen.id })
    } catch (error) {
      log('warn', 'the picture of a moment could not be kept', { reason: (error as Error).message })
    }
  }

  /** Callers at the same time share one. */
  #draw(): Promise<void> {
    this.#drawing ??= this.#options
      .draw()
      .then((jpeg) => {
        this.#last = jpeg === null ? null : { at: performance.now(), jpeg, id: null }
      })
      .catch(() => {})
      .finally(() => {
        this.#drawing = null
      })
    return this.#drawing
  }

  #rememberSoon(): void {
    if (this.#remember !== undefined || this.#closed) return
    const wait = Math.max(settleMs, this.#rememberedAt + rememberEveryMs - performance.now())
    this.#remember = setTimeout(() => {
      this.#remember = undefined
      this.#rememberedAt = performance.now()
      void this.#draw()
    }, wait).unref()
  }
}
