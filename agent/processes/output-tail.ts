/** Enough for the last dozen lines of a program: what a person needs to see why it failed. */
const tailBytes = 4096

/** The end of what a program printed, for error messages. */
export class OutputTail {
  #chunks: Buffer[] = []
  #size = 0

  add(chunk: Buffer): void {
    this.#chunks.push(chunk.length > tailBytes ? chunk.subarray(-tailBytes) : chunk)
    this.#size += chunk.length
    if (this.#size < 2 * tailBytes) return
    this.#chunks = [Buffer.concat(this.#chunks).subarray(-tailBytes)]
    this.#size = tailBytes
  }

  /** The last lines, without control characters, so that they can stand in an error or a log. */
  lines(count = 6): string {
    const text = Buffer.concat(this.#chunks).subarray(-tailBytes).toString('utf8')
    return text
      .split(/\r?\n/)
      .map((line) => line.replace(/\p{Cc}/gu, ' ').trim())
      .filter((line) => line !== '')
      .slice(-count)
      .join('\n')
  }
}
