/** What a client that comes back may have missed (all that was under way to it, and as much again), and its screen. */
export const scrollbackBytes = 2 * 1024 * 1024

/** The last part of a terminal's output. Positions count its bytes from the beginning of the terminal. */
export class Scrollback {
  #frames: Buffer[] = []
  #size = 0
  #end = 0

  /** The position of the next byte. */
  get end(): number {
    return this.#end
  }

  add(frame: Buffer): void {
    this.#frames.push(frame)
    this.#size += frame.length
    this.#end += frame.length
    for (let first = this.#frames[0]; first !== undefined; first = this.#frames[0]) {
      if (this.#size - first.length < scrollbackBytes) break
      this.#frames.shift()
      this.#size -= first.length
    }
  }

  /** All output from a position on; from the oldest that is kept when it is not known or no longer kept. */
  from(position: number | undefined): { position: number; bytes: Buffer } {
    const oldest = this.#end - this.#size
    const all = Buffer.concat(this.#frames)
    if (position !== undefined && position >= oldest && position <= this.#end) {
      return { position, bytes: all.subarray(position - oldest) }
    }
    // Begins with a line: half a letter or half a colour code would spoil the screen.
    const start = oldest === 0 ? 0 : all.indexOf('\n') + 1
    return { position: oldest + start, bytes: all.subarray(start) }
  }
}
