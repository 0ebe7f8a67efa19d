import type { LogLine } from '../contract/logs.ts'
import { type LogLevel, levelOf } from './log-level.ts'
import { apartMs, earlier, type LogPosition } from './log-time.ts'
import { endsWithColon, looksLikeTrace, plain, type Trace, traceBegunBy, traceBehind } from './log-traces.ts'

/** A line as its source has it: one physical line, with the time the source gave it (`nanoTime`). */
export interface RawLine {
  timestamp: string
  text: string
  /**
   * Where the source tells its writers apart, which of them it was: standard output is 1, standard error 2; in a
   * system's log it is a program. No trace goes over two.
   */
  stream?: number | string | undefined
  /** Where in the text the program's own words begin, when the source put its name before them. */
  body?: number | undefined
  /** What the source itself says of it; for most it says no more than that it is a line. */
  level?: LogLevel | undefined
}

/**
 * Standard output and standard error are stamped by two writers, so that a source's lines can be out of order by
 * a moment. A reader that resumes looks this far back, and a clock that was set back by more is believed.
 */
export const disorderMs = 2000

/** A stack trace is kept together up to here; beyond, it goes on as a further line. */
const maxTraceLines = 200
const maxTraceChars = 256 * 1024
/** A trace is written in one go: what comes this much later is not part of it. */
const maxTraceGapMs = 1000

/**
 * What one output of a container writes in one go, Docker reads in one go; but lines of the other output can get in
 * between: thousands, where one floods. They wait for the trace so long and no longer, by their own times, and so many
 * of them. Where two lines of one output are further apart, or have more between them, they are not joined over others.
 */
export const tangle = { ms: 50, lines: 16_384, chars: 2 * 1024 * 1024 }

interface OpenLine extends LogPosition {
  /** When its last physical line was written. */
  written: string
  /** Of before: what it was is needed to know what follows, but it was delivered already. */
  given: boolean
  stream: number | string | undefined
  text: string
  /** What belongs to it, line by line; undefined where there is nothing more, as for nearly all. */
  more: string[] | undefined
  chars: number
  level: LogLevel | undefined
  trace: Trace
}

/**
 * Numbers a source's lines, reads their levels, and keeps stack traces together. A joined line has the time and
 * number of its last physical line: that is where a reader resumes, wherever the trace was cut. What another output
 * wrote meanwhile comes behind it and is numbered there, the same way for a first reader and for one that resumes.
 */
export class LineAssembler {
  readonly #service: string
  #after: LogPosition | undefined
  #reached = false
  /** The last physical line taken. Two fields and no object, since it changes with every line. */
  #lastTime: string
  #lastSeq = -1
  /** What was to be left out, once nothing of it can come any more. */
  #passed: LogPosition | undefined
  #open: OpenLine | undefined
  /** Lines of another output than the open line's, that came while more of that one may come. */
  #waiting: RawLine[] = []
  #waitingChars = 0

  /** With `after`, everything up to and including that position is left out; feed it from `disorderMs` before. */
  constructor(service: string, after?: LogPosition) {
    this.#service = service
    this.#after = after
    this.#lastTime = after === undefined ? '' : after.timestamp
    this.#reached = after === undefined
  }

  /** The last physical line taken; where to resume a source that broke off. */
  get position(): LogPosition | undefined {
    const last = { timestamp: this.#lastTime, seq: this.#lastSeq }
    const after = this.#after
    if (last.seq < 0) return after ?? this.#passed
    // It may have broken off again before it came back to where it was.
    return after !== undefined && last.timestamp === after.timestamp && last.seq < after.seq ? after : last
  }

  /** All that was there has been taken: what comes is new, also where its time says otherwise. */
  fromNow(): void {
    if (this.#reached) return
    this.#reached = true
    this.#passed = this.#after
    this.#after = undefined
    this.#lastTime = ''
    this.#lastSeq = -1
  }

  /** Whether a line waits for what may belong to it. */
  get holding(): boolean {
    return this.#open !== undefined
  }

  /** Whether lines of another output wait as well: what is still to come decides where they stand. */
  get tangled(): boolean {
    return this.#waiting.length > 0
  }

  push(raws: readonly RawLine[]): LogLine[] {
    const lines: LogLine[] = []
    for (const raw of raws) this.#add(raw, lines)
    return lines
  }

  /** The lines that wait: to be called when nothing more came for a moment. */
  flush(): LogLine[] {
    const lines: LogLine[] = []
    while (this.#open !== undefined) this.#release(lines)
    return lines
  }

  get #hasPlace(): boolean {
    return this.#waiting.length < tangle.lines && this.#waitingChars < tangle.chars
  }

  #add(raw: RawLine, lines: LogLine[]): void {
    const open = this.#open
    const first = this.#waiting[0]
    if (open === undefined || (first === undefined && !tangles(open, raw))) return this.#take(raw, lines)
    if (first === undefined || (this.#hasPlace && near(first.timestamp, raw.timestamp))) {
      if (raw.stream !== open.stream) {
        this.#waiting.push(raw)
        this.#waitingChars += raw.text.length
        return
      }
      const said = saidIn(raw)
      const look = plain(said)
      const trace = goingOn(open, raw, look, looksLikeTrace(look))
      if (trace !== undefined && hasRoom(open, said)) return this.#take(raw, lines)
    }
    this.#release(lines)
    this.#add(raw, lines)
  }

  /** Nothing more can belong to the open line: what waited comes in its turn. */
  #release(lines: LogLine[]): void {
    this.#end(lines)
    const waiting = this.#waiting
    if (waiting.length === 0) return
    this.#waiting = []
    this.#waitingChars = 0
    for (const raw of waiting) this.#add(raw, lines)
  }

  #end(lines: LogLine[]): void {
    const open = this.#open
    this.#open = undefined
    if (open !== undefined && !open.given) lines.push(this.#line(open))
  }

  #take(raw: RawLine, lines: LogLine[]): void {
    const given = !this.#number(raw.timestamp)
    if (given && !isOutput(raw)) return
    const open = this.#open
    const timestamp = given ? raw.timestamp : this.#lastTime
    const seq = this.#lastSeq
    const said = saidIn(raw)
    const look = plain(said)
    const ofTrace = looksLikeTrace(look)
    const trace = open === undefined ? undefined : goingOn(open, raw, look, ofTrace)
    if (open !== undefined && trace !== undefined && open.given === given && hasRoom(open, said)) {
      open.more ??= []
      open.more.push(said)
      open.chars += said.length
      open.trace = trace
      open.timestamp = timestamp
      open.seq = seq
      open.written = raw.timestamp
      return
    }
    this.#end(lines)
    this.#open = {
      timestamp,
      seq,
      written: raw.timestamp,
      given,
      stream: raw.stream,
      text: raw.text,
      more: undefined,
      chars: raw.text.length,
      level: raw.body === undefined ? (raw.level ?? levelOf(said)) : levelOfLine(raw, said),
      trace: trace ?? traceBegunBy(look, ofTrace),
    }
  }

  /**
   * Times never run backwards here: a line that is stamped a little earlier than the one before it takes that
   * one's time and the next number. So the order of positions is the order of the source, and both a first reader
   * and one that resumes find the same numbers, because all that stands before the first line of a moment is
   * earlier than that moment.
   */
  #number(timestamp: string): boolean {
    const last = this.#lastTime
    if (!this.#reached) {
      if (timestamp < last && this.#lastSeq < 0) return false
      this.#reached = true
    }
    // Most lines are later than the one before: one look tells.
    if (timestamp <= last && (timestamp === last || timestamp >= earlier(last, disorderMs))) this.#lastSeq++
    else {
      this.#lastTime = timestamp
      this.#lastSeq = 0
    }
    const after = this.#after
    return after === undefined || this.#lastTime !== after.timestamp || this.#lastSeq > after.seq
  }

  #line(open: OpenLine): LogLine {
    const message = open.more === undefined ? open.text : `${open.text}\n${open.more.join('\n')}`
    const level = open.level ?? (open.trace === 'none' || open.trace === 'entry' ? undefined : 'error')
    const line: LogLine = { timestamp: open.timestamp, message, service: this.#service, seq: open.seq }
    if (level !== undefined) line.level = level
    return line
  }
}

/** A journal calls everything information that a service prints: then what the line says of itself counts. */
function levelOfLine({ text, level }: RawLine, said: string): LogLevel | undefined {
  if (level !== undefined && level !== 'info') return level
  const stated = said.charCodeAt(0) === 123 ? levelOf(said) : levelOf(text)
  return stated ?? (said === text ? undefined : levelOf(said)) ?? level
}

/** Where a trace stands behind this line; undefined when the line is no part of it. */
function goingOn(open: OpenLine, raw: RawLine, look: string, ofTrace: boolean): Trace | undefined {
  // Of nearly all lines it is seen at once that they go on with nothing.
  if (!ofTrace && open.trace === 'none' && !endsWithColon(look)) return undefined
  const trace = open.stream === raw.stream ? traceBehind(open, look, ofTrace) : undefined
  return trace !== undefined && earlier(raw.timestamp, maxTraceGapMs) <= open.written ? trace : undefined
}

function hasRoom(open: OpenLine, text: string): boolean {
  return (open.more?.length ?? 0) + 1 < maxTraceLines && open.chars + text.length <= maxTraceChars
}

/** Whether a line got between what another output writes, so that more of that may follow. */
function tangles(open: OpenLine, raw: RawLine): boolean {
  return open.stream !== raw.stream && isOutput(raw) && near(open.written, raw.timestamp)
}

/** Of one of a container's outputs: the programs of a system's log write as they please. */
function isOutput({ stream }: RawLine): boolean {
  return typeof stream === 'number'
}

function near(a: string, b: string): boolean {
  return apartMs(a, b) <= tangle.ms
}

function saidIn({ text, body }: RawLine): string {
  return body === undefined ? text : text.slice(body)
}
