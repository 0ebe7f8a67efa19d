/** Lines of a log in few large pieces of memory: half a million of them as objects would be a gigabyte. */

export const levelNames = ['', 'trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const
export type LevelIndex = 0 | 1 | 2 | 3 | 4 | 5 | 6

export function levelIndex(name: string | undefined): LevelIndex {
  const found = name === undefined ? 0 : levelNames.indexOf(name as (typeof levelNames)[number])
  return (found < 0 ? 0 : found) as LevelIndex
}

/** What is known of a line besides its text. */
export const flag = { mark: 1, json: 2, plain: 4, match: 8, open: 16, gone: 32 } as const

const chunkLines = 4096
const chunkChars = 1024 * 1024

interface Chunk {
  /** Of its first line; the others follow without a gap. */
  first: number
  count: number
  /** All messages one behind the other, once the chunk is full. */
  text: string | undefined
  messages: string[]
  ends: Uint32Array
  times: Float64Array
  sources: Uint16Array
  levels: Uint8Array
  flags: Uint8Array
  chars: number
}

export interface NewLine {
  time: number
  source: number
  level: LevelIndex
  message: string
  flags: number
}

export interface ChunkText {
  first: number
  text: string
  ends: Uint32Array
}

export class LineStore {
  #chunks: Chunk[] = []
  #next = 0
  #lines = 0
  #chars = 0

  get lines(): number {
    return this.#lines
  }

  get chars(): number {
    return this.#chars
  }

  /** The number of the next line that is added. */
  get next(): number {
    return this.#next
  }

  add({ time, source, level, message, flags }: NewLine): number {
    let chunk = this.#chunks.at(-1)
    if (chunk === undefined || chunk.text !== undefined) {
      chunk = newChunk(this.#next)
      this.#chunks.push(chunk)
    }
    const place = chunk.count++
    chunk.messages.push(message)
    chunk.chars += message.length
    chunk.ends[place] = chunk.chars
    chunk.times[place] = time
    chunk.sources[place] = source
    chunk.levels[place] = level
    chunk.flags[place] = flags
    this.#lines++
    this.#chars += message.length
    if (chunk.count === chunkLines || chunk.chars >= chunkChars) seal(chunk)
    return this.#next++
  }

  has(serial: number): boolean {
    const first = this.#chunks[0]
    return first !== undefined && serial >= first.first && serial < this.#next
  }

  message(serial: number): string {
    const { chunk, place } = this.#find(serial)
    if (chunk.text === undefined) return chunk.messages[place] ?? ''
    return chunk.text.slice(place === 0 ? 0 : chunk.ends[place - 1], chunk.ends[place])
  }

  length(serial: number): number {
    const { chunk, place } = this.#find(serial)
    return (chunk.ends[place] ?? 0) - (place === 0 ? 0 : (chunk.ends[place - 1] ?? 0))
  }

  time(serial: number): number {
    const { chunk, place } = this.#find(serial)
    return chunk.times[place] ?? 0
  }

  source(serial: number): number {
    const { chunk, place } = this.#find(serial)
    return chunk.sources[place] ?? 0
  }

  level(serial: number): LevelIndex {
    const { chunk, place } = this.#find(serial)
    return (chunk.levels[place] ?? 0) as LevelIndex
  }

  flags(serial: number): number {
    const { chunk, place } = this.#find(serial)
    return chunk.flags[place] ?? 0
  }

  setFlag(serial: number, bit: number, on: boolean): void {
    const { chunk, place } = this.#find(serial)
    const before = chunk.flags[place] ?? 0
    chunk.flags[place] = on ? before | bit : before & ~bit
  }

  /** Takes a bit away from every line. */
  clearFlag(bit: number): void {
    for (const chunk of this.#chunks) {
      for (let place = 0; place < chunk.count; place++) chunk.flags[place] = (chunk.flags[place] ?? 0) & ~bit
    }
  }

  /** Forgets the oldest piece; returns the numbers it had, from the first to before the last. */
  dropOldest(): { from: number; to: number } | undefined {
    const chunk = this.#chunks.shift()
    if (chunk === undefined) return undefined
    this.#lines -= chunk.count
    this.#chars -= chunk.chars
    return { from: chunk.first, to: chunk.first + chunk.count }
  }

  clear(): void {
    this.#chunks = []
    this.#lines = 0
    this.#chars = 0
  }

  /** The text from a line on, piece by piece; the next piece begins at `first` plus the number of ends. */
  textFrom(serial: number): ChunkText | undefined {
    const oldest = this.#chunks[0]
    const from = Math.max(serial, oldest?.first ?? 0)
    if (oldest === undefined || from >= this.#next) return undefined
    const { chunk, place } = this.#find(from)
    const offset = place === 0 ? 0 : (chunk.ends[place - 1] ?? 0)
    const text = chunk.text === undefined ? chunk.messages.slice(place).join('') : chunk.text.slice(offset)
    const ends = chunk.ends.slice(place, chunk.count)
    if (offset > 0) for (let at = 0; at < ends.length; at++) ends[at] = (ends[at] ?? 0) - offset
    return { first: from, text, ends }
  }

  #find(serial: number): { chunk: Chunk; place: number } {
    let low = 0
    let high = this.#chunks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#chunks[middle]?.first ?? 0) <= serial) low = middle
      else high = middle - 1
    }
    const chunk = this.#chunks[low]
    const place = serial - (chunk?.first ?? 0)
    if (chunk === undefined || place < 0 || place >= chunk.count) throw new Error(`There is no line ${serial}.`)
    return { chunk, place }
  }
}

function newChunk(first: number): Chunk {
  return {
    first,
    count: 0,
    text: undefined,
    messages: [],
    ends: new Uint32Array(chunkLines),
    times: new Float64Array(chunkLines),
    sources: new Uint16Array(chunkLines),
    levels: new Uint8Array(chunkLines),
    flags: new Uint8Array(chunkLines),
    chars: 0,
  }
}

function seal(chunk: Chunk): void {
  chunk.text = chunk.messages.join('')
  chunk.messages = []
}
