import { backoff } from '../../../shared/client/backoff.ts'
import type { WireProblem } from '../../../shared/errors.ts'
import { problemOf } from '../../app/bridge.ts'
import { PictureKeyboard } from './keyboard.ts'
import { drawCopy, isShown, keepPicture, lastPicture, recallPicture } from './pictures.ts'
import { bandwidthMeter, qualities, qualityFor } from './quality.ts'
import {
  type Download,
  type Screen,
  type ScreenKey,
  type ScreenLook,
  type ShownDialog,
  type StickyKey,
  stickyKeys,
} from './screen.ts'
import { type LiveSnapshot, type LiveWish, nothingShown } from './snapshot.ts'
import type { LiveSource } from './source.ts'
import type { ViewChoices } from './viewChoices.ts'

interface SessionOptions {
  machineId: string
  /** Where connections put their canvas. */
  stage: HTMLElement
  /** The canvas beneath, which keeps the last picture. */
  still: HTMLCanvasElement
  source: LiveSource
  onChange: (snapshot: LiveSnapshot) => void
  onShown: () => void
  onDownload: (download: Download) => void
}

/** Keys that are typed while a picture is made anew are lost: who pressed something goes on for this long, it is thought. */
const atItMs = 4000
/** A picture that moves is kept so often, for whatever may end it unseen. */
const keepEveryMs = 30_000
/** A connection that has no whole picture after this long is given up and made anew. */
const firstPictureMs = 15_000

/** Keeps a picture on the stage: connects, reconnects, and changes between watching and control unseen. */
export class LiveSession {
  readonly #options: SessionOptions
  readonly #waits = backoff({ maxMs: 8000 })
  readonly #ticker: ReturnType<typeof setInterval>
  readonly #keyboard: PictureKeyboard
  #wish: LiveWish | null = null
  /** Also while nothing is wanted, such as between two browsers. */
  #lastMode: LiveWish['mode'] = 'view'
  #attempt = 0
  #screen: Screen | null = null
  #host: HTMLElement | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #frames = 0
  #bytes = 0
  #meter = bandwidthMeter()
  #pressedAt: number | null = null
  #lastPress = Number.NEGATIVE_INFINITY
  #choices: Pick<ViewChoices, 'scaling' | 'quality'> = { scaling: 'fit', quality: 'auto' }
  #snapshot: LiveSnapshot = nothingShown
  /** When the picture was kept last, and whether it has changed since. */
  #kept = { at: Number.NEGATIVE_INFINITY, changed: false }
  #disposed = false
  readonly #stopShowing: () => void

  constructor(options: SessionOptions) {
    this.#options = options
    this.#keyboard = new PictureKeyboard(options.stage)
    const picture = lastPicture(options.machineId)
    if (picture !== undefined) {
      drawCopy(picture.canvas, options.still)
      this.#change({ pictureAt: picture.at })
    } else void this.#recall()
    this.#stopShowing = isShown(options.machineId, () =>
      this.#snapshot.phase === 'live' ? (this.#screen?.canvas ?? null) : null,
    )
    this.#ticker = setInterval(() => this.#measure(), 1000)
  }

  /** What is wanted now: nothing, to watch, or to control. The same wish twice changes nothing. */
  want(wish: LiveWish | null): void {
    if (wish?.view === this.#wish?.view && wish?.mode === this.#wish?.mode) return
    const sameView = wish !== null && wish.view === this.#wish?.view
    this.#wish = wish
    const ends = this.#lastMode === 'control' && wish?.mode !== 'control'
    if (ends && performance.now() - this.#lastPress < atItMs) this.#keyboard.hush()
    if (wish?.mode === 'control' && this.#lastMode !== 'control') this.#keyboard.ask()
    this.#lastMode = wish?.mode ?? this.#lastMode
    if (sameView && this.#snapshot.phase === 'live' && this.#screen?.become !== undefined) {
      void this.#become(this.#screen, wish)
      return
    }
    this.#leave()
    this.#waits.reset()
    if (wish === null) {
      this.#keyboard.letGo()
      this.#change({ phase: 'idle', mode: 'view', problem: null, framesPerSecond: 0, bytesPerSecond: 0 })
    } else {
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
    this.#lastPress = this.#pressedAt
  }

  /** Keeps a modifier down until it is let go, the keyboard goes elsewhere, or control is lost. */
  hold(id: StickyKey, down: boolean): void {
    const { held } = this.#snapshot
    const sticky = stickyKeys.find((one) => one.id === id)
    if (sticky === undefined || held.includes(id) === down || (down && !this.#takesKeys)) return
    this.#screen?.hold(sticky.key, down)
    this.#change({ held: down ? [...held, id] : held.filter((one) => one !== id) })
  }

  release(): void {
    for (const id of this.#snapshot.held) this.hold(id, false)
  }

  /** Whether there is a picture that a key can be sent to. */
  get #takesKeys(): boolean {
    return this.#screen !== null && this.#snapshot.phase === 'live' && this.#snapshot.mode === 'control'
  }

  /** Whether keys go to the machine now. */
  get hasKeyboard(): boolean {
    return this.#host?.contains(document.activeElement) === true
  }

  /** Does not wait for the next attempt. */
  retryNow(): void {
    if (this.#wish === null || this.#snapshot.phase === 'live') return
    if (this.#wish.mode === 'control') this.#keyboard.ask()
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
    this.#disposed = true
    this.#wish = null
    this.#leave()
    this.#stopShowing()
    this.#keyboard.dispose()
    clearInterval(this.#ticker)
  }

  /** What an earlier window kept, unless there is something newer by then. */
  async #recall(): Promise<void> {
    const picture = await recallPicture(this.#options.machineId)
    const { phase, pictureAt } = this.#snapshot
    if (picture === undefined || this.#disposed || phase === 'live' || pictureAt !== null) return
    drawCopy(picture.canvas, this.#options.still)
    this.#change({ pictureAt: picture.at, recalled: true })
  }

  /** The same picture, with other rights. */
  async #become(screen: Screen, wish: LiveWish): Promise<void> {
    this.release()
    const agreed = await screen.become?.(wish.mode)
    // Another picture, or another wish: whoever made it sees to it.
    if (this.#screen !== screen || this.#wish !== wish) return
    if (agreed !== true) {
      this.#leave()
      this.#change({ phase: 'connecting' })
      return void this.#connect(wish)
    }
    this.#giveKeyboard(wish.mode)
    this.#change({ mode: wish.mode, problem: null })
  }

  #giveKeyboard(mode: LiveWish['mode']): void {
    // A dialog of the page has it, until it is answered.
    if (mode === 'control' && this.#snapshot.dialog === null && this.#snapshot.chooser === null)
      this.#keyboard.give(() => this.focus())
    else this.#keyboard.forget()
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
        onDialog: (dialog) => current() && this.#stands({ dialog }),
        onChooser: (chooser) => current() && this.#change({ chooser }),
        onDownload: (download) => current() && this.#options.onDownload(download),
        onCrashed: (crashed) => current() && this.#stands({ crashed }),
        onClose: (reason) => current() && this.#lost(reason),
      })
      this.#awaitPicture()
    } catch (error) {
      if (current()) this.#failed(problemOf(error))
    }
  }

  #awaitPicture(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#lost('no picture came'), firstPictureMs)
  }

  /** A page that waits for an answer, or crashed, draws nothing: its picture may come only after that. */
  #stands(obstacle: { dialog: ShownDialog | null } | { crashed: boolean }): void {
    this.#change(obstacle)
    const { phase, dialog, crashed } = this.#snapshot
    if (phase === 'live') return
    if (dialog === null && !crashed) this.#awaitPicture()
    else clearTimeout(this.#timer)
  }

  #complete(host: HTMLElement, wish: LiveWish): void {
    clearTimeout(this.#timer)
    this.#waits.reset()
    host.style.visibility = 'visible'
    this.#giveKeyboard(wish.mode)
    this.#change({ phase: 'live', mode: wish.mode, problem: null, pictureAt: null, recalled: false })
    this.#kept = { at: performance.now(), changed: true }
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
    this.#change({ dialog: null, chooser: null, crashed: false })
    if (this.#snapshot.mode === 'control' && this.#wish?.mode !== 'view') this.#keyboard.keep()
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
    const { quality: before, bitsPerSecond, held } = this.#snapshot
    const quality = chosen === 'auto' ? qualityFor(bitsPerSecond) : chosen
    // The screencast's quality is said when it is opened.
    const reopened =
      quality !== before && this.#wish?.view === 'screencast' && this.#screen !== null ? this.#wish : null
    // A connection that ends lets go of what is kept down. That comes first; this is asked again every second.
    const atIt = chosen === 'auto' && performance.now() - this.#lastPress < atItMs
    if (reopened !== null && (held.length > 0 || atIt)) return
    if (quality !== before) this.#change({ quality })
    if (reopened !== null) {
      this.#leave()
      void this.#connect(reopened)
    } else this.#screen?.adjust(this.#look())
  }

  #drawn(): void {
    this.#frames++
    this.#kept.changed = true
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
      this.#keepNow()
    }
    this.#frames = 0
    this.#bytes = 0
  }

  #keepNow(): void {
    const now = performance.now()
    if (!this.#kept.changed || now - this.#kept.at < keepEveryMs || this.#screen === null) return
    this.#kept = { at: now, changed: false }
    keepPicture(this.#options.machineId, this.#screen.canvas)
  }

  #change(changed: Partial<LiveSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...changed }
    this.#options.onChange(this.#snapshot)
  }
}
