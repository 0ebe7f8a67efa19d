import fs from 'node:fs'
import path from 'node:path'

/** A log that never grows past twice its limit: the full file becomes `<name>.1`, and the one before it goes. */
export class RotatingFile {
  readonly #file: string
  readonly #maxBytes: number
  #size: number | undefined

  constructor(file: string, maxBytes = 2 * 1024 * 1024) {
    this.#file = file
    this.#maxBytes = maxBytes
  }

  /** Never throws: a full disk must not take the console down with its log. */
  write(text: string | Uint8Array): void {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text
    try {
      if (this.#size === undefined) this.#open()
      if ((this.#size ?? 0) + bytes.length > this.#maxBytes && this.#size !== 0) {
        fs.renameSync(this.#file, `${this.#file}.1`)
        this.#size = 0
      }
      fs.appendFileSync(this.#file, bytes, { mode: 0o600 })
      this.#size = (this.#size ?? 0) + bytes.length
    } catch {
      this.#size = undefined
    }
  }

  #open(): void {
    fs.mkdirSync(path.dirname(this.#file), { recursive: true, mode: 0o700 })
    this.#size = fs.statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0
  }
}
