/** What a client that comes back may have missed (all that was under way to it, and as much again), and its screen. */
export const scrollbackBytes = 2 * 1024 * 1024

/** Frames may have a byte each, and an object for each would weigh a hundred times as much. */
const blockBytes = 64 * 1024

interface Block {
  bytes: Buffer
  used: number
}

/** The last part of a terminal's output. Positions count its bytes from the beginning of the terminal. */
export class Scrollback {
  readonly #blocks: Block[] = []
  #size = 0
  #end = 0

  /** The position of the next byte. */
  get end(): number {
    return this.#end
  }

  add(frame: Buffer): void {
    for (let taken = 0; taken < frame.length; ) {
      const block = this.#room()
      const count = frame.copy(block.bytes, block.used, taken)
      block.used += count
      taken += count
    }
    this.#size += frame.length
    this.#end += frame.length
    for (let first = this.#blocks[0]; first !== undefined; first = this.#blocks[0]) {
      if (this.#size - first.used < scrollbackBytes) break
      this.#blocks.shift()
      this.#size -= first.used
    }
  }

  /** The last block, or a new one where that is full. */
  #room(): Block {
    const last = this.#blocks.at(-1)
    if (last !== undefined && last.used < blockBytes) return last
    const block = { bytes: Buffer.allocUnsafeSlow(blockBytes), used: 0 }
    this.#blocks.push(block)
    return block
  }

  /** All output from a position on; from the oldest that is kept when it is not known or no longer kept. */
  from(position: number | undefined): { position: number; bytes: Buffer } {
    const oldest = this.#end - this.#size
    const all = Buffer.concat(this.#blocks.map(({ bytes, used }) => bytes.subarray(0, used)))
    if (position !== undefined && position >= oldest && position <= this.#end) {
      return { position, bytes: all.subarray(position - oldest) }
    }
    // Begins with a line: half a letter or half a colour code would spoil the screen.
    const start = oldest === 0 ? 0 : all.indexOf('\n') + 1
    return { position: oldest + start, bytes: all.subarray(start) }
  }
}
