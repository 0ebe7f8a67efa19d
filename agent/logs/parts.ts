import type { RawLine } from '../../shared/domain/log-lines.ts'

/** What a program wrote, as Docker cut it: long lines come in parts of 16 KiB. */
export interface Part {
  stream: number
  timestamp: string
  text: string
  /** Ended with a newline, which is no longer in the text. */
  whole: boolean
  bytes: number
}

/** Docker's own cut: a part without a newline that is shorter was the last thing a program wrote. */
export const dockerPartBytes = 16 * 1024
/** The longest line that is passed on whole. */
export const maxLineChars = 1024 * 1024

interface Held {
  timestamp: string
  texts: string[]
  chars: number
  cut: number
}

/** Whether the parts of a line share one time: then one of another time begins a line. */
export type PartStamps = 'stamped alike' | 'stamped apart'

/** Puts the parts of long lines together again, for standard output and standard error apart. */
export class PartJoiner {
  readonly #held: (Held | undefined)[] = []
  readonly #alike: boolean

  constructor(parts: PartStamps = 'stamped alike') {
    this.#alike = parts === 'stamped alike'
  }

  take(part: Part, into: RawLine[]): void {
    const held = this.#held[part.stream]
    if (held === undefined && part.whole) {
      // The part is the line: nearly all are, and another object for each would be most of the work.
      part.text = fitting(part.text)
      into.push(part)
      return
    }
    if (held !== undefined && this.#alike && held.timestamp !== part.timestamp) {
      this.#release(part.stream, into)
      this.take(part, into)
      return
    }
    const line = held ?? { timestamp: part.timestamp, texts: [], chars: 0, cut: 0 }
    // One more than a line may have, for the carriage return that a terminal puts at its end.
    const room = maxLineChars + 1 - line.chars
    line.texts.push(part.text.length > room ? part.text.slice(0, room) : part.text)
    line.chars += Math.min(part.text.length, room)
    line.cut += Math.max(0, part.text.length - room)
    this.#held[part.stream] = line
    if (part.whole || part.bytes < dockerPartBytes) this.#release(part.stream, into)
  }

  /** What is left when the source has come to its end. */
  finish(into: RawLine[]): void {
    for (const stream of this.#held.keys()) this.#release(stream, into)
  }

  #release(stream: number, into: RawLine[]): void {
    const held = this.#held[stream]
    if (held === undefined) return
    this.#held[stream] = undefined
    into.push({ timestamp: held.timestamp, text: fitting(held.texts.join(''), held.cut), stream })
  }
}

/** A line without its carriage return, cut where it is too long; `cut` characters are already missing. */
export function fitting(text: string, cut = 0): string {
  const end = cut === 0 && text.charCodeAt(text.length - 1) === 13 ? text.length - 1 : text.length
  const missing = Math.max(0, end - maxLineChars) + cut
  if (missing > 0) return `${text.slice(0, maxLineChars)} … (${missing} more characters)`
  return end === text.length ? text : text.slice(0, end)
}
