import { StringDecoder } from 'node:string_decoder'

export const maxOutputBytes = 1024 * 1024

export type OutputName = 'stdout' | 'stderr'

/** Turns both outputs of a program into text, up to a limit they share; what is beyond is dropped, and said so. */
export class OutputLimit {
  readonly #decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') }
  readonly #open = { stdout: true, stderr: true }
  #left = maxOutputBytes
  truncated = false

  /** The text of the next bytes. A letter whose bytes come in two pieces is held until it is whole. */
  take(name: OutputName, chunk: Buffer): string {
    const kept = chunk.length <= this.#left ? chunk : chunk.subarray(0, this.#left)
    this.#left -= kept.length
    if (kept.length < chunk.length) {
      this.truncated = true
      // Half a letter at the cut is no letter.
      this.#open[name] = false
    }
    return kept.length === 0 ? '' : this.#decoders[name].write(kept)
  }

  /** What is left when the output has ended. */
  end(name: OutputName): string {
    return this.#open[name] ? this.#decoders[name].end() : ''
  }
}
