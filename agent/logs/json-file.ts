import { type RawLine, tangle } from '../../shared/domain/log-lines.ts'
import { apartMs, dockerTime } from '../../shared/domain/log-time.ts'
import { standsAlone } from '../../shared/domain/log-traces.ts'
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

/**
 * Says of each entry whether nothing before it can belong to the same line or the same moment, nor on the other output
 * what follows to what came before. Says no in doubt.
 */
export function freshStarts(entries: readonly string[]): (index: number) => boolean {
  const kinds = Uint8Array.from(entries, (entry) => (isError(entry) ? 1 : 0))
  const outputs = [0, 1].map((kind) => neighbours(kinds, kind))
  const time = (index: number) => entryTime(entries[index] ?? '') ?? ''
  const isFar = (one: number, other: number) =>
    Math.abs(one - other) > tangle.lines || apartMs(time(one), time(other)) > 2 * tangle.ms
  return (index) => {
    if (time(index) === time(index - 1)) return false
    return outputs.every(({ before, from }) => {
      const next = from[index] ?? -1
      // Behind the last there is nothing, or what was cut off where nothing belonged together.
      if (next === -1 || (next !== index && isFar(index, next))) return true
      const last = before[index] ?? -1
      if (last === index - 1) return areApart(entries[next] ?? '', entries[last] ?? '')
      return isFar(index, Math.max(last, 0)) || (last !== -1 && areApart(entries[next] ?? '', entries[last] ?? ''))
    })
  }
}

/** Where, seen from each entry, the last of a kind before it stands and the first from it on; -1 where none does. */
function neighbours(kinds: Uint8Array, kind: number): { before: Int32Array; from: Int32Array } {
  const [before, from] = [new Int32Array(kinds.length), new Int32Array(kinds.length)]
  for (let at = 0, last = -1; at < kinds.length; at++) {
    before[at] = last
    if (kinds[at] === kind) last = at
  }
  for (let at = kinds.length - 1, next = -1; at >= 0; at--) {
    if (kinds[at] === kind) next = at
    from[at] = next
  }
  return { before, from }
}

/** How far from its end an entry's stream stands where the time has all its nine decimals, as nine of ten have. */
const usualStream = '"stream":"stdout","time":"2026-01-01T00:00:00.123456789Z"}'.length

function isError(entry: string): boolean {
  const usual = entry.length - usualStream
  const at = entry.startsWith('"stream":"', usual) ? usual : entry.lastIndexOf('"stream":"')
  return entry.startsWith('stderr"', at + 10)
}

function areApart(entry: string, before: string): boolean {
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
