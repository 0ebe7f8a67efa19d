import type { LogLine } from '../../../../shared/contract/logs.ts'
import { cleanMessage } from './clean.ts'
import { exporter } from './export.ts'
import { Held } from './held.ts'
import { Highlights } from './highlights.ts'
import { flag, LineStore } from './line-store.ts'
import type { FromEngine, Stats, ToEngine } from './protocol.ts'
import { Rate } from './rate.ts'
import { droppedText, readLine, widest } from './read-line.ts'
import { Search } from './search.ts'
import type { Searcher } from './searcher.ts'
import { maxRowChars, shownRow } from './shown-row.ts'
import { Source } from './source.ts'
import { LogView } from './view.ts'

/** What the view keeps; beyond, the oldest lines leave it, and a row says so. */
export const limits = { lines: 500_000, chars: 128 * 1024 * 1024, rows: 1_600_000 }
/** How often the window hears of changes it did not ask for. */
const frameMs = 33

type Attached = { source: Source; service: string }

/** Everything the view knows, in a thread of its own: lines, order, filter, search. */
export class LogEngine {
  readonly #post: (message: FromEngine) => void
  readonly #store = new LineStore()
  readonly #view = new LogView(this.#store)
  readonly #search: Search
  readonly #highlights: Highlights
  readonly #sources = new Map<number, Attached>()
  readonly #rate = new Rate()
  readonly #held = new Held()
  readonly #limits: typeof limits
  #levels = [0, 0, 0, 0, 0, 0, 0]
  #mask = 0
  #only = false
  #look = { from: 0, count: 60, follow: true }
  #anchor: number | undefined
  /** A moment that is looked for, and the line that was gone to last. */
  #aim: { time: number; serial: number | undefined } | undefined
  /** A match that was asked for while the lines are being looked through. */
  #stepping: { way: 1 | -1; from: number | undefined } | undefined
  #added = 0
  #left = 0
  #widest = 0
  #paused = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #export: (() => string | null) | undefined

  constructor(post: (message: FromEngine) => void, searcher: Searcher, bounds = limits) {
    this.#post = post
    this.#limits = bounds
    this.#search = new Search(this.#store, searcher, () => this.#searched())
    this.#highlights = new Highlights(searcher, () => this.#frameSoon())
  }

  receive(message: ToEngine): void {
    switch (message.type) {
      case 'lines':
        return this.#take(message.source, () => this.#addLines(message.source, message.lines))
      case 'attach':
        return this.#attach(message)
      case 'remove':
        return this.#remove(message.source)
      case 'mark':
        return this.#take(message.source, () => this.#addMark(message.source, message.text))
      case 'look':
        this.#look = message
        return this.#frame()
      case 'anchor':
        this.#anchor = message.serial
        return
      case 'levels':
        this.#mask = message.mask
        return this.#refilter()
      case 'search':
        this.#stepping = undefined
        this.#highlights.use(message.pattern)
        this.#search.begin(message.pattern)
        if (this.#only) this.#refilter()
        return this.#frame()
      case 'only':
        this.#only = message.on
        return this.#refilter()
      case 'step':
        this.#stepping = message
        return this.#step()
      case 'jump':
        this.#aim = undefined
        return this.#goTo(this.#lineAt(message.time))
      case 'aim':
        this.#aim = message.time === null ? undefined : { time: message.time, serial: undefined }
        return this.#frame()
      case 'wrap':
        this.#view.wrap(message.cols)
        return this.#frame()
      case 'fold':
        return this.#fold(message.serial)
      case 'pause':
        return this.#pause(message.on)
      case 'clear':
        return this.#clear()
      case 'export':
        this.#export = exporter(this.#store, this.#view, message.format, message.names)
        return this.#exportNext()
      case 'exportNext':
        return this.#exportNext()
    }
  }

  /** Lines of a stream. The promise holds the stream back while the view is paused and has taken in enough. */
  fromStream(source: number, lines: readonly LogLine[], dropped: number): void | Promise<void> {
    const add = () => {
      if (dropped > 0) this.#addMark(source, droppedText(dropped))
      this.#addLines(source, lines)
    }
    this.#take(source, add, lines.length)
    return this.#held.whenRoom()
  }

  notice(source: number, text: string): void {
    this.#take(source, () => this.#addMark(source, text))
  }

  /** Does it now, or when the view goes on. */
  #take(source: number, add: () => void, lines = 0): void {
    if (!this.#paused) {
      add()
      this.#bound()
    } else this.#held.push(source, add, lines)
    this.#frameSoon()
  }

  #addLines(sourceId: number, lines: readonly LogLine[]): void {
    const source = this.#sources.get(sourceId)?.source ?? this.#newSource(sourceId, '')
    const serials: number[] = []
    for (const line of lines) {
      if (!source.isNew(line)) continue
      const read = readLine(line)
      const { level, message } = read
      serials.push(this.#store.add({ ...read, source: sourceId }))
      source.lastTime = read.time
      this.#levels[level] = (this.#levels[level] ?? 0) + 1
      if (message.length > this.#widest) this.#widest = Math.min(maxRowChars, widest(message))
    }
    this.#added += serials.length
    this.#rate.add(serials.length)
    this.#view.add(serials)
    this.#search.more()
  }

  #addMark(sourceId: number, text: string): void {
    const source = this.#sources.get(sourceId)?.source
    const time = source?.lastTime ?? Date.now()
    const message = cleanMessage(text).replaceAll('\n', ' ')
    this.#view.add([this.#store.add({ time, source: sourceId, level: 0, message, flags: flag.mark })])
  }

  #newSource(id: number, service: string): Source {
    const source = new Source((message) => this.#post(message), id)
    this.#sources.set(id, { source, service })
    return source
  }

  #attach({ source: id, service, since, until, port }: Extract<ToEngine, { type: 'attach' }>): void {
    const source = this.#sources.get(id)?.source ?? this.#newSource(id, service)
    const from = { ...(since !== undefined && { since }), ...(until !== undefined && { until }) }
    source.attach(port, service, from, {
      lines: (lines, dropped) => this.fromStream(id, lines, dropped),
      notice: (text) => this.notice(id, text),
    })
  }

  #remove(id: number): void {
    this.#sources.get(id)?.source.close()
    this.#sources.delete(id)
    this.#held.remove(id)
    const all = this.#view.ordered
    this.#view.remove((serial) => {
      const isOf = this.#store.source(serial) === id
      // It stays where it is until its turn to leave comes; nothing finds it any more.
      if (isOf) this.#store.setFlag(serial, flag.gone, true)
      return isOf
    }, all)
    this.#recount()
    this.#search.begin(this.#search.pattern)
    this.#refilter()
  }

  /** Lets the oldest go when there is too much. */
  #bound(): void {
    for (;;) {
      const { lines, chars } = this.#store
      const rows = this.#view.rows
      if (lines <= this.#limits.lines && chars <= this.#limits.chars && rows <= this.#limits.rows) return
      const gone = this.#store.dropOldest()
      if (gone === undefined) return
      const count = gone.to - gone.from
      this.#left += count
      // The store has forgotten them: their numbers say which they were.
      this.#view.remove((serial) => serial >= gone.from && serial < gone.to, count)
      this.#search.dropped(gone.to)
      this.#dropLevels = true
    }
  }
  #dropLevels = false

  #recount(): void {
    this.#dropLevels = false
    const levels = [0, 0, 0, 0, 0, 0, 0]
    for (let from = 0; from < this.#view.ordered; from++) {
      const serial = this.#view.orderedAt(from)
      if ((this.#store.flags(serial) & flag.mark) !== 0) continue
      const level = this.#store.level(serial)
      levels[level] = (levels[level] ?? 0) + 1
    }
    this.#levels = levels
  }

  #refilter(): void {
    const [mask, only] = [this.#mask, this.#only && this.#search.pattern !== null]
    if (mask === 0 && !only) this.#view.filter(() => true)
    else
      this.#view.filter((serial) => {
        const flags = this.#store.flags(serial)
        if ((flags & flag.mark) !== 0) return !only
        if (mask !== 0 && (mask & (1 << this.#store.level(serial))) === 0) return false
        return !only || (flags & flag.match) !== 0
      })
    this.#frame()
  }

  #searched(): void {
    this.#step()
    if (this.#only) this.#refilter()
    else this.#frameSoon()
  }

  #lineAt(time: number): { row: number; serial: number | undefined } {
    const row = this.#view.rowAtTime(time)
    return { row, serial: this.#view.slice(row, row + 1)[0]?.serial }
  }

  #goTo({ row, serial }: { row: number; serial: number | undefined }): void {
    if (serial !== undefined) this.#post({ type: 'goto', row, serial, rank: null })
  }

  /** Lines of a moment come after those before it, and of several machines one after the other. */
  #goToAim(): void {
    const aim = this.#aim
    if (aim === undefined || (this.#timeAt(this.#view.ordered - 1) ?? 0) < aim.time) return
    const line = this.#lineAt(aim.time)
    if (line.serial === aim.serial) return
    aim.serial = line.serial
    this.#goTo(line)
  }

  #step(): void {
    // The newest lines are looked through last, and it is one of those that is meant first.
    if (this.#stepping === undefined || !this.#search.lookedThrough) return
    const { way, from } = this.#stepping
    this.#stepping = undefined
    const holds = (serial: number) => (this.#store.flags(serial) & flag.match) !== 0
    const serial = this.#view.find(holds, from, way)
    if (serial === undefined) return
    const row = this.#view.rowOf(serial) ?? 0
    this.#post({ type: 'goto', row, serial, rank: this.#view.rank(holds, serial) })
  }

  #fold(serial: number): void {
    if (!this.#store.has(serial)) return
    this.#store.setFlag(serial, flag.open, (this.#store.flags(serial) & flag.open) === 0)
    this.#view.reflow()
    this.#frame()
  }

  #pause(on: boolean): void {
    this.#paused = on
    if (!on) {
      for (const add of this.#held.take()) add()
      this.#bound()
      this.#held.goOn()
    }
    this.#frame()
  }

  #clear(): void {
    this.#held.take()
    this.#store.clear()
    this.#view.clear()
    this.#left = 0
    this.#widest = 0
    this.#levels = [0, 0, 0, 0, 0, 0, 0]
    if (this.#aim !== undefined) this.#aim.serial = undefined
    this.#search.begin(this.#search.pattern)
    this.#held.goOn()
    this.#frame()
  }

  #exportNext(): void {
    const text = this.#export?.() ?? null
    if (text === null) this.#export = undefined
    this.#post({ type: 'exported', text })
  }

  #frameSoon(): void {
    this.#timer ??= setTimeout(() => this.#frame(), frameMs)
  }

  #frame(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#dropLevels) this.#recount()
    this.#goToAim()
    const rows = this.#view.rows
    const { count, follow } = this.#look
    const from = Math.max(0, Math.min(follow ? rows - count : this.#look.from, rows - count))
    const shown = this.#view.slice(from, from + count).map((row) => shownRow(row, this.#store, this.#highlights))
    this.#highlights.wantSoon()
    const anchorRow = this.#anchor === undefined ? null : this.#view.nearestRow(this.#anchor)
    this.#post({ type: 'frame', rows, from, shown, anchor: this.#anchor, anchorRow, stats: this.#stats() })
    // The rate falls when nothing comes any more.
    if (this.#rate.perSecond > 0) this.#timer ??= setTimeout(() => this.#frame(), 500)
  }

  #stats(): Stats {
    const ordered = this.#view.ordered
    return {
      lines: ordered,
      seen: this.#view.seenLines,
      levels: [...this.#levels],
      added: this.#added,
      perSecond: this.#rate.perSecond,
      left: this.#left,
      held: this.#held.lines,
      matches: this.#search.matches,
      searching: this.#search.progress,
      searchProblem: this.#search.problem,
      firstTime: this.#timeAt(0),
      lastTime: this.#timeAt(ordered - 1),
      widest: this.#widest,
    }
  }

  #timeAt(index: number): number | null {
    return this.#view.ordered === 0 ? null : this.#store.time(this.#view.orderedAt(index))
  }
}
