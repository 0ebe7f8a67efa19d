import { countPieces, cut, type Piece } from './cut.ts'
import { jsonRows } from './json-rows.ts'
import { flag, type LineStore } from './line-store.ts'
import { NumberList } from './number-list.ts'

/** A line with more rows than this is cut: what is in it is read in a download. */
const maxPieces = 400

/** One row, before it is drawn. */
export interface ViewRow {
  serial: number
  /** Which of the line's rows. */
  sub: number
  text: string
  /** Where in the message the text begins; -1 where it is not a part of it. */
  start: number
}

/**
 * Which lines are seen and in which rows: all lines by time, of them those that pass the filter, and for each of
 * these where its first row is. All rows are equally high.
 */
export class LogView {
  readonly #store: LineStore
  /** Every line, by time. */
  readonly #order = new NumberList()
  /** Those that are seen, and where each begins, counted from `#base`. */
  readonly #seen = new NumberList()
  readonly #starts = new NumberList()
  #base = 0
  #end = 0
  #cols = 0
  #passes: (serial: number) => boolean = () => true

  constructor(store: LineStore) {
    this.#store = store
  }

  get rows(): number {
    return this.#end - this.#base
  }

  get seenLines(): number {
    return this.#seen.length
  }

  get ordered(): number {
    return this.#order.length
  }

  orderedAt(index: number): number {
    return this.#order.at(index)
  }

  /** New lines, at their place in time; of the same moment behind those that are there. */
  add(serials: readonly number[]): void {
    const times = serials.map((serial) => this.#store.time(serial))
    const sorted = isSorted(times) ? serials : sortedBy(serials, times)
    const first = sorted[0]
    if (first === undefined) return
    const time = this.#store.time(first)
    const last = this.#order.length - 1
    if (last < 0 || this.#store.time(this.#order.at(last)) <= time) {
      for (const serial of sorted) this.#append(serial)
      return
    }
    const behind = this.#behind(this.#order, time)
    const later = this.#order.slice(behind)
    this.#order.truncate(behind)
    this.#truncateSeen(this.#behind(this.#seen, time))
    let place = 0
    for (const serial of sorted) {
      const at = this.#store.time(serial)
      for (; place < later.length; place++) {
        const other = later[place] ?? 0
        if (this.#store.time(other) > at) break
        this.#append(other)
      }
      this.#append(serial)
    }
    for (; place < later.length; place++) this.#append(later[place] ?? 0)
  }

  /** Lines that are no longer kept; they are mostly the first. */
  remove(gone: (serial: number) => boolean, count: number): void {
    let found = 0
    let until = 0
    while (until < this.#order.length && found < count) if (gone(this.#order.at(until++))) found++
    const kept = [...this.#order.slice(0, until)].filter((serial) => !gone(serial))
    if (kept.length === 0) {
      this.#order.dropFirst(until)
      let seen = 0
      while (seen < this.#seen.length && gone(this.#seen.at(seen))) seen++
      this.#base = seen < this.#seen.length ? this.#starts.at(seen) : this.#end
      this.#seen.dropFirst(seen)
      this.#starts.dropFirst(seen)
      return
    }
    const rest = [...kept, ...this.#order.slice(until)]
    this.#order.clear()
    this.#restart()
    for (const serial of rest) this.#append(serial)
  }

  /** Sets what is seen; everything is gone through once. */
  filter(passes: (serial: number) => boolean): void {
    this.#passes = passes
    this.#refill()
  }

  wrap(cols: number): void {
    if (cols === this.#cols) return
    this.#cols = cols
    this.#refill()
  }

  /** A line has more rows, or fewer. */
  reflow(): void {
    this.#refill()
  }

  clear(): void {
    this.#order.clear()
    this.#restart()
  }

  /** The row in which a line begins; undefined when it is not seen. */
  rowOf(serial: number): number | undefined {
    const index = this.#indexOf(serial)
    return index === undefined ? undefined : this.#starts.at(index) - this.#base
  }

  /** The row nearest to where a line is or would be. */
  nearestRow(serial: number): number {
    const row = this.rowOf(serial)
    if (row !== undefined) return row
    if (!this.#store.has(serial)) return 0
    return this.rowAtTime(this.#store.time(serial))
  }

  /** The first row of a moment, or of the first line behind it. */
  rowAtTime(time: number): number {
    let low = 0
    let high = this.#seen.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#store.time(this.#seen.at(middle)) < time) low = middle + 1
      else high = middle
    }
    return low === this.#seen.length ? Math.max(0, this.rows - 1) : this.#starts.at(low) - this.#base
  }

  /** Rows to be drawn. */
  slice(from: number, to: number): ViewRow[] {
    const rows: ViewRow[] = []
    const end = Math.min(to, this.rows)
    let row = Math.max(0, from)
    while (row < end) {
      const index = this.#lineAt(row)
      const serial = this.#seen.at(index)
      const begins = this.#starts.at(index) - this.#base
      const all = this.rowsOf(serial)
      for (let sub = row - begins; sub < all.length && begins + sub < end; sub++) {
        const piece = all[sub]
        if (piece !== undefined) rows.push({ serial, sub, ...piece })
      }
      const next = begins + all.length
      // A line that has other rows than it was counted with would be a mistake, and must not be an endless loop.
      row = next > row ? next : row + 1
    }
    return rows
  }

  /** The next seen line for which something holds, before or behind another; in a circle. */
  find(holds: (serial: number) => boolean, from: number | undefined, way: 1 | -1): number | undefined {
    const length = this.#seen.length
    if (length === 0) return undefined
    const known = from === undefined ? undefined : this.#indexOf(from)
    let index = known ?? (way === 1 ? -1 : length)
    for (let tries = 0; tries < length; tries++) {
      index = (index + way + length) % length
      const serial = this.#seen.at(index)
      if (holds(serial)) return serial
    }
    return undefined
  }

  /** Which one this is among those for which something holds, counted from 1. */
  rank(holds: (serial: number) => boolean, serial: number): number {
    let rank = 0
    for (let index = 0; index < this.#seen.length; index++) {
      const other = this.#seen.at(index)
      if (holds(other)) rank++
      if (other === serial) return rank
    }
    return 0
  }

  /** Seen lines in order, a part at a time. */
  seenFrom(index: number, count: number): Uint32Array {
    return this.#seen.slice(index, Math.min(this.#seen.length, index + count))
  }

  rowsOf(serial: number): { text: string; start: number }[] {
    const message = this.#store.message(serial)
    const flags = this.#store.flags(serial)
    const pieces = this.#pieces(message, flags)
    const rows = pieces.map(({ start, end }) => ({ text: message.slice(start, end), start }))
    if ((flags & flag.open) !== 0) rows.push(...jsonRows(message).map((text) => ({ text, start: -1 })))
    return rows
  }

  #pieces(message: string, flags: number): Piece[] {
    if ((flags & flag.mark) !== 0) return [{ start: 0, end: message.length }]
    return cut(message, this.#cols, maxPieces)
  }

  #count(serial: number): number {
    const flags = this.#store.flags(serial)
    if ((flags & flag.mark) !== 0) return 1
    const plain = (flags & flag.plain) !== 0
    if ((flags & flag.open) !== 0) return this.rowsOf(serial).length
    if (plain && this.#cols === 0) return 1
    if (plain) return Math.min(maxPieces, Math.max(1, Math.ceil(this.#store.length(serial) / this.#cols)))
    return countPieces(this.#store.message(serial), false, this.#cols, maxPieces)
  }

  #append(serial: number): void {
    this.#order.push(serial)
    this.#see(serial)
  }

  #see(serial: number): void {
    if (!this.#passes(serial)) return
    this.#seen.push(serial)
    this.#starts.push(this.#end)
    this.#end += this.#count(serial)
  }

  #truncateSeen(length: number): void {
    if (length >= this.#seen.length) return
    this.#end = this.#starts.at(length)
    this.#seen.truncate(length)
    this.#starts.truncate(length)
  }

  #restart(): void {
    this.#seen.clear()
    this.#starts.clear()
    this.#base = 0
    this.#end = 0
  }

  #refill(): void {
    this.#restart()
    for (let index = 0; index < this.#order.length; index++) this.#see(this.#order.at(index))
  }

  /** How many of a list by time are not later than a moment. */
  #behind(list: NumberList, time: number): number {
    let low = 0
    let high = list.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#store.time(list.at(middle)) <= time) low = middle + 1
      else high = middle
    }
    return low
  }

  #lineAt(row: number): number {
    let low = 0
    let high = this.#seen.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#starts.at(middle) - this.#base <= row) low = middle
      else high = middle - 1
    }
    return low
  }

  /** Lines stand by time, and those of one moment as they came: a log without times is one moment of any length. */
  #indexOf(serial: number): number | undefined {
    if (!this.#store.has(serial)) return undefined
    const time = this.#store.time(serial)
    let low = 0
    let high = this.#seen.length
    while (low < high) {
      const middle = (low + high) >> 1
      const other = this.#seen.at(middle)
      const otherTime = this.#store.time(other)
      if (otherTime < time || (otherTime === time && other < serial)) low = middle + 1
      else high = middle
    }
    return low < this.#seen.length && this.#seen.at(low) === serial ? low : undefined
  }
}

function isSorted(times: readonly number[]): boolean {
  for (let place = 1; place < times.length; place++) if ((times[place] ?? 0) < (times[place - 1] ?? 0)) return false
  return true
}

function sortedBy(serials: readonly number[], times: readonly number[]): number[] {
  const places = serials.map((_, place) => place)
  places.sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || a - b)
  return places.map((place) => serials[place] ?? 0)
}
