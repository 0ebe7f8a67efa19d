/** Moments of log lines as text: UTC with nine digits, so that the order of the texts is the order in time. */

const fixed = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/
const iso = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9})\d*)?\s?(Z|[+-]\d\d:?\d\d)?$/

const firstMs = Date.parse('0000-01-01T00:00:00Z')
const lastMs = Date.parse('9999-12-31T23:59:59Z')

/** Any ISO time, with its nanoseconds kept; undefined when it is none. Without a zone it is UTC. */
export function nanoTime(text: string): string | undefined {
  if (text.length === 30 && fixed.test(text)) return text
  const match = iso.exec(text)
  if (match === null) return undefined
  const [, day = '', clock = '', fraction = '', zone = 'Z'] = match
  const seconds = Date.parse(`${day}T${clock}${zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone}`)
  // A zone can lead out of the years that are written with four digits, and out of the order of these texts with it.
  if (Number.isNaN(seconds) || seconds < firstMs || seconds > lastMs) return undefined
  return `${new Date(seconds).toISOString().slice(0, 19)}.${fraction.padEnd(9, '0')}Z`
}

/** The same for a time that Docker wrote, without zeros at its end: looked at, not taken apart. */
export function dockerTime(text: string): string | undefined {
  const { length } = text
  const asDocker =
    length > 21 &&
    length <= 30 &&
    text.charCodeAt(length - 1) === 90 &&
    text.charCodeAt(19) === 46 &&
    text.charCodeAt(10) === 84
  if (!asDocker) return nanoTime(text)
  return length === 30 ? text : `${text.slice(0, -1)}${'00000000Z'.slice(length - 22)}`
}

export function nanoTimeOf(ms: number): string {
  const whole = Math.floor(ms)
  const beyond = Math.floor((ms - whole) * 1e6)
  return `${new Date(whole).toISOString().slice(0, 23)}${String(beyond).padStart(6, '0')}Z`
}

/** Milliseconds since 1970; what is finer is left out. */
export function milliseconds(timestamp: string): number {
  return Date.parse(`${timestamp.slice(0, 23)}Z`)
}

/** The same moment, this much earlier. */
export function earlier(timestamp: string, ms: number): string {
  return `${new Date(Math.max(firstMs, milliseconds(timestamp) - ms)).toISOString().slice(0, 23)}${timestamp.slice(23)}`
}

/** How far two moments are apart, whichever is the earlier. Of the same second, as most are, that is seen at once. */
export function apartMs(a: string, b: string): number {
  if (a.slice(0, 20) === b.slice(0, 20)) return Math.abs(Number(a.slice(20, 29)) - Number(b.slice(20, 29))) / 1e6
  return Math.abs(milliseconds(a) - milliseconds(b))
}

/** Seconds since 1970 with nine digits, as Docker's `since` takes them. */
export function unixTime(timestamp: string): string {
  return `${Math.floor(milliseconds(timestamp) / 1000)}.${timestamp.slice(20, 29)}`
}

/** Where a line stands in its service: lines of the same moment are numbered from 0. */
export interface LogPosition {
  timestamp: string
  seq: number
}

export function comparePositions(a: LogPosition, b: LogPosition): number {
  if (a.timestamp !== b.timestamp) return a.timestamp < b.timestamp ? -1 : 1
  return a.seq - b.seq
}

/** `<time>#<seq>`, or a time alone, which stands for the first line of that moment; undefined when it is neither. */
export function parseSince(text: string): LogPosition | undefined {
  const match = /^([^#]+)(?:#(\d{1,9}))?$/.exec(text)
  const timestamp = nanoTime(match?.[1] ?? '')
  return timestamp === undefined ? undefined : { timestamp, seq: Number(match?.[2] ?? 0) }
}
