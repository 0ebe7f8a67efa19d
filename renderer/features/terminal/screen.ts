import { FitAddon } from '@xterm/addon-fit'
import { SearchAddon } from '@xterm/addon-search'
import { WebLinksAddon } from '@xterm/addon-web-links'
import { WebglAddon } from '@xterm/addon-webgl'
import { type IBufferRange, Terminal } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'
import { guard } from './guards.ts'
import { boundMarks } from './marks.ts'
import { policyDocument } from './policy-styles.ts'
import { onThemeChange, terminalTheme } from './theme.ts'

/** Lines that can be scrolled back to: what a person looks through, and a bound on memory. */
const scrollbackLines = 10_000

export interface ScreenOptions {
  screenReader: boolean
  /** Something a person typed, or a reply of a fixed form. */
  onInput: (bytes: Uint8Array) => void
  onResize: (cols: number, rows: number) => void
  onTitle: (title: string) => void
  onLink: (url: string, shown: string) => void
  onHover: (url: string | null) => void
  onRenderer: (renderer: 'webgl' | 'dom') => void
}

const encoder = new TextEncoder()

/** The picture of one terminal: xterm with what it needs, in an element that can be moved between places. */
export class TerminalScreen {
  readonly element = document.createElement('div')
  readonly terminal: Terminal
  readonly search = new SearchAddon({ highlightLimit: 2000 })
  readonly #options: ScreenOptions
  readonly #fit = new FitAddon()
  readonly #styles = policyDocument()
  readonly #observer: ResizeObserver
  readonly #stopTheme: () => void
  #webgl: WebglAddon | undefined
  #opened = false

  constructor(options: ScreenOptions) {
    this.#options = options
    this.element.dataset['keys'] = 'terminal'
    this.element.style.height = '100%'
    const terminal = new Terminal({
      allowProposedApi: true,
      documentOverride: this.#styles.document,
      fontFamily: '"JetBrains Mono Variable", ui-monospace, monospace',
      fontSize: 13,
      lineHeight: 1.2,
      scrollback: scrollbackLines,
      minimumContrastRatio: 4.5,
      cursorBlink: false,
      macOptionIsMeta: true,
      screenReaderMode: options.screenReader,
      theme: terminalTheme(),
      linkHandler: {
        activate: (_event, url, range) => options.onLink(url, this.#textAt(range)),
        hover: (_event, url) => options.onHover(url),
        leave: () => options.onHover(null),
      },
    })
    this.terminal = terminal
    guard(terminal, (text) => options.onInput(encoder.encode(text)))
    terminal.loadAddon(this.#fit)
    terminal.loadAddon(this.search)
    boundMarks(terminal)
    terminal.loadAddon(
      new WebLinksAddon((_event, url) => options.onLink(url, url), {
        hover: (_event, url) => options.onHover(url),
        leave: () => options.onHover(null),
      }),
    )
    terminal.onData((text) => options.onInput(encoder.encode(text)))
    terminal.onBinary((text) => options.onInput(Uint8Array.from(text, (letter) => letter.charCodeAt(0))))
    terminal.onResize(({ cols, rows }) => options.onResize(cols, rows))
    terminal.onTitleChange(options.onTitle)
    this.#stopTheme = onThemeChange(() => {
      terminal.options.theme = terminalTheme()
    })
    this.#observer = new ResizeObserver(() => this.fit())
  }

  /** Shows it in a place; once at a time. */
  attach(place: HTMLElement): void {
    place.append(this.element)
    if (!this.#opened) {
      this.#opened = true
      this.#styles.whileOpening(() => this.terminal.open(this.element))
    }
    this.#drawWithWebgl()
    this.#observer.observe(this.element)
    this.fit()
  }

  /** Takes it away; what comes meanwhile is kept, and not drawn. */
  detach(): void {
    this.#observer.disconnect()
    // A page has few of these contexts: only what is looked at holds one.
    this.#webgl?.dispose()
    this.#webgl = undefined
    this.element.remove()
  }

  fit(): void {
    if (this.element.clientWidth > 0 && this.element.clientHeight > 0) this.#fit.fit()
  }

  /** Settled when xterm has taken it in. */
  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => this.terminal.write(bytes, resolve))
  }

  dispose(): void {
    this.detach()
    this.#stopTheme()
    this.terminal.dispose()
    this.#styles.release()
  }

  #drawWithWebgl(): void {
    if (this.#webgl !== undefined) return
    try {
      const webgl = new WebglAddon()
      webgl.onContextLoss(() => {
        webgl.dispose()
        this.#webgl = undefined
        this.#options.onRenderer('dom')
      })
      this.terminal.loadAddon(webgl)
      this.#webgl = webgl
      this.#options.onRenderer('webgl')
    } catch {
      // No graphics here that would help: xterm draws with elements of the page.
      this.#options.onRenderer('dom')
    }
  }

  #textAt({ start, end }: IBufferRange): string {
    const rows: string[] = []
    for (let y = start.y; y <= end.y; y++) {
      const line = this.terminal.buffer.active.getLine(y - 1)
      const from = y === start.y ? start.x - 1 : 0
      rows.push(line?.translateToString(true, from, y === end.y ? end.x : undefined) ?? '')
    }
    return rows.join('').slice(0, 300)
  }
}
