import type { LogLine } from '../contract/logs.ts'
import { type LogLevel, levelOf } from './log-level.ts'
import { earlier, type LogPosition } from './log-time.ts'

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

/** `--->` stands before what .NET's exception was caused by, `from` and a place before `in` are Ruby's. */
const traceLine =
  /^\s+(?:at |\.{3}|File "|Caused by|Suppressed|\[cause\]|---> |from \S+:\d+:in )|^(?:Caused by:|Suppressed:|\.{3} |\/\S+:\d+:in [`'][^`']*'$)/
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals' colours begin with one
const colours = /\u001b\[[0-9;]*m/g
/** What Playwright did before it gave up: part of its errors' message. */
const callLog = 'Call log:'
/** What .NET writes in a line of its own before what it logs, which is set in by six. */
const dotnetHead = /^(?:trce|dbug|info|warn|fail|crit): \S+\[-?\d+\]$/
const tracebackHead = 'Traceback (most recent call last):'
/** Stands between two Python exceptions of which one led to the other, with an empty line on either side. */
const pythonLink = /^(?:During handling of the above exception|The above exception was the direct cause)/
const goPanic = /^(?:panic: |fatal error: )/
const goroutine = /^goroutine \d+ .*\]:$/
const goEnd = /^(?:created by |exit status \d)/

/** `main.(*Shop).sell(0xc0000121a0, {0x1, 0x2})`; its file stands in the line below, indented. */
function isGoCall(text: string): boolean {
  return text.endsWith(')') ? /^[^\s(]+\(/.test(text) : goEnd.test(text)
}

/** As the heads of tracebacks and of goroutines do. */
function endsWithColon(text: string): boolean {
  return text.charCodeAt(text.length - 1) === 58
}

function opensTraceback(text: string): boolean {
  return endsWithColon(text) && text.endsWith(tracebackHead)
}

/** Whether a line belongs to a stack trace by its look alone. */
export function looksLikeTrace(text: string): boolean {
  const first = text.charCodeAt(0)
  // Most lines begin with neither white space nor one of C, S, '.' and '/'.
  if (first > 32 && first !== 67 && first !== 83 && first !== 46 && first !== 47) return false
  return traceLine.test(text)
}

/**
 * Whether a line cannot be part of one with the line before it, whatever stands before that: where a log may be cut to
 * be read in pieces. Says no in doubt.
 */
export function standsAlone(coloured: string, colouredBefore: string): boolean {
  const [text, before] = [plain(coloured), plain(colouredBefore)]
  if (text === '' || before === '' || text === '}' || text.startsWith('[signal ')) return false
  if (isGoCall(text) && isGoCall(before)) return false
  return ![text, before].some((one) => goesOn(one) || opensTraceback(one) || one === callLog || goroutine.test(one))
}

/** In a terminal, Node's own calls and what Playwright did are of a paler colour. */
function plain(text: string): string {
  return text.includes('\u001b') ? text.replace(colours, '') : text
}

function goesOn(text: string): boolean {
  return /^\s/.test(text) || looksLikeTrace(text)
}

/**
 * Where in a trace its last line stands, which says what may follow. `braced`: among the properties of a Node error, up
 * to their bracket. `python`: in a block, whose last line is not indented; `raised`: behind that line; `gap` and
 * `linked`: before and behind the sentence that leads to another block. `panic`: behind Go's sentence; `go`: among the
 * calls of a goroutine; `parted`: behind the empty line that ends them. `called`: among what Playwright did before.
 * `entry`: in what .NET's logger sets in.
 */
type Trace =
  | 'none'
  | 'entry'
  | 'called'
  | 'plain'
  | 'braced'
  | 'python'
  | 'raised'
  | 'gap'
  | 'linked'
  | 'panic'
  | 'go'
  | 'parted'

interface OpenLine extends LogPosition {
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
      const said = raw.body === undefined ? raw.text : raw.text.slice(raw.body)
      const look = plain(said)
      const ofTrace = looksLikeTrace(look)
      // Of nearly all lines it is seen at once that they go on with nothing.
      const may = open !== undefined && (ofTrace || open.trace !== 'none' || endsWithColon(look))
      const trace = may && open.stream === raw.stream ? continued(open, look, ofTrace, timestamp) : undefined
      if (open !== undefined && trace !== undefined && hasRoom(open, said)) {
        open.more ??= []
        open.more.push(said)
        open.chars += said.length
        open.trace = trace
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
        level: raw.body === undefined ? (raw.level ?? levelOf(said)) : levelOfLine(raw, said),
        trace: trace ?? begun(look, ofTrace),
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

function hasRoom(open: OpenLine, text: string): boolean {
  return (open.more?.length ?? 0) + 1 < maxTraceLines && open.chars + text.length <= maxTraceChars
}

/** Where a trace stands that begins with this line. */
function begun(text: string, ofTrace: boolean): Trace {
  if (opensTraceback(text)) return behindHead(text)
  if (ofTrace) return 'plain'
  const first = text.charCodeAt(0)
  if ((first === 112 || first === 102) && goPanic.test(text)) return 'panic'
  if (first === 103 && goroutine.test(text)) return 'go'
  return text.charCodeAt(text.length - 1) === 93 && dotnetHead.test(text) ? 'entry' : 'none'
}

/** Where a trace stands behind this line; undefined when the line is no part of it. */
function continued(open: OpenLine, text: string, ofTrace: boolean, timestamp: string): Trace | undefined {
  const trace = next(open, text, ofTrace)
  return trace !== undefined && earlier(timestamp, maxTraceGapMs) <= open.timestamp ? trace : undefined
}

function next(open: OpenLine, text: string, ofTrace: boolean): Trace | undefined {
  if (text === callLog) return 'called'
  switch (open.trace) {
    case 'entry':
      if (text.startsWith('      ')) return 'entry'
      break
    case 'called':
      if (pythonLink.test(text)) return 'linked'
      if (!ofTrace && (text === '' || /^\s+\S/.test(text))) return 'called'
      break
    case 'python':
      if (opensTraceback(text)) return behindHead(text)
      return /^\s/.test(text) || text === '' ? 'python' : 'raised'
    case 'raised':
      if (text === '') return 'gap'
      if (/^\s+\S/.test(text)) return 'raised'
      break
    case 'gap':
      if (pythonLink.test(text)) return 'linked'
      break
    case 'linked':
      if (text === '') return 'linked'
      if (opensTraceback(text)) return behindHead(text)
      break
    case 'panic':
      if (text === '' || text.startsWith('[signal ') || /^\s+\S/.test(text)) return 'panic'
      if (goroutine.test(text)) return 'go'
      break
    case 'go':
      if (text === '') return 'parted'
      if (/^\s+\S/.test(text) || isGoCall(text)) return 'go'
      break
    case 'parted':
      if (goroutine.test(text)) return 'go'
      break
    case 'braced':
      if (text === '}') return 'plain'
      if (/^\s+\S/.test(text)) return 'braced'
      break
    case 'plain':
      if (/^\s+\S/.test(text)) return behindCall(text)
      break
    case 'none':
      // logging.exception() writes its sentence first, and the traceback under it; a Go server that goes on, too.
      if (opensTraceback(text)) return isBad(open) ? behindHead(text) : undefined
      if (text.charCodeAt(0) === 103 && goroutine.test(text) && (isBad(open) || open.text.includes('panic')))
        return 'go'
  }
  return ofTrace ? behindCall(text) : undefined
}

function isBad({ level }: OpenLine): boolean {
  return level === 'error' || level === 'fatal'
}

/** One that is itself indented is part of a group of exceptions, which is indented to its end. */
function behindHead(text: string): Trace {
  return /^\s/.test(text) ? 'plain' : 'python'
}

function behindCall(text: string): Trace {
  return text.endsWith(' {') ? 'braced' : 'plain'
}
