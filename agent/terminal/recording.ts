import { createWriteStream, mkdirSync, openSync, type WriteStream } from 'node:fs'
import path from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { Problem } from '../../shared/errors.ts'

/** Enough for a day of work; a terminal that prints more than this is not read by anyone later. */
const maxRecordingBytes = 256 * 1024 * 1024
/** Unwritten bytes at which the terminal waits for the disk. */
const highWaterBytes = 4 * 1024 * 1024

export interface RecordingOptions {
  dataDir: string
  id: string
  cols: number
  rows: number
  shell: string
  maxBytes?: number
}

/**
 * A terminal's output as asciicast v2. What is typed is not in it: passwords are typed. Where recording is the
 * policy, no output goes unrecorded, so a recording that fails or is full ends its terminal.
 */
export class Recording {
  readonly name: string
  readonly #stream: WriteStream
  readonly #decoder = new StringDecoder('utf8')
  readonly #started = performance.now()
  readonly #maxBytes: number
  #size = 0
  #ended = false
  onFailure: (reason: string) => void = () => {}

  constructor(options: RecordingOptions) {
    const { dataDir, id, cols, rows, shell } = options
    this.#maxBytes = options.maxBytes ?? maxRecordingBytes
    const folder = path.join(dataDir, 'terminals')
    this.name = `${new Date().toISOString().replaceAll(':', '-')}-${id.slice(0, 8)}.cast`
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      this.#stream = createWriteStream('', { fd: openSync(path.join(folder, this.name), 'wx', 0o600) })
    } catch (error) {
      throw new Problem(
        'storage-full',
        `Terminals are recorded here, and the recording cannot be written: ${(error as Error).message}. Free some space.`,
      )
    }
    this.#stream.on('error', (error) => this.#fail(`the recording could not be written: ${error.message}`))
    this.#write({
      ...{ version: 2, width: cols, height: rows, timestamp: Math.floor(Date.now() / 1000) },
      env: { SHELL: shell, TERM: 'xterm-256color' },
    })
  }

  /** Whether the disk lags behind. */
  get full(): boolean {
    return this.#stream.writableLength > highWaterBytes
  }

  output(bytes: Buffer): void {
    const text = this.#decoder.write(bytes)
    if (text !== '') this.#event('o', text)
  }

  resize(cols: number, rows: number): void {
    this.#event('r', `${cols}x${rows}`)
  }

  /** Writes what is left and closes the file. */
  end(): Promise<void> {
    const rest = this.#decoder.end()
    if (rest !== '') this.#event('o', rest)
    this.#ended = true
    return new Promise((resolve) => {
      this.#stream.once('close', () => resolve())
      if (this.#stream.closed) resolve()
      else this.#stream.end()
    })
  }

  #event(kind: 'o' | 'r', data: string): void {
    this.#write([Math.round(performance.now() - this.#started) / 1000, kind, data])
    if (this.#size > this.#maxBytes) this.#fail(`the recording has reached its limit of ${this.#maxBytes} bytes`)
  }

  #write(line: unknown): void {
    if (this.#ended) return
    const text = `${JSON.stringify(line)}\n`
    this.#size += text.length
    this.#stream.write(text)
  }

  #fail(reason: string): void {
    if (this.#ended) return
    this.#ended = true
    this.onFailure(reason)
  }
}
