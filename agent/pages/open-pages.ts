import { Problem } from '../../shared/errors.ts'
import { withoutLogin } from '../browser/address.ts'
import { CdpConnection, type CdpParams, CdpSession } from '../browser/cdp.ts'
import { ConsoleLog } from './console-log.ts'
import { Downloads } from './downloads.ts'
import { FileChoosers } from './file-choosers.ts'
import { isolatedWorld } from './in-frame.ts'
import { NetworkLog } from './network-log.ts'
import { Page, type TargetInfo } from './page.ts'
import { PageEvents } from './page-events.ts'
import { binding, tellAgain, teller } from './teller.ts'

/** Chromium stops a new target until everything is listened to, so that its first request is not missed. */
const autoAttach = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }
const listening = ['page', 'iframe', 'worker', 'shared_worker', 'service_worker']
/** A page that hangs must not keep the others waiting. */
const setUpLimitMs = 5000
const keyboardLimitMs = 1000

/** The tabs of a running browser, over a CDP connection of their own: which there are, which is in front, what happens. */
export class OpenPages {
  readonly #cdp: CdpConnection
  readonly #pages = new Map<string, Page>()
  readonly #settingUp = new Map<string, Promise<void>>()
  readonly #cleanups = new Map<string, () => void>()
  /** Conversations with documents: pages, and frames in processes of their own. */
  readonly #documents = new Set<CdpSession>()
  /** Of each target, the conversations in which it is heard of. */
  readonly #tellers = new Map<string, Set<CdpSession>>()
  #catchesFiles = true
  /** Called when a tab was opened and there was none: it has a window of its own, as Chromium likes to have it. */
  onWindow: () => Promise<void> = async () => {}
  #front: Page | null = null
  #shown = 0
  readonly events = new PageEvents()
  readonly downloads: Downloads
  readonly choosers = new FileChoosers(this.events)
  readonly console = new ConsoleLog((message) => this.events.emit({ type: 'console', ...message }))
  /** Why an address could not be had, where somebody knows better than Chromium. */
  explain = (_url: string, error: string): string => error
  readonly network = new NetworkLog(
    (request) => this.events.emit({ type: 'network', ...request }),
    (url, error) => this.explain(url, error),
  )

  private constructor(cdp: CdpConnection) {
    this.#cdp = cdp
    this.downloads = new Downloads(cdp, this.events)
    cdp.on('Target.attachedToTarget', (params, parent) => this.#attached(params, parent))
    cdp.on('Target.detachedFromTarget', (params) => this.#cleanups.get(String(params['sessionId']))?.())
    cdp.on('Target.targetInfoChanged', (params) => this.#changed(params['targetInfo'] as TargetInfo))
    cdp.on('Target.targetDestroyed', (params) => this.#destroyed(String(params['targetId'])))
    cdp.on('Target.targetCrashed', (params) => this.#crashed(String(params['targetId'])))
  }

  static async open(browserUrl: string, downloadsDir: string): Promise<OpenPages> {
    const cdp = await CdpConnection.connect(browserUrl)
    const pages = new OpenPages(cdp)
    await cdp.send('Target.setDiscoverTargets', { discover: true })
    await pages.downloads.allow(downloadsDir)
    await cdp.send('Target.setAutoAttach', autoAttach)
    await Promise.all(pages.#settingUp.values())
    return pages
  }

  /** Settles when the browser is not listened to any more: it ended, or said more at once than is taken. */
  get closed(): Promise<void> {
    return this.#cdp.closed
  }

  get open(): boolean {
    return this.#cdp.open
  }

  list(): Page[] {
    return [...this.#pages.values()]
  }

  /** The tab in front; null when there is none. */
  get front(): Page | null {
    return this.#front
  }

  requireFront(): Page {
    if (this.#front !== null) return this.#front
    throw new Problem('cdp-error', 'The browser has no tab open. Open one with POST /v1/browser/tabs.')
  }

  require(id: string): Page {
    const page = this.#pages.get(id)
    if (page !== undefined) return page
    throw new Problem('not-found', 'There is no tab with that id. GET /v1/browser/tabs lists them.')
  }

  /** Opens a tab and waits until it can be worked with. */
  async openTab(background: boolean): Promise<Page> {
    const alone = this.#pages.size === 0
    const { targetId } = await this.#cdp.send('Target.createTarget', { url: 'about:blank', background })
    const id = String(targetId)
    await this.#settingUp.get(id)
    const page = this.#pages.get(id)
    if (page === undefined) throw new Problem('cdp-error', 'The tab was gone before it could be used. Open it again.')
    if (!background) this.#setFront(page)
    if (alone) await this.onWindow()
    return page
  }

  async activate(page: Page): Promise<void> {
    await this.#cdp.send('Target.activateTarget', { targetId: page.id })
    await this.giveKeyboard(page)
    this.#setFront(page)
  }

  /**
   * What is typed on the display goes to this tab. Chromium does so by itself for a tab that is opened or clicked into,
   * but not for the one that it starts with: there the keyboard is in an address bar that nobody sees.
   */
  async giveKeyboard(page: Page): Promise<void> {
    // A tab that does not take it can still be looked at, and clicked into.
    await page.cdp.send('Page.bringToFront', {}, keyboardLimitMs).catch(() => {})
  }

  async closeTab(page: Page): Promise<void> {
    await this.#cdp.send('Target.closeTarget', { targetId: page.id })
  }

  /**
   * Whether a click on a file field opens no dialog. It would be one of the desktop, and the browser does little else
   * until a person has answered it: where there is none, files are given with an upload.
   */
  async catchFiles(catches: boolean): Promise<void> {
    this.#catchesFiles = catches
    const told = { enabled: catches }
    const all = [...this.#documents].map((cdp) => cdp.send('Page.setInterceptFileChooserDialog', told, setUpLimitMs))
    await Promise.allSettled(all)
  }

  /** Settles when the page in front shows a dialog, or nobody waits for it any more. */
  async untilDialog(over: AbortSignal): Promise<void> {
    while (!over.aborted && (this.#front?.dialog ?? null) === null) await this.events.next('dialog', setUpLimitMs, over)
  }

  /** Has every tab give up going elsewhere that has not got there since then. */
  async stopGoing(since: number): Promise<void> {
    const onTheWay = this.list().filter(({ loading }) => loading.movedAt < since)
    await Promise.allSettled(onTheWay.map(({ cdp }) => cdp.send('Page.stopLoading', {}, setUpLimitMs)))
  }

  /** A command to the browser itself rather than to a page. */
  send(method: string, params: CdpParams = {}): Promise<CdpParams> {
    return this.#cdp.send(method, params)
  }

  close(): void {
    for (const page of this.list()) page.close()
    this.#cdp.close()
  }

  #attached(params: CdpParams, parentSession: string | undefined): void {
    const info = params['targetInfo'] as TargetInfo & { parentFrameId?: string }
    const cdp = new CdpSession(this.#cdp, String(params['sessionId']))
    if (!listening.includes(info.type) || info.url.startsWith('devtools:')) {
      void cdp.send('Runtime.runIfWaitingForDebugger').catch(() => {})
      void cdp.detach()
      return
    }
    // A worker that several pages share is told of by each of them, and by the browser: one of them is believed.
    const tellers = this.#tellers.get(info.targetId) ?? new Set()
    this.#tellers.set(info.targetId, tellers.add(cdp))
    const believed = () => tellers.values().next().value === cdp
    const stops = [this.console.follow(cdp, believed), this.network.follow(cdp, info.targetId)]
    this.#cleanups.set(cdp.id, () => {
      this.#cleanups.delete(cdp.id)
      tellers.delete(cdp)
      if (tellers.size === 0) this.#tellers.delete(info.targetId)
      this.#documents.delete(cdp)
      for (const stop of stops.splice(0)) stop()
    })
    const setUp = this.#setUp(info, cdp, parentSession, stops)
    this.#settingUp.set(info.targetId, setUp)
    void setUp.finally(() => this.#settingUp.delete(info.targetId))
  }

  async #setUp(
    info: TargetInfo & { parentFrameId?: string },
    cdp: CdpSession,
    parentSession: string | undefined,
    stops: (() => void)[],
  ): Promise<void> {
    const quietly = (method: string, params: CdpParams = {}) =>
      cdp.send(method, params, setUpLimitMs).then(
        () => {},
        () => {},
      )
    const document = info.type === 'page' || info.type === 'iframe'
    const page = info.type === 'page' ? this.#add(info, cdp) : this.list().find((one) => owns(one, parentSession))
    const steps = [
      quietly('Runtime.enable'),
      quietly('Network.enable', { maxTotalBufferSize: 1024, maxResourceBufferSize: 1024 }),
      quietly('Log.enable'),
      quietly('Target.setAutoAttach', autoAttach),
    ]
    if (document) {
      this.#documents.add(cdp)
      const root = info.type === 'iframe' ? { id: info.targetId, parentId: info.parentFrameId ?? null } : undefined
      steps.push(
        quietly('Page.enable'),
        quietly('Page.setLifecycleEventsEnabled', { enabled: true }),
        quietly('Page.setInterceptFileChooserDialog', { enabled: this.#catchesFiles }),
        page?.frames.follow(cdp, root).then((stop) => void stops.push(stop)) ?? Promise.resolve(),
      )
    }
    if (document && page !== undefined) stops.push(this.choosers.follow(page, cdp))
    if (info.type === 'page' && page !== undefined) {
      void page.learnIsolate()
      stops.push(
        cdp.on('Runtime.bindingCalled', (call) => this.#told(page, call)),
        cdp.on('Page.documentOpened', ({ frame }) => void lookAgain(cdp, (frame as { id: string }).id)),
      )
      steps.push(
        quietly('Runtime.addBinding', { name: binding, executionContextName: isolatedWorld }),
        quietly('Page.addScriptToEvaluateOnNewDocument', {
          source: teller,
          worldName: isolatedWorld,
          runImmediately: true,
        }),
      )
    }
    steps.push(quietly('Runtime.runIfWaitingForDebugger'))
    await Promise.all(steps)
  }

  #add(info: TargetInfo, cdp: CdpSession): Page {
    const page = new Page(info, cdp)
    page.onDialog((dialog) => this.events.emit({ type: 'dialog', tabId: page.id, dialog }))
    cdp.on('Page.frameNavigated', (params) => {
      const frame = params['frame'] as { id: string; parentId?: string; url: string; urlFragment?: string }
      if (frame.parentId !== undefined) return
      this.#navigated(page, frame.url + (frame.urlFragment ?? ''))
      if (page.loading.documents === 1) void lookAgain(cdp, frame.id)
    })
    cdp.on('Page.navigatedWithinDocument', (params) => {
      if (params['frameId'] === page.frames.main?.id) this.#navigated(page, String(params['url']))
    })
    this.#pages.set(page.id, page)
    this.#front ??= page
    return page
  }

  #navigated(page: Page, url: string): void {
    page.url = url
    this.events.emit({
      type: 'navigation',
      tabId: page.id,
      url: page.url,
      title: page.title,
      active: page === this.#front,
    })
  }

  #changed(info: TargetInfo): void {
    const page = this.#pages.get(info.targetId)
    if (page === undefined) return
    // What the document says of itself is newer: Chromium's process lags behind, and does not tell each title.
    const title = page.saidTitle ? page.title : info.title
    if (page.url === withoutLogin(info.url) && page.title === title) return
    page.title = title
    this.#navigated(page, info.url)
  }

  #told(page: Page, call: CdpParams): void {
    if (call['name'] !== binding) return
    const { seen, title } = JSON.parse(String(call['payload'])) as { seen?: string; title?: string }
    if (title !== undefined) page.saidTitle = true
    if (title !== undefined && title !== page.title) {
      page.title = title
      this.#navigated(page, page.url)
    }
    if (seen === undefined) return
    const before = page.shownAt
    page.shownAt = seen === 'hidden' ? 0 : ++this.#shown
    if (seen === 'focused' || (seen === 'visible' && !this.#front?.visible)) this.#setFront(page)
    if (seen !== 'hidden' || page !== this.#front) return
    // The one that came before it may have said so before this one said that it is behind.
    const next = this.list().find((one) => one.shownAt > before)
    if (next !== undefined) this.#setFront(next)
  }

  #setFront(page: Page): void {
    if (this.#front === page || page.closed) return
    this.#front = page
    this.#navigated(page, page.url)
  }

  #destroyed(targetId: string): void {
    const page = this.#pages.get(targetId)
    if (page === undefined) return
    this.#pages.delete(targetId)
    this.choosers.drop(page)
    page.close()
    if (this.#front !== page) return
    // The one that comes to the front says so itself; until then a visible one, or the newest, is the likeliest.
    const left = this.list()
    const next = left.findLast((one) => one.visible) ?? left.at(-1)
    this.#front = null
    if (next !== undefined) this.#setFront(next)
  }

  #crashed(targetId: string): void {
    const page = this.#pages.get(targetId)
    if (page === undefined) {
      for (const cdp of this.#tellers.get(targetId) ?? []) for (const one of this.list()) one.frames.crashed(cdp)
      return
    }
    page.crash()
    this.events.emit({ type: 'crash', tabId: page.id, url: page.url })
  }
}

/** Has the page in that frame tell of itself once more. */
async function lookAgain(cdp: CdpSession, frameId: string): Promise<void> {
  try {
    const world = await cdp.send('Page.createIsolatedWorld', { frameId, worldName: isolatedWorld }, setUpLimitMs)
    const look = { expression: tellAgain, contextId: world['executionContextId'] }
    await cdp.send('Runtime.evaluate', look, setUpLimitMs)
  } catch {
    // It is gone already, or hangs: the next document tells of itself.
  }
}

function owns(page: Page, session: string | undefined): boolean {
  return page.cdp.id === session || page.frames.list().some((frame) => frame.cdp.id === session)
}
