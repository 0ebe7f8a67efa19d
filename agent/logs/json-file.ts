import { type RawLine, standsAlone } from '../../shared/domain/log-lines.ts'
import { dockerTime } from '../../shared/domain/log-time.ts'
import { type Part, PartJoiner } from './parts.ts'

/** Docker's json-file format: `{"log":"text\n","stream":"stdout","time":"…"}`, one per line. */

/** An entry without anything escaped but its newline, as nearly all are: its text, its stream and its time. */
const plainEntry = /^\{"log":"([^"\\]*)\\n","stream":"std(out|err)","time":"([^"\\]*)"\}$/

/** One entry; undefined where a crash left half a line or a disk left zeros. */
export function parseEntry(entry: string): Part | undefined {
  return parsePlainEntry(entry) ?? parseAny(entry)
}

/** The time alone, for looking one up in a file. */
export function entryTime(entry: string): string | undefined {
  const at = entry.lastIndexOf('"time":"')
  return at === -1 ? undefined : dockerTime(entry.slice(at + 8, -2))
}

/** Whether nothing before an entry can belong to the same line or the same moment. */
export function entryStandsAlone(entry: string, before: string): boolean {
  if (entryTime(entry) === entryTime(before)) return false
  const [one, other] = [parseEntry(entry), parseEntry(before)]
  return one !== undefined && other !== undefined && standsAlone(one.text, other.text)
}

/** Needs no JSON parser; and one pattern is faster than a look at each field for itself. */
export function parsePlainEntry(entry: string): Part | undefined {
  const found = plainEntry.exec(entry)
  const timestamp = found === null ? undefined : dockerTime(found[3] ?? '')
  if (found === null || timestamp === undefined) return undefined
  return { stream: found[2] === 'err' ? 2 : 1, timestamp, text: found[1] ?? '', whole: true, bytes: 0 }
}

function parseAny(entry: string): Part | undefined {
  try {
    const { log, stream, time } = JSON.parse(entry) as { log?: unknown; stream?: unknown; time?: unknown }
    if (typeof log !== 'string' || typeof time !== 'string') return undefined
    const timestamp = dockerTime(time)
    if (timestamp === undefined) return undefined
    const whole = log.endsWith('\n')
    const text = whole ? log.slice(0, -1) : log
    return { stream: stream === 'stderr' ? 2 : 1, timestamp, text, whole, bytes: whole ? 0 : Buffer.byteLength(text) }
  } catch {
    return undefined
  }
}

/** Entries, in whatever portions, to lines. */
export class EntryDecoder {
  readonly #joiner = new PartJoiner()

  push(entries: readonly string[]): RawLine[] {
    const lines: RawLine[] = []
    for (const entry of entries) {
      const part = parseEntry(entry)
      if (part !== undefined) this.#joiner.take(part, lines)
    }
    return lines
  }

  finish(): RawLine[] {
    const lines: RawLine[] = []
    this.#joiner.finish(lines)
    return lines
  }
}
