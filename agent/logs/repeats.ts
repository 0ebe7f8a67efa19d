import type { RawLine } from '../../shared/domain/log-lines.ts'

/** As many lines of each output are remembered, and up to twice as many. */
const remembered = 8192
/** So much of a text, with its length, tells two lines of the same moment apart. */
const headChars = 16
/** The journal's microseconds and the seconds of older Podmans: two lines of such a moment may well say the same. */
const coarse = '000Z'

interface Output {
  newest: string
  /** Two, of which the older is forgotten when the younger is full. */
  young: Set<string>
  old: Set<string>
}

/**
 * Takes out lines that have come before. A line that is later than all of its output is new without a look; one that
 * is not may be of a clock that was set back, and is left out only if the very same was there.
 */
export class Repeats {
  readonly #outputs = new Map<RawLine['stream'], Output>()

  without(lines: RawLine[]): RawLine[] {
    return lines.filter((line) => this.#isNew(line))
  }

  #isNew({ stream, timestamp, text }: RawLine): boolean {
    if (timestamp.endsWith(coarse)) return true
    let output = this.#outputs.get(stream)
    if (output === undefined) {
      output = { newest: '', young: new Set(), old: new Set() }
      this.#outputs.set(stream, output)
    }
    const key = `${timestamp} ${text.length} ${text.slice(0, headChars)}`
    if (timestamp > output.newest) output.newest = timestamp
    else if (output.young.has(key) || output.old.has(key)) return false
    output.young.add(key)
    if (output.young.size < remembered) return true
    output.old = output.young
    output.young = new Set()
    return true
  }
}
