import styles from './Logs.module.css'
import type { FromEngine } from './model/protocol.ts'
import { LogRow, type ScreenNames } from './row.ts'
import type { LogsSession } from './session.ts'

export const rowHeight = 19
/** Rows asked for beyond what is seen, so that scrolling finds them there. */
const beyond = 90
/** The same at the end of a log that is followed: each frame has other rows, and most would go unseen. */
const beyondEnd = 20
/** Rows drawn beyond what is seen. */
const drawnBeyond = 6

type Frame = Extract<FromEngine, { type: 'frame' }>

/**
 * Draws the rows that are seen, and only those, into elements that it uses again. Without React: at sixty frames a
 * second, what is compared and thrown away would be the larger part of the work.
 */
export class LogScreen {
  readonly #scroller: HTMLElement
  readonly #sheet: HTMLElement
  readonly #session: LogsSession
  readonly #pool: LogRow[] = []
  #names: ScreenNames
  #frame: Frame | undefined
  #asked = { from: 0, count: 0, follow: true }
  #anchor: { serial: number; offset: number } | undefined
  #drawing = 0
  /** Where this class itself scrolled to: a scroll event there is not a person's. */
  #scrolledTo = -1
  #current: number | undefined
  #wrap = false
  #letter = 7.2

  constructor(scroller: HTMLElement, sheet: HTMLElement, session: LogsSession, names: ScreenNames) {
    this.#scroller = scroller
    this.#sheet = sheet
    this.#session = session
    this.#names = names
    session.onFrame = (frame) => this.#take(frame)
    session.onGoto = (row, serial) => this.#goTo(row, serial)
    scroller.addEventListener('scroll', this.#scrolled, { passive: true })
    sheet.addEventListener('click', this.#clicked)
    sheet.addEventListener('mouseover', this.#pointed)
    document.addEventListener('copy', this.#copied)
    this.#resize.observe(scroller)
    this.#measure()
  }

  readonly #resize = new ResizeObserver(() => {
    this.#measure()
    this.#ask(true)
    this.#drawSoon()
  })

  setNames(names: ScreenNames): void {
    this.#names = names
    this.#sheet.dataset['dated'] = String(names.dated)
    for (const row of this.#pool) row.forget()
    this.#measure()
    this.#drawSoon()
  }

  setWrap(wrap: boolean): void {
    this.#wrap = wrap
    this.#measure()
  }

  /** Goes to the end, and stays there. */
  follow(): void {
    this.#session.leaveAim()
    this.#session.follow(true)
    this.#anchor = undefined
    this.#session.post({ type: 'anchor', serial: undefined })
    this.#ask(true)
  }

  close(): void {
    cancelAnimationFrame(this.#drawing)
    this.#resize.disconnect()
    this.#scroller.removeEventListener('scroll', this.#scrolled)
    this.#sheet.removeEventListener('click', this.#clicked)
    this.#sheet.removeEventListener('mouseover', this.#pointed)
    document.removeEventListener('copy', this.#copied)
  }

  get #following(): boolean {
    return this.#session.state.getState().following
  }

  get #visibleRows(): number {
    return Math.ceil(this.#scroller.clientHeight / rowHeight) + 1
  }

  #measure(): void {
    const probe = document.createElement('span')
    probe.className = styles.probe ?? ''
    probe.textContent = '0'.repeat(100)
    this.#sheet.append(probe)
    this.#letter = probe.getBoundingClientRect().width / 100 || this.#letter
    probe.remove()
    const room = this.#scroller.clientWidth - this.#textLeft() - 14
    const cols = this.#wrap ? Math.max(20, Math.floor(room / this.#letter)) : 0
    this.#session.post({ type: 'wrap', cols })
  }

  /** Where messages begin: behind time, level and whoever wrote it. */
  #textLeft(): number {
    const { severalMachines, severalServices, dated } = this.#names
    const letters = (dated ? 21 : 14) + 7 + (severalMachines ? 15 : 0) + (severalServices ? 13 : 0)
    return 14 + letters * this.#letter + 18
  }

  #take(frame: Frame): void {
    this.#frame = frame
    this.#drawSoon()
  }

  readonly #scrolled = () => {
    const { scrollTop, clientHeight, scrollHeight } = this.#scroller
    if (Math.abs(scrollTop - this.#scrolledTo) < 1) return
    this.#scrolledTo = -1
    const atEnd = scrollTop + clientHeight >= scrollHeight - rowHeight / 2
    // At the end that is followed, it may be the view that became larger.
    if (!(atEnd && this.#following)) this.#session.leaveAim()
    if (atEnd !== this.#following) {
      this.#session.follow(atEnd)
      if (atEnd) this.#session.post({ type: 'anchor', serial: undefined })
    }
    if (!atEnd) this.#holdOn()
    this.#ask(false)
    this.#drawSoon()
  }

  /** Remembers which line is at the top, so that it stays there whatever comes or goes above it. */
  #holdOn(): void {
    const frame = this.#frame
    if (frame === undefined) return
    const { scrollTop } = this.#scroller
    const first = Math.floor(scrollTop / rowHeight)
    for (let row = first; row < first + this.#visibleRows; row++) {
      const shown = frame.shown[row - frame.from]
      if (shown === undefined || shown.sub !== 0) continue
      if (this.#anchor?.serial !== shown.serial) this.#session.post({ type: 'anchor', serial: shown.serial })
      this.#anchor = { serial: shown.serial, offset: scrollTop - row * rowHeight }
      return
    }
  }

  #ask(always: boolean): void {
    const follow = this.#following
    const more = follow ? beyondEnd : beyond
    const count = this.#visibleRows + 2 * more
    const first = Math.floor(this.#scroller.scrollTop / rowHeight)
    const from = Math.max(0, first - more)
    const { from: had } = this.#asked
    // At the end it gets the end, wherever that is by then: to ask again would be to ask for a frame out of turn.
    const near = follow || Math.abs(from - had) < more / 2
    const same = near && this.#asked.count === count && this.#asked.follow === follow
    if (same && !always) return
    this.#asked = { from, count, follow }
    this.#session.post({ type: 'look', from, count, follow })
  }

  #goTo(row: number, serial: number): void {
    this.#session.follow(false)
    this.#current = serial
    for (const element of this.#pool) element.forget()
    const top = Math.max(0, (row - Math.floor(this.#visibleRows / 3)) * rowHeight)
    this.#anchor = { serial, offset: top - row * rowHeight }
    this.#session.post({ type: 'anchor', serial })
    this.#scrollTo(top)
    this.#ask(true)
    this.#drawSoon()
  }

  #scrollTo(top: number): void {
    this.#scroller.scrollTop = top
    this.#scrolledTo = this.#scroller.scrollTop
  }

  #drawSoon(): void {
    if (this.#drawing === 0) this.#drawing = requestAnimationFrame(() => this.#draw())
  }

  #draw(): void {
    this.#drawing = 0
    const frame = this.#frame
    if (frame === undefined) return
    const height = `${frame.rows * rowHeight}px`
    if (this.#sheet.style.height !== height) this.#sheet.style.height = height
    const width = this.#wrap
      ? '100%'
      : `max(100%, ${Math.ceil(this.#textLeft() + (frame.stats.widest + 2) * this.#letter)}px)`
    if (this.#sheet.style.width !== width) this.#sheet.style.width = width
    if (this.#following) this.#scrollTo(frame.rows * rowHeight)
    else if (this.#anchor !== undefined && frame.anchor === this.#anchor.serial && frame.anchorRow !== null) {
      const wanted = frame.anchorRow * rowHeight + this.#anchor.offset
      if (Math.abs(wanted - this.#scroller.scrollTop) >= 1) this.#scrollTo(wanted)
    }
    this.#ask(false)
    this.#drawRows(frame)
  }

  #drawRows(frame: Frame): void {
    const first = Math.max(0, Math.floor(this.#scroller.scrollTop / rowHeight) - drawnBeyond)
    const last = Math.min(frame.rows, first + this.#visibleRows + 2 * drawnBeyond)
    const size = this.#visibleRows + 2 * drawnBeyond + 1
    while (this.#pool.length < size) this.#pool.push(new LogRow(this.#sheet))
    const look = { names: this.#names, wrap: this.#wrap, current: this.#current }
    const used = new Set<LogRow>()
    for (let row = first; row < last; row++) {
      const element = this.#pool[row % this.#pool.length]
      const shown = frame.shown[row - frame.from]
      if (element === undefined || shown === undefined) continue
      used.add(element)
      element.fill(shown, look)
      element.place(row, rowHeight)
    }
    for (const element of this.#pool) element.show(used.has(element))
  }

  readonly #pointed = ({ target }: MouseEvent) => {
    this.#pool.find(({ time }) => time === target)?.tellTime()
  }

  readonly #clicked = (event: MouseEvent) => {
    const button = (event.target as Element).closest<HTMLElement>(`.${styles.fold}`)
    const serial = Number(button?.dataset['serial'] ?? Number.NaN)
    if (!Number.isNaN(serial)) this.#session.post({ type: 'fold', serial })
  }

  /** What is copied reads as the log does: rows in their order, and a line that was wrapped in one. */
  readonly #copied = (event: ClipboardEvent) => {
    const selection = document.getSelection()
    if (selection === null || selection.isCollapsed || !this.#sheet.contains(selection.anchorNode)) return
    const rows = this.#pool
      .filter(({ root }) => !root.hidden && selection.containsNode(root, true))
      .sort((a, b) => a.row - b.row)
    if (rows.length < 2) return
    let text = ''
    for (const [place, { text: cell, time, level, continues }] of rows.entries()) {
      const head = [time.textContent, level.textContent].filter(Boolean).join(' ')
      if (place > 0 && !continues) text += '\n'
      text += `${head === '' ? '' : `${head} `}${cell.textContent}`
    }
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
  }
}
