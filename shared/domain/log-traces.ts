import type { LogLevel } from './log-level.ts'

/** Stack traces as the languages write them: which line goes on with which. */

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
export function endsWithColon(text: string): boolean {
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
export function plain(text: string): string {
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
export type Trace =
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

/** A line and what was joined to it so far. */
export interface BegunLine {
  text: string
  level: LogLevel | undefined
  trace: Trace
}

/** Where a trace stands that begins with this line. */
export function traceBegunBy(text: string, ofTrace: boolean): Trace {
  if (opensTraceback(text)) return behindHead(text)
  if (ofTrace) return 'plain'
  const first = text.charCodeAt(0)
  if ((first === 112 || first === 102) && goPanic.test(text)) return 'panic'
  if (first === 103 && goroutine.test(text)) return 'go'
  return text.charCodeAt(text.length - 1) === 93 && dotnetHead.test(text) ? 'entry' : 'none'
}

/** Where a trace stands behind a further line of its own output; undefined when the line is no part of it. */
export function traceBehind(open: BegunLine, text: string, ofTrace: boolean): Trace | undefined {
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

function isBad({ level }: BegunLine): boolean {
  return level === 'error' || level === 'fatal'
}

/** One that is itself indented is part of a group of exceptions, which is indented to its end. */
function behindHead(text: string): Trace {
  return /^\s/.test(text) ? 'plain' : 'python'
}

function behindCall(text: string): Trace {
  return text.endsWith(' {') ? 'braced' : 'plain'
}
