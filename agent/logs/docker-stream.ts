import { StringDecoder } from 'node:string_decoder'
import type { RawLine } from '../../shared/domain/log-lines.ts'
import { dockerTime, nanoTime } from '../../shared/domain/log-time.ts'
import { dockerPartBytes, fitting, maxLineChars, PartJoiner, type PartStamps } from './parts.ts'

/**
 * `2024-01-01T00:00:00.000000000Z ` stands before every line, and before every part of a long one. Podman's has its own
 * zone, and up to version 5.7 no more than seconds: `2024-01-01T00:00:00+01:00 `.
 */
const stampBytes = { docker: 31, least: 21, most: 36 }
const space = 32
const headerBytes = 8
/** Docker's frames are 16 KiB and a stamp; anything far beyond is not this protocol. */
const maxFrameBytes = 4 * 1024 * 1024
const newline = 10

/** Turns the bytes of Docker's log stream into lines, however they are cut. */
export interface StreamDecoder {
  /** How many lines and parts of lines Docker has sent: what its `tail` counts. */
  readonly entries: number
  /** The latest time of them, also of what is not a whole line yet; empty before the first. */
  readonly newest: string
  push(chunk: Buffer): RawLine[]
  /** What is left when the stream has ended. */
  finish(): RawLine[]
}

/** Without a terminal, frames say which output a line came from. */
export class FramedDecoder implements StreamDecoder {
  readonly #joiner: PartJoiner
  readonly #alike: boolean
  readonly #letters: (Letters | undefined)[] = []
  #carry: Buffer | undefined
  entries = 0
  newest = ''

  constructor(parts: PartStamps = 'stamped alike') {
    this.#joiner = new PartJoiner(parts)
    this.#alike = parts === 'stamped alike'
  }

  push(chunk: Buffer): RawLine[] {
    const bytes = this.#carry === undefined ? chunk : Buffer.concat([this.#carry, chunk])
    const lines: RawLine[] = []
    let at = 0
    while (bytes.length - at >= headerBytes) {
      const stream = bytes.readUInt8(at)
      const size = bytes.readUInt32BE(at + 4)
      if (stream > 3 || size > maxFrameBytes) throw new Error("Docker's log stream is not what it should be.")
      const end = at + headerBytes + size
      if (end > bytes.length) break
      this.#frame(stream, bytes, at + headerBytes, end, lines)
      at = end
    }
    this.#carry = at === bytes.length ? undefined : bytes.subarray(at)
    return lines
  }

  finish(): RawLine[] {
    const lines: RawLine[] = []
    this.#joiner.finish(lines)
    return lines
  }

  #frame(stream: number, bytes: Buffer, start: number, end: number, into: RawLine[]): void {
    this.entries++
    const stamp = stampAt(bytes, start, end)
    if (stamp === undefined) return
    if (stamp.timestamp > this.newest) this.newest = stamp.timestamp
    const from = start + stamp.bytes
    const whole = bytes[end - 1] === newline
    const to = whole ? end - 1 : end
    const text = this.#text(stream, stamp.timestamp, bytes, from, to, whole)
    this.#joiner.take({ stream, timestamp: stamp.timestamp, text, whole, bytes: to - from }, into)
  }

  /** Docker cuts a long line by bytes: a letter that lies across the cut is put together from both parts. */
  #text(stream: number, timestamp: string, bytes: Buffer, from: number, to: number, whole: boolean): string {
    const before = this.#letters[stream]
    if (whole && before === undefined) return bytes.toString('utf8', from, to)
    const continues = before !== undefined && (!this.#alike || before.timestamp === timestamp)
    const decoder = continues ? before.decoder : new StringDecoder('utf8')
    const text = decoder.write(bytes.subarray(from, to))
    const goesOn = !whole && to - from >= dockerPartBytes
    this.#letters[stream] = goesOn ? { timestamp, decoder } : undefined
    return goesOn ? text : text + decoder.end()
  }
}

/** What a part of a long line ended with, for the part that follows. */
interface Letters {
  timestamp: string
  decoder: StringDecoder
}

/** With a terminal there are no frames: lines end with a newline, and long ones have stamps inside. */
export class TerminalDecoder implements StreamDecoder {
  readonly #alike: boolean
  #carry: Buffer[] = []
  #carried = 0
  #skipped = 0
  entries = 0
  newest = ''

  constructor(parts: PartStamps = 'stamped alike') {
    this.#alike = parts === 'stamped alike'
  }

  push(chunk: Buffer): RawLine[] {
    const lines: RawLine[] = []
    let at = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, at)) {
      this.#line(this.#whole(chunk.subarray(at, end)), lines)
      at = end + 1
    }
    if (at < chunk.length) this.#keep(chunk.subarray(at))
    return lines
  }

  finish(): RawLine[] {
    const lines: RawLine[] = []
    if (this.#carried > 0) this.#line(this.#whole(Buffer.alloc(0)), lines)
    return lines
  }

  #stamped(timestamp: string | undefined): void {
    if (timestamp !== undefined && timestamp > this.newest) this.newest = timestamp
  }

  #keep(rest: Buffer): void {
    // Four bytes make at most one character: beyond this the line is too long in any case.
    if (this.#carried > 4 * maxLineChars) {
      this.#skipped += rest.length
      return
    }
    if (this.#carried === 0) this.#stamped(stampAt(rest, 0, rest.length)?.timestamp)
    this.#carry.push(rest)
    this.#carried += rest.length
  }

  #whole(rest: Buffer): Buffer {
    if (this.#carried === 0) return rest
    this.#keep(rest)
    const line = Buffer.concat(this.#carry)
    this.#carry = []
    this.#carried = 0
    return line
  }

  #line(line: Buffer, into: RawLine[]): void {
    const skipped = this.#skipped
    this.#skipped = 0
    const found = stampAt(line, 0, line.length)
    if (found === undefined) return
    this.#stamped(found.timestamp)
    const stamp = line.subarray(0, found.bytes)
    const parts: Buffer[] = []
    let at = found.bytes
    for (;;) {
      const cut = at + dockerPartBytes
      if (line.length < cut + found.bytes) break
      const again = line.subarray(cut, cut + found.bytes)
      if (!again.equals(stamp) && (this.#alike || stampAt(again, 0, again.length) === undefined)) break
      parts.push(line.subarray(at, cut))
      at = cut + found.bytes
    }
    this.entries += parts.length + 1
    // Some log drivers leave out the newline behind the last part of a long line: the next line begins at its stamp.
    const next = parts.length === 0 ? -1 : nextStamp(line, at)
    const rest = line.subarray(at, next === -1 ? line.length : next)
    const text = (parts.length === 0 ? rest : Buffer.concat([...parts, rest])).toString('utf8')
    into.push({ timestamp: found.timestamp, text: fitting(text, skipped) })
    if (next !== -1) this.#line(line.subarray(next), into)
  }
}

function nextStamp(line: Buffer, from: number): number {
  const match = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z /.exec(line.toString('latin1', from))
  return match === null ? -1 : from + match.index
}

function stampAt(bytes: Buffer, start: number, end: number): { timestamp: string; bytes: number } | undefined {
  const usual = start + stampBytes.docker
  if (end >= usual && bytes[usual - 1] === space) {
    const timestamp = dockerTime(bytes.toString('latin1', start, usual - 1))
    if (timestamp !== undefined) return { timestamp, bytes: stampBytes.docker }
  }
  const head = bytes.toString('latin1', start, Math.min(end, start + stampBytes.most))
  const length = head.indexOf(' ', stampBytes.least - 1)
  const timestamp = length === -1 ? undefined : nanoTime(head.slice(0, length))
  return timestamp === undefined ? undefined : { timestamp, bytes: length + 1 }
}
