import { backoff } from '../../../shared/client/backoff.ts'
import type { WireProblem } from '../../../shared/errors.ts'
import type { PortStream } from '../../../shared/stream.ts'
import { problemOf } from '../../app/bridge.ts'
import { drawCopy, keepPicture, lastPicture } from './pictures.ts'
import { bandwidthMeter, qualities, qualityFor } from './quality.ts'
import {
  type Screen,
  type ScreenEvents,
  type ScreenKey,
  type ScreenLook,
  type StickyKey,
  stickyKeys,
} from './screen.ts'
import type { ViewChoices } from './viewChoices.ts'

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
  bytesPerSecond: number
  /** What the connection carries, as far as it could be seen; null while too little came. */
  bitsPerSecond: number | null
  /** From the last press of a key or button to the next change of the picture. */
  pressToPictureMs: number | null
  quality: keyof typeof qualities
  /** Modifiers that are kept down. */
  held: readonly StickyKey[]
  /** Why the last attempt failed. */
  problem: WireProblem | null
  /** When the still picture was live, in ms; null without one. */
  pictureAt: number | null
}

export const nothingShown: LiveSnapshot = {
  phase: 'idle',
  mode: 'view',
  framesPerSecond: 0,
  bytesPerSecond: 0,
  bitsPerSecond: null,
  pressToPictureMs: null,
  quality: 'best',
  held: [],
  problem: null,
  pictureAt: null,
}

export interface LiveSource {
  open(wish: LiveWish, look: ScreenLook): Promise<PortStream>
  draw(target: HTMLElement, stream: PortStream, wish: LiveWish, look: ScreenLook, events: ScreenEvents): Screen
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
  #bytes = 0
  #meter = bandwidthMeter()
  #pressedAt: number | null = null
  #choices: Pick<ViewChoices, 'scaling' | 'quality'> = { scaling: 'fit', quality: 'auto' }
  #snapshot: LiveSnapshot = nothingShown

  constructor(options: SessionOptions) {
    this.#options = options
    const picture = lastPicture(options.machineId)
    if (picture !== undefined) {
      drawCopy(picture.canvas, options.still)
      this.#change({ pictureAt: picture.at })
    }
    this.#ticker = setInterval(() => this.#measure(), 1000)
  }

  /** What is wanted now: nothing, to watch, or to control. The same wish twice changes nothing. */
  want(wish: LiveWish | null): void {
    if (wish?.view === this.#wish?.view && wish?.mode === this.#wish?.mode) return
    this.#wish = wish
    this.#leave()
    this.#waits.reset()
    if (wish === null)
      this.#change({ phase: 'idle', mode: 'view', problem: null, framesPerSecond: 0, bytesPerSecond: 0 })
    else {
      this.#change({ phase: 'connecting', problem: null })
      void this.#connect(wish)
    }
  }

  /** How it is to be shown. */
  choose(choices: Pick<ViewChoices, 'scaling' | 'quality'>): void {
    this.#choices = choices
    this.#adjust()
  }

  /** A person pressed something: the next change of the picture is taken for its answer. */
  pressed(): void {
    this.#pressedAt = performance.now()
  }

  /** Keeps a modifier down until it is let go, the keyboard goes elsewhere, or control is lost. */
  hold(id: StickyKey, down: boolean): void {
    const { held } = this.#snapshot
    const sticky = stickyKeys.find((one) => one.id === id)
    if (sticky === undefined || held.includes(id) === down || this.#snapshot.mode !== 'control') return
    this.#screen?.hold(sticky.key, down)
    this.#change({ held: down ? [...held, id] : held.filter((one) => one !== id) })
  }

  release(): void {
    for (const id of this.#snapshot.held) this.hold(id, false)
  }

  /** Whether keys go to the machine now. */
  get hasKeyboard(): boolean {
    return this.#host?.contains(document.activeElement) === true
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
    this.focus()
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
      const look = this.#look()
      const stream = await this.#options.source.open(wish, look)
      if (!current()) {
        stream.close(1000, 'no longer wanted')
        return
      }
      const host = document.createElement('div')
      // Drawn unseen over the last picture until it is whole.
      host.style.visibility = 'hidden'
      this.#options.stage.append(host)
      this.#host = host
      this.#screen = this.#options.source.draw(host, stream, wish, look, {
        onComplete: () => current() && this.#complete(host, wish),
        onFrame: () => this.#drawn(),
        onBytes: (bytes) => {
          this.#bytes += bytes
          this.#meter.add(bytes, performance.now())
        },
        onBlur: (to) => {
          // The keys' own menu is where they are let go.
          if (!(to instanceof Element && to.closest('[data-live-keys]') !== null)) this.release()
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
    this.#change({ phase: 'reconnecting', problem, framesPerSecond: 0, bytesPerSecond: 0 })
    this.#timer = setTimeout(() => void this.#connect(wish), this.#waits.next())
  }

  /** Ends what there is, keeping its picture on the still canvas. */
  #leave(): void {
    this.#attempt++
    clearTimeout(this.#timer)
    const { machineId, still } = this.#options
    const screen = this.#screen
    this.release()
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

  #look(): ScreenLook {
    return { scaling: this.#choices.scaling, quality: qualities[this.#snapshot.quality] }
  }

  #adjust(): void {
    const { quality: chosen } = this.#choices
    const quality = chosen === 'auto' ? qualityFor(this.#snapshot.bitsPerSecond) : chosen
    const changed = quality !== this.#snapshot.quality
    if (changed) this.#change({ quality })
    // The screencast's quality is said when it is opened.
    if (changed && this.#wish?.view === 'screencast' && this.#screen !== null) {
      const wish = this.#wish
      this.#leave()
      void this.#connect(wish)
    } else this.#screen?.adjust(this.#look())
  }

  #drawn(): void {
    this.#frames++
    if (this.#pressedAt === null) return
    const pressToPictureMs = performance.now() - this.#pressedAt
    this.#pressedAt = null
    this.#change({ pressToPictureMs })
  }

  #measure(): void {
    const { phase, framesPerSecond, bytesPerSecond } = this.#snapshot
    const { bitsPerSecond } = this.#meter
    if (phase === 'live') {
      if (this.#frames !== framesPerSecond || this.#bytes !== bytesPerSecond)
        this.#change({ framesPerSecond: this.#frames, bytesPerSecond: this.#bytes, bitsPerSecond })
      this.#adjust()
    }
    this.#frames = 0
    this.#bytes = 0
  }

  #change(changed: Partial<LiveSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...changed }
    this.#options.onChange(this.#snapshot)
  }
}
