import { Duplex } from 'node:stream'
import type { Channel } from 'ssh2'
import type { ReceiveWindow } from './windows.ts'

/** Bytes kept here before the channel is told to wait: its own window holds far more. */
const highWaterMark = 256 * 1024

/**
 * A channel as Node's HTTP and WebSocket clients expect a socket to be: ssh2's own never becomes `destroyed`, and
 * leaves a write without an answer once it is closed.
 */
export class ChannelStream extends Duplex {
  readonly #channel: Channel
  readonly #connection: Duplex
  readonly #window: ReceiveWindow
  /** Handed on, but not yet read: allowed again only afterwards. */
  #unread = 0

  /** @param connection What carries all channels: while its buffer is full, a channel may not add to it. */
  constructor(channel: Channel, connection: Duplex, window: ReceiveWindow) {
    super({ highWaterMark, allowHalfOpen: false })
    this.#channel = channel
    this.#connection = connection
    this.#window = window
    channel.on('data', (chunk: Buffer) => {
      if (this.push(chunk)) return window.taken(chunk.length)
      this.#unread += chunk.length
      channel.pause()
    })
    channel.on('end', () => this.push(null))
    channel.on('error', (error: Error) => this.destroy(error))
    channel.on('close', () => this.destroy())
  }

  override _read(): void {
    if (this.#unread > 0) this.#window.taken(this.#unread)
    this.#unread = 0
    this.#channel.resume()
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#channel.write(chunk, encoding, (error) => {
      // ssh2 fills the connection's buffer without end: on a slow link a keystroke would wait behind megabytes.
      if (error || !this.#connection.writableNeedDrain) callback(error)
      else this.#connection.once('drain', () => callback())
    })
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.#channel.end()
    callback()
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#channel.close()
    // What nobody reads any more must not keep the channel's end from arriving.
    this.#channel.resume()
    callback(error)
  }

  // Node's HTTP agent sets these on whatever it is given; the connection below has its own.
  setKeepAlive(): this {
    return this
  }
  setNoDelay(): this {
    return this
  }
  setTimeout(): this {
    return this
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
}
