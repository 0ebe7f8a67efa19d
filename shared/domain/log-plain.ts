import { type LogLevel, syslogLevel } from './log-level.ts'
import type { RawLine } from './log-lines.ts'
import { nanoTime, nanoTimeOf } from './log-time.ts'

/** Lines of text files: syslog in its old and its new form, and programs that write a time first. */

const isoHead = /^\[?(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)\s?(Z|UTC|GMT|[+-]\d\d:?\d\d)?\]?[\s:|-]+/
const syslogHead = /^(?:<(\d{1,3})>)?([A-Z][a-z]{2}) ([ \d]\d) (\d\d):(\d\d):(\d\d) /
/** Behind the time, a host and a program, as syslog writes them; the program's own words follow. */
const syslogWriter =
  /^(?:<\d{1,3}>)?(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\S+) ([\w.:-]+ [^\s:[\]]+(?:\[\d+\])?): /
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const dayMs = 86_400_000

/** The time at the head of a line; undefined where there is none. `now` says which year an old syslog line means. */
export function plainTime(line: string, now: number): string | undefined {
  const head = isoHead.exec(line)
  if (head !== null) return isoTime(head[1] ?? '', head[2])
  const match = syslogHead.exec(line)
  if (match === null) return undefined
  const [, , name = '', day, hour, minute, second] = match
  const month = months.indexOf(name)
  if (month === -1) return undefined
  const inYear = (year: number) =>
    new Date(year, month, Number(day), Number(hour), Number(minute), Number(second)).getTime()
  const year = new Date(now).getFullYear()
  const at = inYear(year)
  return nanoTimeOf(at > now + dayMs ? inYear(year - 1) : at)
}

/** Without a zone it is the machine's own, as in syslog: what writes a file beside us goes by the same clock. */
function isoTime(head: string, zone: string | undefined): string | undefined {
  if (zone !== undefined) return nanoTime(head + (zone.length === 3 ? 'Z' : zone))
  const utc = nanoTime(head)
  if (utc === undefined) return undefined
  const [year = 0, month = 1, ...rest] = head.slice(0, 19).split(/\D/).map(Number)
  const [day, hour, minute, second] = rest
  return nanoTimeOf(new Date(year, month - 1, day, hour, minute, second).getTime()).slice(0, 19) + utc.slice(19)
}

/** Who wrote a line of a system's log, and where the words of that program begin. */
export function plainWriter(line: string): { writer: string | undefined; body: number | undefined } {
  const match = syslogWriter.exec(line)
  return { writer: match?.[1], body: match?.[0].length }
}

/**
 * Turns lines of a text file into lines with a time: one without takes that of the line before. Before any has one it
 * is what the reader says: a moment, or each time the one in which it is read.
 */
export class PlainDecoder {
  #last: string | undefined
  #writer: string | undefined
  #stamped = false
  readonly #now: () => number

  constructor(first: number | 'reading', now: () => number = Date.now) {
    this.#last = first === 'reading' ? undefined : nanoTimeOf(first)
    this.#now = now
  }

  /** What was there has been read: a line without a time is one of the moment in which it is read. */
  fromNow(): void {
    if (!this.#stamped) this.#last = undefined
  }

  push(entries: readonly string[]): RawLine[] {
    const lines: RawLine[] = []
    const read = this.#last ?? nanoTimeOf(this.#now())
    for (const entry of entries) {
      if (entry === '') continue
      const text = entry.charCodeAt(entry.length - 1) === 13 ? entry.slice(0, -1) : entry
      const timestamp = plainTime(text, this.#now())
      this.#stamped ||= timestamp !== undefined
      this.#last = timestamp ?? this.#last
      const { writer, body } = plainWriter(text)
      // One without a time goes on with what the line before it says.
      if (timestamp !== undefined) this.#writer = writer
      lines.push({ timestamp: this.#last ?? read, text, stream: this.#writer, body })
    }
    return lines
  }
}

/** One line of `journalctl -o json`; undefined for one that has no time. */
export function parseJournal(entry: string): RawLine | undefined {
  let fields: Record<string, unknown>
  try {
    fields = (JSON.parse(entry) ?? {}) as Record<string, unknown>
  } catch {
    return undefined
  }
  const micros = Number(fields['__REALTIME_TIMESTAMP'])
  if (!Number.isFinite(micros) || micros <= 0) return undefined
  const ms = Math.floor(micros / 1000)
  const timestamp = `${nanoTimeOf(ms).slice(0, 23)}${String(micros % 1000).padStart(3, '0')}000Z`
  const who = text(fields['SYSLOG_IDENTIFIER']) || text(fields['_COMM'])
  const pid = text(fields['_PID']) || text(fields['SYSLOG_PID'])
  const message = text(fields['MESSAGE'])
  const head = who === '' ? '' : `${who}${pid === '' ? '' : `[${pid}]`}: `
  return { timestamp, text: head + message, stream: head, body: head.length, level: journalLevel(fields['PRIORITY']) }
}

function journalLevel(priority: unknown): LogLevel | undefined {
  return priority === undefined ? undefined : syslogLevel(Number(priority))
}

/** The journal gives a text that is not UTF-8 as its bytes, and a field that stands twice as a list. */
function text(value: unknown): string {
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return ''
  if (value.every((item) => typeof item === 'number')) return new TextDecoder().decode(Uint8Array.from(value))
  return value.map((item) => text(item)).join('\n')
}
