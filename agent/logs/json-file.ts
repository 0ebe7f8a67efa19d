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
  const outputs = [false, true].map((ofErrors) => neighbours(entries, ofErrors))
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

/** Where, seen from each entry, the last of an output before it stands and the first from it on; -1 where none does. */
function neighbours(entries: readonly string[], ofErrors: boolean): { before: Int32Array; from: Int32Array } {
  const isOf = (entry: string | undefined) => entry !== undefined && isError(entry) === ofErrors
  const before = new Int32Array(entries.length).fill(-1)
  const from = new Int32Array(entries.length).fill(-1)
  for (let at = 1; at < entries.length; at++) before[at] = isOf(entries[at - 1]) ? at - 1 : (before[at - 1] ?? -1)
  for (let at = entries.length - 1; at >= 0; at--) from[at] = isOf(entries[at]) ? at : (from[at + 1] ?? -1)
  return { before, from }
}

function isError(entry: string): boolean {
  return entry.startsWith('"stream":"stderr"', entry.lastIndexOf('"stream":"'))
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
