import { setTimeout as sleep } from 'node:timers/promises'
import type { PageInput } from '../../shared/contract/browser.ts'
import type { SocketParamsOut } from '../../shared/contract/index.ts'
import type { FileChooser } from '../pages/file-choosers.ts'
import type { Dialog } from '../pages/page.ts'
import type { ServerSocket } from '../server/handlers.ts'
import type { CdpParams, CdpSession } from './cdp.ts'
import type { PageTarget } from './devtools.ts'
import { PageInputDriver } from './page-input.ts'
import type { Session } from './session.ts'

/** Unsent bytes beyond which the next picture waits: Chromium sends none before the last is acknowledged. */
const highWaterBytes = 256 * 1024
const drainPollMs = 10
/** Which tab is in front is looked at when something changed, and this often in case a look failed. */
const lookMs = 500

export interface WatcherOptions extends SocketParamsOut<'watch'> {
  mayControl: () => boolean
}

/** One client that watches the page in front through the screencast, and acts on it while it has the lease. */
export class PageWatcher {
  readonly #session: Session
  readonly #socket: ServerSocket<'watch'>
  readonly #options: WatcherOptions
  readonly #input = new PageInputDriver()
  readonly #ended = new AbortController()
  #page: { target: PageTarget; cdp: CdpSession; leave: () => void } | null = null
  /** The newest picture that waits for its turn; those before it that were not sent are of no use to anyone. */
  #waiting: CdpParams | null = null
  #sending = false
  #held = false
  /** The dialog that the client was told of. */
  #dialog: Dialog | null = null
  #chooser: FileChooser | null = null
  #crashed = false
  readonly #stopListening: () => void
  /** Input in the order it came; a page that does not answer does not collect more than this. */
  #acting: Promise<void> = Promise.resolve()
  #queued = 0
  /** Settles when the first tab is there: what is typed before that waits for it. */
  readonly #entered = Promise.withResolvers<void>()

  constructor(session: Session, socket: ServerSocket<'watch'>, options: WatcherOptions) {
    this.#session = session
    this.#socket = socket
    this.#options = options
    socket.onMessage = (message) => this.#act(message as PageInput)
    this.#stopListening = session.pages.events.on((event) => {
      const { type } = event
      if (type === 'dialog' || type === 'crash' || type === 'file-chooser') this.#tellObstacles()
      // No picture of a page shows that something was downloaded.
      else if (type === 'download' && options.screencast && !options.events) socket.send(event)
    })
    this.controlChanged()
    this.#tellObstacles()
    void this.#follow()
  }

  /** Tells the client whether its input passes; lets go of what is held down when it no longer does. */
  controlChanged(): void {
    const held = this.#options.mayControl()
    if (this.#held && !held) this.#release()
    this.#held = held
    this.#socket.send({ type: 'control', held })
  }

  stop(): void {
    if (this.#ended.signal.aborted) return
    this.#ended.abort()
    this.#stopListening()
    this.#entered.resolve()
    this.#release()
    void this.#acting.then(() => this.#leavePage())
  }

  async #follow(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      try {
        const { front } = this.#session.pages
        if (front !== null) await this.#show({ id: front.id, url: front.url, title: front.title })
      } catch {
        // The tab went away while it was being attached to: the next look finds the one behind it.
      }
      await this.#session.pages.events.next('navigation', lookMs, this.#ended.signal)
    }
  }

  /**
   * Pictures of a page show none of its dialogs, and the page does nothing until one is answered. They end when it
   * crashes, and the last one looks as if nothing were wrong.
   */
  #tellObstacles(): void {
    const { screencast, events } = this.#options
    const { front } = this.#session.pages
    if (!screencast || events || front === null) return
    const { id: tabId, url, title, dialog, crashed } = front
    if (dialog !== this.#dialog) this.#socket.send({ type: 'dialog', tabId, dialog })
    this.#dialog = dialog
    const chooser = this.#session.pages.choosers.of(front)
    if (chooser !== this.#chooser) {
      const told = chooser === null ? null : { multiple: chooser.multiple }
      this.#socket.send({ type: 'file-chooser', tabId, chooser: told })
    }
    this.#chooser = chooser
    if (crashed === this.#crashed) return
    this.#crashed = crashed
    this.#socket.send(crashed ? { type: 'crash', tabId, url } : { type: 'navigation', tabId, url, title, active: true })
  }

  async #show(front: PageTarget): Promise<void> {
    this.#tellObstacles()
    const shown = this.#page?.target
    const sameTab = shown?.id === front.id
    if (sameTab && shown.url === front.url && shown.title === front.title) return
    if (sameTab && this.#page !== null) this.#page.target = front
    else await this.#enterPage(front)
    if (!this.#ended.signal.aborted) this.#socket.send({ type: 'page', url: front.url, title: front.title })
  }

  async #enterPage(target: PageTarget): Promise<void> {
    await this.#leavePage()
    const cdp = await this.#session.cdp.attach(target.id)
    const leave = cdp.on('Page.screencastFrame', (frame) => void this.#frame(cdp, frame))
    this.#page = { target, cdp, leave }
    this.#entered.resolve()
    if (this.#ended.signal.aborted) return this.#leavePage()
    if (!this.#options.screencast) return
    const { quality, maxWidth, maxHeight } = this.#options
    const size = { ...(maxWidth === undefined ? {} : { maxWidth }), ...(maxHeight === undefined ? {} : { maxHeight }) }
    // Not waited for: a page with a dialog answers neither before the dialog is answered, and is shown all the same.
    for (const [method, params] of [
      ['Page.enable', {}],
      ['Page.startScreencast', { format: 'jpeg', quality, ...size }],
    ] as const)
      void cdp.send(method, params).catch(() => {})
  }

  async #leavePage(): Promise<void> {
    const page = this.#page
    this.#page = null
    page?.leave()
    await page?.cdp.detach()
  }

  async #frame(cdp: CdpSession, frame: CdpParams): Promise<void> {
    this.#waiting = frame
    if (!this.#sending) void this.#sendWaiting()
    while (this.#socket.bufferedBytes > highWaterBytes && !this.#ended.signal.aborted) await sleep(drainPollMs)
    await cdp.send('Page.screencastFrameAck', { sessionId: frame['sessionId'] }).catch(() => {})
  }

  /** No more pictures a second than was asked for at the start; the last one always comes. */
  async #sendWaiting(): Promise<void> {
    this.#sending = true
    for (let next = this.#waiting; next !== null && !this.#ended.signal.aborted; next = this.#waiting) {
      this.#waiting = null
      this.#send(next)
      await sleep(1000 / this.#session.options.streamFrameRate)
    }
    this.#sending = false
  }

  #send(frame: CdpParams): void {
    const picture = Buffer.from(String(frame['data']), 'base64')
    const metadata = (frame['metadata'] ?? {}) as Record<string, number | undefined>
    this.#socket.send({
      type: 'frame',
      bytes: picture.length,
      width: metadata['deviceWidth'] ?? 0,
      height: metadata['deviceHeight'] ?? 0,
      timestamp: metadata['timestamp'] ?? 0,
    })
    this.#socket.sendBytes(picture)
  }

  #act(input: PageInput): void {
    const answer = (taken = true) => {
      if (input.type === 'text' && input.id !== undefined && !this.#ended.signal.aborted)
        this.#socket.send({ type: 'acted', id: input.id, taken })
    }
    // Dropped here, whatever the client says: the lease decides.
    if (!this.#options.mayControl() || this.#queued > 1000) return answer()
    // What is meant for the dialog must not wait until it is gone, and act on the page behind it then.
    const isPress = input.type === 'text' || input.event !== 'up'
    if (isPress && (this.#session.pages.front?.dialog ?? null) !== null) return answer(false)
    this.#enqueue((cdp) => this.#input.act(cdp, input))
    void this.#acting.then(() => answer())
  }

  #release(): void {
    this.#enqueue((cdp) => this.#input.release(cdp))
  }

  #enqueue(work: (cdp: CdpSession) => Promise<void>): void {
    this.#queued++
    this.#acting = this.#acting
      .then(() => this.#entered.promise)
      .then(() => (this.#page === null ? undefined : work(this.#page.cdp)))
      .catch(() => {})
      .finally(() => {
        this.#queued--
      })
  }
}
