import path from 'node:path'
import { app, BrowserWindow, nativeTheme } from 'electron'
import { backoff } from '../../shared/client/backoff.ts'
import type { AgentSocket } from '../../shared/client/socket.ts'
import { Problem } from '../../shared/errors.ts'
import { devToolsChannel } from '../../shared/ipc-channels.ts'
import type { Caller } from '../ipc/dispatch.ts'
import { portTo } from '../ipc/serve.ts'
import { type DevToolsRole, type DevToolsState, noteFor, titleFor } from './note.ts'
import { devToolsSession, frontEndUrl } from './session.ts'

export interface DevToolsTarget {
  id: string
  title: string
  url: string
}

export interface DevToolsWindowDeps {
  preload: string
  machineName: () => string
  target: DevToolsTarget
  /** What this console may be at the page right now. */
  role: () => DevToolsRole
  /** Whether the control that it has ends soon. */
  ending: () => boolean
  /** A person does something here, with control. */
  atWork: () => void
  connect: (role: DevToolsRole) => Promise<AgentSocket<'cdpPage'>>
  /** Joins an open socket to the window; calls back once when it has ended. */
  hand: (socket: AgentSocket<'cdpPage'>, caller: Caller, onEnd: (reason: string) => void) => void
  /** Undefined when the page is no longer there; throws when the machine does not answer. */
  find: () => Promise<DevToolsTarget | undefined>
  onClosed: () => void
}

/** A mouse sends hundreds of these a second; the machine hears of it far more seldom. */
const reportEveryMs = 2000
const signsOfWork: ReadonlySet<string> = new Set(['rawKeyDown', 'keyDown', 'mouseDown', 'mouseMove', 'mouseWheel'])

/** Chromium's front end for one page, in a window that has nothing else. It connects anew with every load. */
export class DevToolsWindow {
  readonly #deps: DevToolsWindowDeps
  readonly #window: BrowserWindow
  readonly #waits = backoff({ firstMs: 500, maxMs: 10_000 })
  #state: DevToolsState = { kind: 'connecting' }
  #retry: ReturnType<typeof setTimeout> | undefined
  /** Counts loads: what an earlier one's socket says is of no interest. */
  #load = 0
  #hadControl = false
  #reportedAt = Number.NEGATIVE_INFINITY
  /** A connection that stands already, for the front end that is being loaded. */
  #ready: { role: DevToolsRole; socket: AgentSocket<'cdpPage'> } | undefined

  constructor(deps: DevToolsWindowDeps) {
    this.#deps = deps
    this.#window = new BrowserWindow({
      ...{ width: 1180, height: 780, minWidth: 640, minHeight: 420, autoHideMenuBar: true },
      title: titleFor(deps.target, deps.machineName()),
      backgroundColor: nativeTheme.shouldUseDarkColors ? '#292a2d' : '#ffffff',
      ...(process.platform === 'linux' && { icon: path.join(app.getAppPath(), 'resources', 'icons', 'icon.png') }),
      webPreferences: {
        session: devToolsSession(),
        preload: deps.preload,
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        webviewTag: false,
        spellcheck: false,
        devTools: false,
      },
    })
    const { webContents } = this.#window
    // Each page would call it only DevTools.
    this.#window.on('page-title-updated', (event) => event.preventDefault())
    const themed = () => this.#say()
    nativeTheme.on('updated', themed)
    this.#window.on('closed', () => {
      clearTimeout(this.#retry)
      nativeTheme.off('updated', themed)
      this.#load++
      this.#ready?.socket.close()
      deps.onClosed()
    })
    // From here on the preload listens.
    webContents.on('dom-ready', () => void this.#connect())
    webContents.on('input-event', (_event, { type }) => this.#seen(type))
    webContents.on('render-process-gone', () => this.close())
    void webContents.loadURL(frontEndUrl).catch(() => {})
  }

  focus(): void {
    if (this.#window.isMinimized()) this.#window.restore()
    this.#window.focus()
  }

  /** Control was taken or has ended: the front end begins anew as what it may be now. Or it ends soon: that is said. */
  leaseChanged(): void {
    if (this.#state.kind === 'open' && this.#state.role !== this.#deps.role()) this.#reload()
    else this.#say()
  }

  close(): void {
    if (!this.#window.isDestroyed()) this.#window.destroy()
  }

  async #connect(): Promise<void> {
    const load = ++this.#load
    const current = () => load === this.#load && !this.#window.isDestroyed()
    const ready = this.#ready
    this.#ready = undefined
    const role = ready?.role ?? this.#deps.role()
    this.#set({ kind: 'connecting' })
    try {
      const socket = ready?.socket ?? (await this.#deps.connect(role))
      if (!current()) return socket.close()
      this.#set({ kind: 'open', role, afterLease: this.#hadControl && role === 'observer' })
      this.#hadControl = role === 'controller'
      this.#deps.hand(socket, portTo(this.#window.webContents), (reason) => {
        if (current()) this.#ended(role, reason)
      })
      this.#waits.reset()
      // It may have changed while this was on its way.
      this.leaseChanged()
    } catch (error) {
      if (current()) this.#lost(Problem.from(error, 'unreachable').message)
    }
  }

  /** Work in here is work with the browser: the lease goes on as it does in front of the picture. */
  #seen(type: string): void {
    const controls = this.#state.kind === 'open' && this.#state.role === 'controller'
    const now = performance.now()
    if (!controls || !signsOfWork.has(type) || now - this.#reportedAt < reportEveryMs) return
    this.#reportedAt = now
    this.#deps.atWork()
  }

  #ended(role: DevToolsRole, reason: string): void {
    // The lease ended at the agent: that it did is heard here only a moment later.
    if (role === 'controller' && reason === 'the lease ended' && this.#deps.role() === 'observer') this.#reload()
    else this.#lost(reason === '' ? 'the connection ended.' : `${reason}.`)
  }

  #lost(why: string): void {
    this.#set({ kind: 'lost', why })
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => void this.#lookAgain(), this.#waits.next())
  }

  /** The front end is loaded anew once there is a line again, not over and over while there is none. */
  async #lookAgain(): Promise<void> {
    const load = this.#load
    const current = () => load === this.#load && !this.#window.isDestroyed()
    try {
      const target = await this.#deps.find()
      if (!current()) return
      if (target === undefined) return this.#set({ kind: 'gone' })
      const role = this.#deps.role()
      const socket = await this.#deps.connect(role)
      if (!current()) return socket.close()
      this.#window.setTitle(titleFor(target, this.#deps.machineName()))
      this.#ready = { role, socket }
      this.#reload()
    } catch (error) {
      if (current()) this.#lost(Problem.from(error, 'unreachable').message)
    }
  }

  #reload(): void {
    this.#load++
    clearTimeout(this.#retry)
    if (!this.#window.isDestroyed()) this.#window.webContents.reload()
  }

  #set(state: DevToolsState): void {
    this.#state = state
    this.#say()
  }

  #say(): void {
    if (this.#window.isDestroyed()) return
    const { machineName, ending } = this.#deps
    const note = { ...noteFor(this.#state, machineName(), ending()), dark: nativeTheme.shouldUseDarkColors }
    this.#window.webContents.send(devToolsChannel, note)
  }
}
