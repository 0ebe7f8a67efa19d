import type { Duplex } from 'node:stream'
import { closeFrame, FrameError, type Message, opcode } from './frames.ts'
import type { Upstream } from './upstream.ts'

/** A client that answers no close frame is let go after this. */
const farewellMs = 1000

/** A client on one side and Chromium on the other, after both upgrades: what both kinds of client have in common. */
export abstract class Link {
  protected readonly client: Duplex
  protected readonly browser: Upstream['socket']
  readonly #onClosed: () => void
  /** The client has said goodbye, which Chromium answers: nothing of ours may follow. */
  #leaving = false
  #closed = false

  constructor(client: Duplex, upstream: Upstream, onClosed: () => void) {
    this.client = client
    this.browser = upstream.socket
    this.#onClosed = onClosed
  }

  /** Answers the upgrade and lets the bytes flow. To be called once, after construction. */
  open(clientHead: Buffer, upstream: Upstream): void {
    const { client, browser } = this
    // It may have left while Chromium was being asked, and its end is not told twice.
    if (client.destroyed || client.readableEnded) return this.#end()
    client.on('error', () => {})
    client.once('close', () => this.#end())
    client.once('end', () => this.#end())
    browser.once('close', () => this.close(1001, 'the browser closed the connection'))
    client.on('drain', () => {
      browser.resume()
      client.resume()
    })
    browser.on('drain', () => client.resume())
    client.write(upstream.answer)
    browser.on('data', (chunk: Buffer) => this.#guarded(() => this.fromBrowser(chunk)))
    client.on('data', (chunk: Buffer) => {
      if (!this.#leaving) this.#guarded(() => this.fromClient(chunk))
    })
    if (upstream.head.length > 0) this.#guarded(() => this.fromBrowser(upstream.head))
    if (clientHead.length > 0) this.#guarded(() => this.fromClient(clientHead))
    browser.resume()
    client.resume()
  }

  /** Its place is free: what it sends from now on is not listened to. */
  get isLeaving(): boolean {
    return this.#leaving
  }

  /** Sends a CDP message of the agent's own to the client. */
  abstract tell(text: string): void
  protected abstract fromClient(chunk: Buffer): void
  protected abstract fromBrowser(chunk: Buffer): void
  /** Whether a frame of ours would not fall into one of Chromium's. */
  protected abstract get betweenFrames(): boolean

  close(code: number, reason: string): void {
    if (this.#closed) return
    if (!this.#leaving && this.betweenFrames && this.client.writable) this.client.write(closeFrame(code, reason))
    this.#end()
  }

  /** To be told of what the client sends. */
  protected noteGoodbye(messages: readonly Message[]): void {
    if (messages.some((message) => message.opcode === opcode.close)) this.#leaving = true
  }

  /** Passes bytes on; a side that does not keep up makes the other wait. */
  protected toBrowser(bytes: Buffer): void {
    if (!this.#closed && this.browser.writable && !this.browser.write(bytes)) this.client.pause()
  }

  protected toClient(bytes: Buffer): void {
    if (!this.#closed && this.client.writable && !this.client.write(bytes)) this.browser.pause()
  }

  /** The agent's own answers: a client that asks without reading is no longer listened to. */
  protected reply(bytes: Buffer): void {
    if (!this.#closed && this.client.writable && !this.client.write(bytes)) this.client.pause()
  }

  #guarded(work: () => void): void {
    if (this.#closed) return
    try {
      work()
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      this.close(error.code, error.message)
    }
  }

  #end(): void {
    if (this.#closed) return
    this.#closed = true
    this.browser.destroy()
    this.client.resume()
    this.client.end()
    const { client } = this
    setTimeout(() => client.destroy(), farewellMs).unref()
    this.#onClosed()
  }
}
