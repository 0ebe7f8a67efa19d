/**
 * Follows Chromium's frames as they pass, without holding any of them back: a reply of many megabytes goes on as it
 * comes. Knows at every moment where a frame of ours could be put in between.
 */
export class FrameBoundaries {
  /** What is still to come of the frame under way. */
  #remaining = 0
  /** The start of a header that the network cut. */
  #header: number[] = []
  #withinMessage = false

  /** Whether the stream stands between two messages. */
  get between(): boolean {
    return this.#remaining === 0 && this.#header.length === 0 && !this.#withinMessage
  }

  /**
   * Takes the next bytes of the stream; returns the last place in them that lies between two messages, -1 when
   * there is none. `onPayload` is told where each payload starts.
   */
  walk(chunk: Buffer, onPayload?: (at: number) => void): number {
    let at = 0
    let last = this.between ? 0 : -1
    while (at < chunk.length) {
      if (this.#remaining > 0) {
        const step = Math.min(this.#remaining, chunk.length - at)
        this.#remaining -= step
        at += step
      } else {
        at = this.#readHeader(chunk, at)
        if (this.#header.length > 0) break
        onPayload?.(at)
      }
      if (this.between) last = at
    }
    return last
  }

  /** Reads a header, whose start may have come before; returns where its payload starts. */
  #readHeader(chunk: Buffer, start: number): number {
    let at = start
    const header = this.#header
    while (at < chunk.length) {
      header.push(chunk[at++] ?? 0)
      if (header.length < 2) continue
      const [first = 0, second = 0] = header
      const wide = second === 126 ? 2 : second === 127 ? 8 : 0
      if (header.length < 2 + wide) continue
      this.#remaining = wide === 0 ? second : header.slice(2).reduce((sum, byte) => sum * 256 + byte, 0)
      const control = (first & 0x08) !== 0
      if (!control) this.#withinMessage = (first & 0x80) === 0
      this.#header = []
      break
    }
    return at
  }
}
