import { backoff } from '../../../shared/client/backoff.ts'
import type { WireProblem } from '../../../shared/errors.ts'
import type { PortStream } from '../../../shared/stream.ts'
import { problemOf } from '../../app/bridge.ts'
import { drawCopy, keepPicture, lastPicture } from './pictures.ts'
import type { Screen, ScreenEvents, ScreenKey } from './screen.ts'

export interface LiveWish {
  view: 'vnc' | 'screencast'
  mode: 'view' | 'control'
}

export interface LiveSnapshot {
  /** `idle` wants no picture; `reconnecting` had one and is on its way to the next. */
  phase: 'idle' | 'connecting' | 'live' | 'reconnecting'
  /** What the picture is shown for: it may lag behind the wish while a connection is made. */
  mode: LiveWish['mode']
  framesPerSecond: number
  /** Why the last attempt failed. */
  problem: WireProblem | null
  /** When the still picture was live, in ms; null without one. */
  pictureAt: number | null
}

export interface LiveSource {
  open(wish: LiveWish): Promise<PortStream>
  draw(target: HTMLElement, stream: PortStream, wish: LiveWish, events: ScreenEvents): Screen
}

interface SessionOptions {
  machineId: string
  /** Where connections put their canvas. */
  stage: HTMLElement
  /** The canvas beneath, which keeps the last picture. */
  still: HTMLCanvasElement
  source: LiveSource
  onChange: (snapshot: LiveSnapshot) => void
  onShown: () => void
}

/** A connection that has no whole picture after this long is given up and made anew. */
const firstPictureMs = 15_000

/** Keeps a picture on the stage: connects, reconnects, and changes between watching and control unseen. */
export class LiveSession {
  readonly #options: SessionOptions
  readonly #waits = backoff({ maxMs: 8000 })
  readonly #ticker: ReturnType<typeof setInterval>
  #wish: LiveWish | null = null
  #attempt = 0
  #screen: Screen | null = null
  #host: HTMLElement | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #frames = 0
  #snapshot: LiveSnapshot = { phase: 'idle', mode: 'view', framesPerSecond: 0, problem: null, pictureAt: null }

  constructor(options: SessionOptions) {
    this.#options = options
    const picture = lastPicture(options.machineId)
    if (picture !== undefined) {
      drawCopy(picture.canvas, options.still)
      this.#change({ pictureAt: picture.at })
    }
    this.#ticker = setInterval(() => this.#countFrames(), 1000)
  }

  /** What is wanted now: nothing, to watch, or to control. The same wish twice changes nothing. */
  want(wish: LiveWish | null): void {
    if (wish?.view === this.#wish?.view && wish?.mode === this.#wish?.mode) return
    this.#wish = wish
    this.#leave()
    this.#waits.reset()
    if (wish === null) this.#change({ phase: 'idle', mode: 'view', problem: null, framesPerSecond: 0 })
    else {
      this.#change({ phase: 'connecting', problem: null })
      void this.#connect(wish)
    }
  }

  /** Does not wait for the next attempt. */
  retryNow(): void {
    if (this.#wish === null || this.#snapshot.phase === 'live') return
    this.#leave()
    void this.#connect(this.#wish)
  }

  focus(): void {
    this.#screen?.focus()
  }

  press(keys: readonly ScreenKey[]): void {
    this.#screen?.press(keys)
    this.#screen?.focus()
  }

  dispose(): void {
    this.#wish = null
    this.#leave()
    clearInterval(this.#ticker)
  }

  async #connect(wish: LiveWish): Promise<void> {
    const attempt = ++this.#attempt
    const current = () => attempt === this.#attempt
    try {
      const stream = await this.#options.source.open(wish)
      if (!current()) {
        stream.close(1000, 'no longer wanted')
        return
      }
      const host = document.createElement('div')
      // Drawn unseen over the last picture until it is whole.
      host.style.visibility = 'hidden'
      this.#options.stage.append(host)
      this.#host = host
      this.#screen = this.#options.source.draw(host, stream, wish, {
        onComplete: () => current() && this.#complete(host, wish),
        onFrame: () => {
          this.#frames++
        },
        onClose: (reason) => current() && this.#lost(reason),
      })
      this.#timer = setTimeout(() => this.#lost('no picture came'), firstPictureMs)
    } catch (error) {
      if (current()) this.#failed(problemOf(error))
    }
  }

  #complete(host: HTMLElement, wish: LiveWish): void {
    clearTimeout(this.#timer)
    this.#waits.reset()
    host.style.visibility = 'visible'
    if (wish.mode === 'control') this.focus()
    this.#change({ phase: 'live', mode: wish.mode, problem: null, pictureAt: null })
    this.#options.onShown()
  }

  #lost(reason: string): void {
    this.#failed({
      type: 'urn:pilothouse:problem:unreachable',
      title: 'The picture was interrupted',
      status: 0,
      detail: reason === '' ? 'The connection ended.' : `The connection ended: ${reason}.`,
      code: 'unreachable',
    })
  }

  #failed(problem: WireProblem): void {
    const wish = this.#wish
    this.#leave()
    if (wish === null) return
    this.#change({ phase: 'reconnecting', problem, framesPerSecond: 0 })
    this.#timer = setTimeout(() => void this.#connect(wish), this.#waits.next())
  }

  /** Ends what there is, keeping its picture on the still canvas. */
  #leave(): void {
    this.#attempt++
    clearTimeout(this.#timer)
    const { machineId, still } = this.#options
    const screen = this.#screen
    this.#screen = null
    if (screen !== null && this.#snapshot.phase === 'live') {
      const picture = keepPicture(machineId, screen.canvas)
      if (picture !== undefined) {
        drawCopy(picture.canvas, still)
        this.#change({ pictureAt: picture.at })
      }
    }
    screen?.close()
    this.#host?.remove()
    this.#host = null
  }

  #countFrames(): void {
    if (this.#snapshot.phase === 'live' && this.#snapshot.framesPerSecond !== this.#frames)
      this.#change({ framesPerSecond: this.#frames })
    this.#frames = 0
  }

  #change(changed: Partial<LiveSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...changed }
    this.#options.onChange(this.#snapshot)
  }
}
