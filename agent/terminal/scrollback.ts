/** What a client that comes back may have missed (all that was under way to it, and as much again), and its screen. */
export const scrollbackBytes = 2 * 1024 * 1024

/**
 * Output may come a byte at a time, and an object for each would weigh a hundred times as much. It is also what is sent
 * at once: a terminal is read 4 KiB at a time or less, and a frame of this size costs the network and both ends far less.
 */
export const blockBytes = 64 * 1024

interface Block {
  bytes: Buffer
  used: number
}

/**
 * The last part of a terminal's output. Positions count its bytes from the beginning of the terminal. Output is read
 * right into it and sent right out of it, so bytes that stand here never change.
 */
export class Scrollback {
  readonly #blocks: Block[] = []
  #size = 0
  #end = 0

  /** The position of the next byte. */
  get end(): number {
    return this.#end
  }

  add(bytes: Buffer): void {
    for (let taken = 0; taken < bytes.length; ) taken += this.fill((room) => bytes.copy(room, 0, taken))
  }

  /** Lets a reader write into the room that is left of a block, never none; how many bytes it put there. */
  fill(read: (room: Buffer) => number): number {
    const block = this.#room()
    const count = read(block.bytes.subarray(block.used))
    block.used += count
    this.#size += count
    this.#end += count
    for (let first = this.#blocks[0]; first !== undefined; first = this.#blocks[0]) {
      if (this.#size - first.used < scrollbackBytes) break
      this.#blocks.shift()
      this.#size -= first.used
    }
    return count
  }

  /** The last block, or a new one where that is full. */
  #room(): Block {
    const last = this.#blocks.at(-1)
    if (last !== undefined && last.used < blockBytes) return last
    const block = { bytes: Buffer.allocUnsafeSlow(blockBytes), used: 0 }
    this.#blocks.push(block)
    return block
  }

  /** The last so many bytes, which have to be there, as they lie in memory: in a piece, or in a few. */
  last(count: number): Buffer[] {
    const pieces: Buffer[] = []
    let left = count
    for (let at = this.#blocks.length - 1; left > 0; at--) {
      const block = this.#blocks[at]
      if (block === undefined) throw new Error(`${left} of ${count} bytes are no longer kept`)
      const start = Math.max(0, block.used - left)
      pieces.unshift(block.bytes.subarray(start, block.used))
      left -= block.used - start
    }
    return pieces
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
