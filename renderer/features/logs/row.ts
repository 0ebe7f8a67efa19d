import { classes } from '../../ui/classes.ts'
import styles from './Logs.module.css'
import { levelNames } from './model/line-store.ts'
import type { Row } from './model/protocol.ts'

export interface ScreenNames {
  machine: (source: number) => string
  service: (source: number) => string
  severalMachines: boolean
  severalServices: boolean
  /** Whether the day is told as well: not all lines are of today. */
  dated: boolean
}

export interface RowLook {
  names: ScreenNames
  wrap: boolean
  /** The match that was gone to. */
  current: number | undefined
}

/** One row's elements, used again for line after line. What stays as it is is not touched. */
export class LogRow {
  readonly root = document.createElement('div')
  readonly time = this.#part(styles.time)
  readonly level = this.#part(styles.level)
  readonly #machine = this.#part(styles.machine)
  readonly #service = this.#part(styles.service)
  readonly #fold = document.createElement('button')
  readonly text: HTMLElement
  /** What is drawn in it. */
  #key = ''
  #row = -1
  #moment: number | null = null
  continues = false

  constructor(sheet: HTMLElement) {
    this.root.className = styles.row ?? ''
    this.root.dataset['testid'] = 'log-row'
    this.#fold.type = 'button'
    this.#fold.className = styles.fold ?? ''
    this.root.append(this.#fold)
    this.text = this.#part(styles.text)
    sheet.append(this.root)
  }

  get row(): number {
    return this.#row
  }

  place(row: number, height: number): void {
    if (this.#row === row) return
    this.#row = row
    // Not a transform: each would be a layer's worth of book-keeping in every frame.
    this.root.style.top = `${row * height}px`
  }

  /** Draws it anew the next time, whatever is in it. */
  forget(): void {
    this.#key = ''
  }

  show(shown: boolean): void {
    hide(this.root, !shown)
  }

  fill(row: Row, { names, wrap, current }: RowLook): void {
    const isCurrent = row.serial === current
    const key = `${row.serial} ${row.sub} ${row.kind} ${row.fold} ${row.match} ${isCurrent} ${row.hits.join(',')}`
    if (this.#key === key) return
    this.#key = key
    const isFirst = row.kind === 'line'
    this.#moment = isFirst ? row.time : null
    this.continues = row.kind === 'more' && wrap
    const { severalMachines, severalServices } = names
    const className = classes(styles.row, styles[row.kind], row.level > 0 && styles[levelNames[row.level]])
    if (this.root.className !== className) this.root.className = className
    const gone = String(isCurrent && row.match)
    if (this.root.dataset['current'] !== gone) this.root.dataset['current'] = gone
    write(this.time, isFirst ? formatMoment(row.time, names.dated) : '')
    write(this.level, isFirst ? (levelNames[row.level] || '').toUpperCase() : '')
    hide(this.#machine, !severalMachines)
    hide(this.#service, !severalServices)
    if (severalMachines) write(this.#machine, isFirst ? names.machine(row.source) : '')
    if (severalServices) write(this.#service, isFirst ? names.service(row.source) : '')
    this.#fillFold(row)
    if (row.kind === 'mark' && (severalMachines || severalServices)) {
      write(this.text, `${names.machine(row.source)} ${names.service(row.source)}: ${row.text}`)
    } else if (row.hits.length === 0 && row.kind !== 'json') write(this.text, row.text)
    else this.text.replaceChildren(...marked(row))
  }

  /** The whole time, made only for the line that the pointer rests on. */
  tellTime(): void {
    this.time.title = this.#moment === null ? '' : new Date(this.#moment).toISOString()
  }

  #fillFold({ fold, serial }: Row): void {
    hide(this.#fold, fold === 'none')
    if (fold === 'none') return
    this.#fold.dataset['serial'] = String(serial)
    this.#fold.setAttribute('aria-expanded', String(fold === 'open'))
    this.#fold.setAttribute('aria-label', fold === 'open' ? 'Fold the fields in' : 'Fold the fields out')
  }

  #part(name: string | undefined): HTMLElement {
    const element = document.createElement('span')
    element.className = name ?? ''
    this.root.append(element)
    return element
  }
}

/** Text where text is, without making its node anew: most of a frame is what had to be made for it. */
function write(element: HTMLElement, text: string): void {
  const node = element.firstChild
  if (node === null || node !== element.lastChild || node.nodeType !== Node.TEXT_NODE) element.textContent = text
  else if (node.nodeValue !== text) node.nodeValue = text
}

function hide(element: HTMLElement, hidden: boolean): void {
  if (element.hidden !== hidden) element.hidden = hidden
}

/** The text with its matches marked; always as text, whatever stands in it. */
function marked({ text, hits, kind }: Row): (string | Node)[] {
  const parts: (string | Node)[] = []
  let from = kind === 'json' ? fieldName(text, hits, parts) : 0
  for (let place = 0; place < hits.length; place += 2) {
    const [start = 0, end = 0] = [Math.max(from, hits[place] ?? 0), hits[place + 1]]
    if (end <= from) continue
    if (start > from) parts.push(text.slice(from, start))
    parts.push(element('mark', '', text.slice(start, end)))
    from = end
  }
  if (from < text.length) parts.push(text.slice(from))
  return parts
}

/** A field's name apart from its value, and without its quotes; says how far it reaches. */
function fieldName(text: string, hits: readonly number[], parts: (string | Node)[]): number {
  const match = /^(\s*)("(?:[^"\\]|\\.)*")(?=: ?)/.exec(text)
  if (match === null) return 0
  const [whole, indent = '', name = ''] = match
  const found = hits.some((start, place) => place % 2 === 0 && start < whole.length)
  const key = element('span', styles.key ?? '', found ? '' : name.slice(1, -1))
  if (found) key.append(element('mark', '', name.slice(1, -1)))
  parts.push(indent, key)
  return whole.length
}

function element(tag: 'mark' | 'span', className: string, text: string): HTMLElement {
  const made = document.createElement(tag)
  if (className !== '') made.className = className
  made.textContent = text
  return made
}

/** The time of day in this computer's zone, to the millisecond; `dated` with its day: `17.11. 23:59:58.120`. */
export function formatMoment(time: number, dated = !isToday(time)): string {
  const moment = new Date(time)
  const two = (value: number) => String(value).padStart(2, '0')
  const ms = String(moment.getMilliseconds()).padStart(3, '0')
  const day = dated ? `${two(moment.getDate())}.${two(moment.getMonth() + 1)}. ` : ''
  return `${day}${two(moment.getHours())}:${two(moment.getMinutes())}:${two(moment.getSeconds())}.${ms}`
}

export function isToday(time: number): boolean {
  return new Date(time).toDateString() === new Date().toDateString()
}
