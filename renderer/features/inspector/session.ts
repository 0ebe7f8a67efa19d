import { backoff } from '../../../shared/client/backoff.ts'
import type { WireProblem } from '../../../shared/errors.ts'
import { problemOf } from '../../app/bridge.ts'
import { CdpFailed, CdpLink, type CdpListener, type CdpParams } from './cdp.ts'
import { ControlLink, type ControlOptions } from './control.ts'
import type { InspectorTransport, PageTab } from './transport.ts'

export interface InspectorSnapshot {
  /** `idle` wants nothing; `lost` had a connection and is on its way to the next. */
  phase: 'idle' | 'connecting' | 'open' | 'lost'
  /** The page that is looked at: the one in front, unless another was chosen. */
  tab: PageTab | null
  tabs: readonly PageTab[]
  /** Whether the tab was chosen, rather than followed. */
  chosen: boolean
  /** Whether this operator may write now. */
  mine: boolean
  /** The page's own process ended. */
  crashed: boolean
  /** What the page asks the person in front of it; it does nothing else until that is answered. */
  dialog: PageDialog | null
  problem: WireProblem | null
}

export interface PageDialog {
  type: string
  message: string
  /** What a prompt suggests. */
  suggestion: string
}

/** The page itself, or something in it that Chromium runs apart: a frame of another origin, a worker. */
export interface Scope {
  targetId: string
  /** Undefined for the page. */
  sessionId: string | undefined
  type: string
  url: string
}

const nothing: InspectorSnapshot = {
  phase: 'idle',
  tab: null,
  tabs: [],
  chosen: false,
  mine: false,
  crashed: false,
  dialog: null,
  problem: null,
}

/**
 * The inspector's connection to a machine's page. One link observes, as long as the tab is open; it survives
 * navigations and follows the tab in front. A second one, made when first needed, writes while the lease lasts: reading
 * goes on undisturbed by who has control.
 */
export class InspectorSession {
  readonly machineId: string
  readonly #transport: InspectorTransport
  readonly #waits = backoff({ maxMs: 8000 })
  readonly #listeners = new Map<string, Set<CdpListener>>()
  readonly #watchers = new Set<() => void>()
  readonly #onScope = new Set<(scope: Scope) => void>()
  readonly #onReset = new Set<() => void>()
  readonly #scopes = new Map<string | undefined, Scope>()
  #wanted = false
  #attempt = 0
  #asked = 0
  #link: CdpLink | null = null
  #control: Promise<ControlLink> | null = null
  #chosen: string | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #stopFollowing: () => void = () => {}
  #snapshot: InspectorSnapshot = nothing

  constructor(machineId: string, transport: InspectorTransport) {
    this.machineId = machineId
    this.#transport = transport
  }

  get snapshot(): InspectorSnapshot {
    return this.#snapshot
  }

  readonly subscribe = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** Whether there is a browser to look at, and whether this operator has the lease. */
  want({ live, mine }: { live: boolean; mine: boolean }): void {
    if (mine !== this.#snapshot.mine) {
      if (!mine) this.#dropControl()
      this.#change({ mine })
    }
    if (live === this.#wanted) return
    this.#wanted = live
    this.#waits.reset()
    this.#stopFollowing()
    this.#stopFollowing = () => {}
    if (live) {
      this.#stopFollowing = this.#transport.onMoved(() => this.refresh())
      this.#change({ phase: 'connecting', problem: null })
      void this.#connect()
    } else {
      this.#leave()
      this.#change({ phase: 'idle', problem: null })
    }
  }

  /** Asks the observing link. What does not merely read is refused by the agent. */
  send(method: string, params: CdpParams = {}, sessionId?: string): Promise<CdpParams> {
    if (this.#link === null) return Promise.reject(new CdpFailed(method, 'There is no connection to the page yet.'))
    return this.#link.send(method, params, sessionId)
  }

  /** Asks the controlling link; needs the lease. Node and object ids are each link's own. */
  async control(method: string, params: CdpParams = {}, options: ControlOptions = {}): Promise<CdpParams> {
    return (await this.#controlLink()).send(method, params, options)
  }

  /** Hears an event of the page, over every reconnection; returns the way to stop. */
  on(method: string, listener: CdpListener): () => void {
    const known = this.#listeners.get(method) ?? new Set()
    this.#listeners.set(method, known.add(listener))
    return () => known.delete(listener)
  }

  /** Called for the page and for each frame or worker that runs apart, now and at every connection to come. */
  onScope(listener: (scope: Scope) => void): () => void {
    this.#onScope.add(listener)
    if (this.#snapshot.phase === 'open') for (const scope of this.#scopes.values()) listener(scope)
    return () => this.#onScope.delete(listener)
  }

  /** Called when ids of nodes, objects and requests have lost their meaning: there is another link. */
  onReset(listener: () => void): () => void {
    this.#onReset.add(listener)
    return () => this.#onReset.delete(listener)
  }

  /** The scope of a frame that runs apart; undefined for one that does not. */
  scopeOf(targetId: string): Scope | undefined {
    return [...this.#scopes.values()].find((scope) => scope.targetId === targetId)
  }

  /** The frame that a connection of the observing link belongs to; undefined for the page. */
  frameOf(sessionId: string | undefined): string | undefined {
    return sessionId === undefined ? undefined : this.#scopes.get(sessionId)?.targetId
  }

  get scopes(): readonly Scope[] {
    return [...this.#scopes.values()]
  }

  /** Looks at this tab, wherever the front is; null follows the front again. */
  inspect(tabId: string | null): void {
    this.#chosen = tabId
    this.refresh()
  }

  /** Asks which tabs there are, and moves to the one to look at. */
  refresh(): void {
    if (!this.#wanted) return
    if (this.#link !== null && !this.#link.closed) void this.#follow()
  }

  /** Does not wait for the next attempt. */
  retryNow(): void {
    if (!this.#wanted || this.#snapshot.phase !== 'lost') return
    this.#leave()
    this.#waits.reset()
    void this.#connect()
  }

  dispose(): void {
    this.want({ live: false, mine: false })
    this.#watchers.clear()
  }

  async #connect(): Promise<void> {
    const attempt = ++this.#attempt
    const current = () => attempt === this.#attempt
    try {
      const tab = this.#take(await this.#transport.tabs())
      if (!current()) return
      if (tab === null) {
        this.#change({ phase: 'lost', tab: null, problem: noTab })
        return this.#again()
      }
      const link = new CdpLink(await this.#transport.open(tab.id, 'observer'))
      if (!current()) return link.close()
      this.#opened(link, tab)
      link.onClose = (reason) => current() && this.#lost(reason)
    } catch (error) {
      if (!current()) return
      this.#leave()
      this.#change({ phase: 'lost', problem: problemOf(error) })
      this.#again()
    }
  }

  #opened(link: CdpLink, tab: PageTab): void {
    this.#link = link
    link.onEvent = (method, params, sessionId) => this.#heard(method, params, sessionId)
    this.#waits.reset()
    this.#scopes.clear()
    for (const listener of this.#onReset) listener()
    this.#change({ phase: 'open', tab, problem: null, crashed: false, dialog: dialogOf(tab.dialog) })
    this.#addScope({ targetId: tab.id, sessionId: undefined, type: 'page', url: tab.url })
    link.send('Inspector.enable').catch(() => {})
    if (tab.dialog === undefined) return
    link.send('Runtime.getIsolateId', {}, undefined, dialogMs).then(
      // A page with a dialog open answers nothing, and tells those who come later not even that the dialog is gone.
      () => this.#link === link && this.#change({ dialog: null }),
      () => {},
    )
  }

  #heard(method: string, params: CdpParams, sessionId: string | undefined): void {
    if (method === 'Target.attachedToTarget') {
      const { targetId, type, url } = params['targetInfo'] as { targetId: string; type: string; url: string }
      this.#addScope({ targetId, sessionId: String(params['sessionId']), type, url })
    } else if (method === 'Target.detachedFromTarget') this.#scopes.delete(String(params['sessionId']))
    else if (method === 'Inspector.targetCrashed' && sessionId === undefined) this.#change({ crashed: true })
    else if (method === 'Inspector.targetReloadedAfterCrash' && sessionId === undefined)
      this.#change({ crashed: false })
    else if (method === 'Page.javascriptDialogOpening') this.#change({ dialog: dialogOf(params) })
    else if (method === 'Page.javascriptDialogClosed') this.#change({ dialog: null })
    for (const listener of this.#listeners.get(method) ?? []) listener(params, sessionId)
  }

  #addScope(scope: Scope): void {
    this.#scopes.set(scope.sessionId, scope)
    for (const listener of this.#onScope) listener(scope)
    // A frame may have frames of its own.
    const params = { autoAttach: true, flatten: true, waitForDebuggerOnStart: false }
    this.#link?.send('Target.setAutoAttach', params, scope.sessionId).catch(() => {})
  }

  /** After something moved: the list anew, and another link when another tab is to be looked at. */
  async #follow(): Promise<void> {
    const asked = ++this.#asked
    const before = this.#snapshot.tab?.id
    let tabs: readonly PageTab[]
    try {
      tabs = await this.#transport.tabs()
    } catch {
      // Whatever ended the browser ends the link too, and that is said there.
      return
    }
    if (asked !== this.#asked || !this.#wanted) return
    const tab = this.#take(tabs)
    if (tab === null || tab.id === before || this.#snapshot.phase !== 'open') return
    this.#leave()
    this.#change({ phase: 'connecting' })
    await this.#connect()
  }

  /** Keeps the list, and says which of it is looked at. */
  #take(tabs: readonly PageTab[]): PageTab | null {
    const chosen = tabs.find(({ id }) => id === this.#chosen)
    if (chosen === undefined) this.#chosen = null
    const tab = chosen ?? tabs.find(({ active }) => active) ?? tabs[0] ?? null
    const same = tab !== null && tab.id === this.#snapshot.tab?.id
    this.#change({ tabs, chosen: chosen !== undefined, ...(same ? { tab } : {}) })
    return tab
  }

  #lost(reason: string): void {
    this.#leave()
    if (!this.#wanted) return
    this.#change({ phase: 'lost', problem: interrupted(reason) })
    this.#again()
  }

  #again(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#connect(), this.#waits.next())
  }

  #leave(): void {
    this.#attempt++
    clearTimeout(this.#timer)
    this.#dropControl()
    const link = this.#link
    this.#link = null
    this.#scopes.clear()
    link?.close()
  }

  #controlLink(): Promise<ControlLink> {
    const { tab, mine } = this.#snapshot
    if (!mine || tab === null)
      return Promise.reject(new CdpFailed('', 'You do not have control of this browser. Take over first.'))
    if (this.#control !== null) return this.#control
    const made = this.#transport.open(tab.id, 'controller').then((stream) => {
      const link = new ControlLink(new CdpLink(stream), () => {
        if (this.#control === made) this.#control = null
      })
      if (this.#control !== made) link.close('no longer wanted')
      return link
    })
    this.#control = made
    made.catch(() => {
      if (this.#control === made) this.#control = null
    })
    return made
  }

  #dropControl(): void {
    const control = this.#control
    this.#control = null
    control?.then(
      (link) => link.close('control was given back'),
      () => {},
    )
  }

  #change(changed: Partial<InspectorSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...changed }
    for (const watcher of this.#watchers) watcher()
  }
}

/** As long as a page likes, and nobody reads more. */
const maxDialogText = 2000

/** As long as a person may be away from one. */
const dialogMs = 24 * 60 * 60_000

function dialogOf(told: { type?: unknown; message?: unknown; defaultPrompt?: unknown } | undefined): PageDialog | null {
  if (told === undefined) return null
  const text = (value: unknown) => String(value ?? '').slice(0, maxDialogText)
  return { type: String(told.type), message: text(told.message), suggestion: text(told.defaultPrompt) }
}

const problem = (title: string, detail: string): WireProblem => ({
  type: 'urn:pilothouse:problem:unreachable',
  title,
  status: 0,
  detail,
  code: 'unreachable',
})
const noTab = problem('The browser has no tab open', 'Open one from here while you have control, or on the Live tab.')
const interrupted = (reason: string) =>
  problem('The connection to the page was interrupted', reason === '' ? 'It ended.' : `It ended: ${reason}.`)
