import { setTimeout as sleep } from 'node:timers/promises'
import { keptText } from '../../shared/domain/kept-text.ts'
import { Problem } from '../../shared/errors.ts'
import { withoutLogin } from '../browser/address.ts'
import type { CdpParams, CdpSession } from '../browser/cdp.ts'
import { Frames } from './frames.ts'
import { Loading } from './loading.ts'
import { Operation } from './operation.ts'

export interface Dialog {
  type: string
  message: string
  defaultPrompt: string
  url: string
}

/** What Chromium's browser process says of a tab. */
export interface TargetInfo {
  targetId: string
  type: string
  url: string
  title: string
}

export interface OperationOptions {
  limitMs: number
  /** Aborted when whoever asked went away. */
  signal?: AbortSignal | undefined
  /** A page that crashed can still be navigated. */
  evenCrashed?: boolean
}

/** The longest text of a page's dialog that is passed on. */
const maxMessage = 2000
const endLimitMs = 1000

/** One tab: what it shows, how far it is, and what stands in the way of working with it. */
export class Page {
  readonly id: string
  readonly cdp: CdpSession
  readonly frames = new Frames()
  readonly loading: Loading
  #url = ''
  title: string
  /** Whether the title is the one that the document itself has told. */
  saidTitle = false
  /** Which of all times that a tab came to be seen this was; 0 while it is hidden. */
  shownAt = 0
  dialog: Dialog | null = null
  /** The process that the page lives in, by the name of its JavaScript engine; undefined until the page has said it. */
  isolate: string | undefined
  crashed = false
  closed = false
  /** For tabs that nobody looks at: a dialog there is dismissed, since nobody would answer it. */
  dismissesDialogs = false
  readonly #dialogListeners = new Set<(dialog: Dialog | null) => void>()
  readonly #heldUpListeners = new Set<() => void>()
  readonly #operations = new Set<Operation>()
  readonly #stops: (() => void)[] = []
  readonly #gone = Promise.withResolvers<void>()
  #leaving = 0
  #learnt = 0
  #ended: { by: Operation | undefined; done: () => void } | undefined

  constructor(info: TargetInfo, cdp: CdpSession) {
    this.id = info.targetId
    this.cdp = cdp
    this.url = info.url
    this.title = info.title
    this.loading = new Loading(info.targetId)
    this.#stops.push(
      this.loading.follow(cdp),
      cdp.on('Page.javascriptDialogOpening', (params) => this.#dialogOpened(params)),
      cdp.on('Page.javascriptDialogClosed', () => this.#setDialog(null)),
      cdp.on('Page.frameNavigated', (params) => {
        if ((params['frame'] as { parentId?: string }).parentId !== undefined) return
        this.crashed = false
        this.saidTitle = false
        void this.learnIsolate()
      }),
    )
  }

  get url(): string {
    return this.#url
  }

  set url(address: string) {
    this.#url = withoutLogin(address)
  }

  /** As the page itself says; a tab in the background is hidden. */
  get visible(): boolean {
    return this.shownAt > 0
  }

  /** Whether calls are at work on it: what they hold in the page must stay. */
  get busy(): boolean {
    return this.#operations.size > 0
  }

  /** Runs work on the page until it is done, its time is up, or the page crashes, closes or shows a dialog. */
  async perform<Result>(options: OperationOptions, work: (operation: Operation) => Promise<Result>): Promise<Result> {
    if (this.closed) throw closedProblem()
    if (this.crashed && options.evenCrashed !== true) throw crashedProblem()
    if (this.dialog !== null) throw dialogProblem(this.dialog)
    const operation = new Operation(options.limitMs)
    this.#operations.add(operation)
    try {
      return await operation.run(work, options.signal)
    } finally {
      this.#operations.delete(operation)
    }
  }

  /** A page that is left on request does not get to ask whether it may be left. */
  async leave<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#leaving++
    try {
      return await work()
    } finally {
      this.#leaving--
    }
  }

  /** Waits for input to be taken; one that opens a dialog is answered by Chromium only after the dialog. */
  async input(operation: Operation, dispatch: () => Promise<unknown>): Promise<void> {
    operation.dialogIs = 'outcome'
    const opened = Promise.withResolvers<void>()
    const stop = this.onDialog((dialog) => {
      if (dialog !== null) opened.resolve()
    })
    this.#heldUpListeners.add(opened.resolve)
    try {
      // A click may close its own tab, and has worked then.
      await Promise.race([dispatch(), opened.promise, this.#gone.promise])
    } finally {
      stop()
      this.#heldUpListeners.delete(opened.resolve)
    }
  }

  /** Calls back with each dialog that opens, and with null when it is gone; returns what ends it. */
  onDialog(listener: (dialog: Dialog | null) => void): () => void {
    this.#dialogListeners.add(listener)
    return () => this.#dialogListeners.delete(listener)
  }

  crash(): void {
    this.crashed = true
    this.#setDialog(null)
    for (const operation of this.#operations) if (operation !== this.#ended?.by) operation.interrupt(crashedProblem())
    this.#ended?.done()
  }

  /** Ends the page's process, for one that leaves the page and goes on itself. */
  async end(by?: Operation): Promise<void> {
    const ended = Promise.withResolvers<void>()
    this.#ended = { by, done: ended.resolve }
    // A page that crashes does not answer.
    void this.cdp
      .send('Page.crash', {}, endLimitMs)
      .catch(() => {})
      .then(() => ended.resolve())
    await ended.promise
    this.#ended = undefined
  }

  /** Another tab keeps this page from answering: what it was asked ends, and input that it was given has worked. */
  holdUp(problem: Problem): void {
    for (const listener of this.#heldUpListeners) listener()
    for (const operation of this.#operations) if (operation.dialogIs === 'obstacle') operation.interrupt(problem)
  }

  /** Asks in which process the page lives: another document may be in another. */
  async learnIsolate(): Promise<void> {
    const asked = ++this.#learnt
    this.isolate = undefined
    const { id } = await this.cdp.send('Runtime.getIsolateId').catch(() => ({}) as CdpParams)
    if (asked === this.#learnt && typeof id === 'string') this.isolate = id
  }

  async isGoneWithin(limitMs: number): Promise<boolean> {
    await Promise.race([this.#gone.promise, sleep(limitMs, undefined, { ref: false })])
    return this.closed
  }

  /** Waits for the tab to be gone; one that asks the person before it closes takes its time. */
  async untilClosed(limitMs: number): Promise<void> {
    if (!(await this.isGoneWithin(limitMs))) throw new Problem('timeout', 'The tab does not close. Try again.')
  }

  close(): void {
    this.closed = true
    this.#gone.resolve()
    for (const stop of this.#stops.splice(0)) stop()
    for (const operation of this.#operations)
      if (operation.dialogIs === 'obstacle') operation.interrupt(closedProblem())
  }

  #dialogOpened(params: CdpParams): void {
    const { type, message, url, defaultPrompt } = params as Record<string, string | undefined>
    const leaving = type === 'beforeunload' && this.#leaving > 0
    if (leaving || this.dismissesDialogs) {
      void this.cdp.send('Page.handleJavaScriptDialog', { accept: leaving || type === 'beforeunload' }).catch(() => {})
      return
    }
    this.#setDialog({
      type: type ?? 'alert',
      message: keptText(message ?? '', maxMessage),
      defaultPrompt: keptText(defaultPrompt ?? '', maxMessage),
      url: keptText(url ?? '', maxMessage),
    })
  }

  #setDialog(dialog: Dialog | null): void {
    if (this.dialog === null && dialog === null) return
    this.dialog = dialog
    for (const listener of this.#dialogListeners) listener(dialog)
    if (dialog === null) return
    for (const operation of this.#operations)
      if (operation.dialogIs === 'obstacle') operation.interrupt(dialogProblem(dialog))
  }
}

function dialogProblem(dialog: Dialog): Problem {
  return new Problem(
    'conflict',
    `The page shows a dialog (${dialog.type}: "${dialog.message.slice(0, 200)}") and does nothing else meanwhile. Answer it with POST /v1/browser/dialog.`,
    { dialog },
  )
}

function crashedProblem(): Problem {
  return new Problem('cdp-error', 'The page crashed. Navigate or reload to go on.')
}

function closedProblem(): Problem {
  return new Problem('cdp-error', 'The tab was closed meanwhile. Ask for the tabs, and activate one.')
}
