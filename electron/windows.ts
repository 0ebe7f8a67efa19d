import { BrowserWindow, dialog, screen } from 'electron'
import { placeOf } from './places.ts'
import type { Store } from './store/store.ts'
import { openWindow } from './window.ts'
import { fillScreen, type KeptWindow, keptOf, readKept } from './window-bounds.ts'

export interface WindowsDeps {
  preload: string
  settings: Pick<Store['settings'], 'get' | 'set'>
  /** Called with every window before its page can ask anything. */
  opened: (window: BrowserWindow) => void
}

/** Changes of size come by the dozen. */
const keepAfterMs = 400
/** More would be an accident. */
const most = 12
const offset = 28
/** After these a window is somewhere else, or otherwise large. */
const shapeEvents = [
  ...['resized', 'moved', 'resize', 'move', 'maximize', 'unmaximize'],
  ...['enter-full-screen', 'leave-full-screen'],
] as const

/** The console's windows: where each is and what it shows, kept for the next start. */
export class Windows {
  readonly #deps: WindowsDeps
  readonly #open = new Set<BrowserWindow>()
  /** Windows whose page fills the screen with a part of itself. */
  readonly #pageFull = new WeakSet<BrowserWindow>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #quitting = false
  #used: BrowserWindow | undefined
  /** Nothing of the console itself is on the screen any more. */
  onLastClosed: () => void = () => {}
  /** What would be broken off if the console ended with its last window; null when nothing would. */
  brokenOff: () => { message: string; detail: string } | null = () => null

  constructor(deps: WindowsDeps) {
    this.#deps = deps
  }

  /** Opens what was open last time; one window where nothing is known. `only` keeps it to the first. */
  restore(only: boolean): void {
    const { settings } = this.#deps
    const kept = readKept(settings.get('windows'), settings.get('window'))
    for (const window of only ? kept.slice(0, 1) : kept.slice(0, most)) this.#show(window)
  }

  /** One more window, a little beside the one that has the focus. */
  open(place: string): void {
    const [near] = [BrowserWindow.getFocusedWindow(), ...this.#open].filter((one) => one !== null)
    const bounds = near === undefined ? undefined : { ...near.getNormalBounds() }
    if (bounds !== undefined) {
      bounds.x += offset
      bounds.y += offset
    }
    this.#show({ bounds, place, maximized: false, fullScreen: false })
  }

  /** The window that shows this place already, or the one used last; undefined when there is none. */
  find(matches: (place: string) => boolean): BrowserWindow | undefined {
    const all = [...this.#open]
    return all.find((one) => matches(this.placeOf(one))) ?? this.latest()
  }

  /** Where a person looks, or looked last; undefined when there is no window. */
  latest(): BrowserWindow | undefined {
    const [first] = this.#open
    return this.#focused() ?? this.#used ?? first
  }

  placeOf(window: BrowserWindow): string {
    return placeOf(window.webContents.getURL())
  }

  /** What the window with the focus shows; null while another program has it. */
  focusedPlace(): string | null {
    const focused = this.#focused()
    return focused === undefined ? null : this.placeOf(focused)
  }

  /** A DevTools window may have the focus, too: it shows no place and is told nothing. */
  #focused(): BrowserWindow | undefined {
    const focused = BrowserWindow.getFocusedWindow()
    return focused !== null && this.#open.has(focused) ? focused : undefined
  }

  /** All windows will close now: what is open at this moment is what counts. */
  quitting(): void {
    this.#keep()
    this.#quitting = true
  }

  #show(kept: KeptWindow): void {
    const window = openWindow({
      preload: this.#deps.preload,
      keptBounds: kept.bounds,
      screens: screen.getAllDisplays().map((display) => display.workArea),
      place: kept.place === '#/fleet' ? '' : kept.place,
    })
    this.#open.add(window)
    fillScreen(window, kept)
    const later = () => {
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => this.#keep(), keepAfterMs)
    }
    for (const event of shapeEvents) window.on(event as 'resize', later)
    window.on('enter-html-full-screen', () => this.#pageFull.add(window))
    window.on('leave-html-full-screen', () => this.#pageFull.delete(window))
    window.webContents.on('did-navigate-in-page', later)
    window.on('close', (event) => {
      if (this.#open.size === 1 && !this.#mayClose(window)) return event.preventDefault()
      // The last one is what a person finds again; of several, one that they closed is gone.
      if (this.#open.size === 1) this.#keep()
    })
    window.on('focus', () => {
      this.#used = window
    })
    window.on('closed', () => {
      this.#open.delete(window)
      if (this.#used === window) this.#used = undefined
      if (this.#open.size > 0) this.#keep()
      else this.onLastClosed()
    })
    this.#deps.opened(window)
  }

  /** On a Mac the console goes on without windows; elsewhere it ends with its last one, and says what ends with it. */
  #mayClose(window: BrowserWindow): boolean {
    const work = process.platform === 'darwin' || this.#quitting ? null : this.brokenOff()
    if (work === null) return true
    const buttons = ['Stay', 'Close anyway']
    return dialog.showMessageBoxSync(window, { type: 'warning', ...work, buttons, defaultId: 0, cancelId: 0 }) === 1
  }

  #keep(): void {
    clearTimeout(this.#timer)
    if (this.#quitting || this.#open.size === 0) return
    const windows = [...this.#open]
      .filter((window) => !window.isDestroyed())
      .map((window) => keptOf(window, this.placeOf(window), this.#pageFull.has(window)))
    if (windows.length > 0) this.#deps.settings.set('windows', windows)
  }
}
