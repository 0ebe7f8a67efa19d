import { Problem } from '../../shared/errors.ts'
import type { BrowserService } from '../browser/browser.service.ts'
import type { Resolution } from '../browser/session.ts'
import type { Display } from '../display/display.ts'
import type { DesktopMode } from './desktop-mode.ts'

/** A display that can be seen now, whoever it was made for. */
export interface Screen {
  display: Display
  resolution: Resolution
  /** A client has changed its size. */
  resized(width: number, height: number): void
}

/** The machine's one display: the browser's, or the desktop's, which exclude each other. */
export class Screens {
  readonly #browser: BrowserService
  readonly #desktop: DesktopMode
  #holders = 0

  constructor(browser: BrowserService, desktop: DesktopMode) {
    this.#browser = browser
    this.#desktop = desktop
  }

  /** There is a browser, with or without a display, or a desktop; otherwise `not-active`. */
  requireAny(): void {
    if (this.#desktop.screen === null) this.#browser.requireSession()
  }

  /** The screen; null where a browser runs that has none. */
  look(): Screen | null {
    const { screen } = this.#desktop
    if (screen !== null) return screen
    const session = this.#browser.requireSession()
    const { display, resolution } = session
    if (display === null) return null
    const resized = (width: number, height: number) => this.#browser.displayResized(session, width, height)
    return { display, resolution, resized }
  }

  require(): Screen {
    const screen = this.look()
    if (screen !== null) return screen
    throw new Problem('not-active', 'This browser has no display. Start it without "headless".')
  }

  /** Whether the display has to stay as large as it is. */
  get keepsSize(): boolean {
    return this.#holders > 0
  }

  /** Has it stay as large as it is; returns what ends that. */
  holdSize(): () => void {
    this.#holders++
    let held = true
    return () => {
      if (held) this.#holders--
      held = false
    }
  }

  /** Calls back whenever what could be seen is no more; returns what ends it. */
  onEnd(listener: (reason: string) => void): () => void {
    const ends = [this.#browser.onEnd(listener), this.#desktop.onEnd(listener)]
    return () => {
      for (const end of ends) end()
    }
  }
}
