import type { LogLine } from '../contract/logs.ts'
import { type LogLevel, levelOf } from './log-level.ts'
import { earlier, type LogPosition } from './log-time.ts'

/** A line as its source has it: one physical line, with the time the source gave it (`nanoTime`). */
export interface RawLine {
  timestamp: string
  text: string
  /** Standard output is 1, standard error 2, where the source tells them apart: no trace goes over both. */
  stream?: number | undefined
  /** Where the source itself knows; otherwise it is read out of the text. */
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

const traceLine = /^\s+(?:at |\.{3}|File "|Caused by|Suppressed|\[cause\])|^(?:Caused by:|Suppressed:|\.{3} )/
const tracebackHead = 'Traceback (most recent call last):'

function opensTraceback(text: string): boolean {
  return text.charCodeAt(text.length - 1) === 58 && text.endsWith(tracebackHead)
}

/** Whether a line belongs to a stack trace by its look alone. */
export function looksLikeTrace(text: string): boolean {
  const first = text.charCodeAt(0)
  // Most lines begin with neither white space nor one of C, S and '.'.
  if (first > 32 && first !== 67 && first !== 83 && first !== 46) return false
  return traceLine.test(text)
}

/**
 * Whether a line cannot be part of one with the line before it, whatever stands before that: where a log may be cut to
 * be read in pieces. Says no in doubt.
 */
export function standsAlone(text: string, before: string): boolean {
  return !goesOn(text) && !goesOn(before) && before !== '' && !opensTraceback(text) && !opensTraceback(before)
}

function goesOn(text: string): boolean {
  return /^\s/.test(text) || looksLikeTrace(text)
}

interface OpenLine extends LogPosition {
  stream: number | undefined
  text: string
  /** What belongs to it, line by line; undefined where there is nothing more, as for nearly all. */
  more: string[] | undefined
  chars: number
  level: LogLevel | undefined
  /** `python`: inside a Traceback block, whose last line is not indented. */
  trace: 'none' | 'plain' | 'python'
}

/**
 * Numbers a source's lines, reads their levels, and keeps stack traces together. A joined line has the time and
 * number of its last physical line: that is where a reader resumes, wherever the trace was cut.
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

  push(raws: readonly RawLine[]): LogLine[] {
    const lines: LogLine[] = []
    for (const raw of raws) {
      if (!this.#number(raw.timestamp)) continue
      const open = this.#open
      const timestamp = this.#lastTime
      const seq = this.#lastSeq
      const ofTrace = looksLikeTrace(raw.text)
      if (open !== undefined && open.stream === raw.stream && joins(open, raw.text, ofTrace, timestamp)) {
        extend(open, raw.text)
        open.timestamp = timestamp
        open.seq = seq
        continue
      }
      if (open !== undefined) lines.push(this.#line(open))
      this.#open = {
        timestamp,
        seq,
        stream: raw.stream,
        text: raw.text,
        more: undefined,
        chars: raw.text.length,
        level: raw.level ?? levelOf(raw.text),
        trace: opensTraceback(raw.text) ? 'python' : ofTrace ? 'plain' : 'none',
      }
    }
    return lines
  }

  /** The line that waits: to be called when nothing more came for a moment. */
  flush(): LogLine[] {
    const open = this.#open
    this.#open = undefined
    return open === undefined ? [] : [this.#line(open)]
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
    if (timestamp === last || (timestamp < last && timestamp >= earlier(last, disorderMs))) this.#lastSeq++
    else {
      this.#lastTime = timestamp
      this.#lastSeq = 0
    }
    const after = this.#after
    return after === undefined || this.#lastTime !== after.timestamp || this.#lastSeq > after.seq
  }

  #line(open: OpenLine): LogLine {
    const message = open.more === undefined ? open.text : `${open.text}\n${open.more.join('\n')}`
    const level = open.level ?? (open.trace === 'none' ? undefined : 'error')
    const line: LogLine = { timestamp: open.timestamp, message, service: this.#service, seq: open.seq }
    if (level !== undefined) line.level = level
    return line
  }
}

function joins(open: OpenLine, text: string, ofTrace: boolean, timestamp: string): boolean {
  if (!belongs(open, text, ofTrace)) return false
  if ((open.more?.length ?? 0) + 1 >= maxTraceLines || open.chars + text.length > maxTraceChars) return false
  return earlier(timestamp, maxTraceGapMs) <= open.timestamp
}

function belongs(open: OpenLine, text: string, ofTrace: boolean): boolean {
  if (open.trace === 'python' || ofTrace) return true
  if (open.trace === 'plain') return /^\s+\S/.test(text)
  // logging.exception() writes its sentence first, and the traceback under it.
  return (open.level === 'error' || open.level === 'fatal') && opensTraceback(text)
}

function extend(open: OpenLine, text: string): void {
  open.more ??= []
  open.more.push(text)
  open.chars += text.length
  if (opensTraceback(text)) open.trace = 'python'
  // The exception itself, not indented, ends the block.
  else if (open.trace === 'python') open.trace = /^\s/.test(text) || text === '' ? 'python' : 'plain'
  else open.trace = 'plain'
}
