import type { Socket } from 'node:net'
import { type ForeignLetters, isForeign, type LettersOf } from '../display/foreign-letters.ts'
import type { ServerSocket } from '../server/handlers.ts'
import { ClientHandshake } from './client-handshake.ts'
import { type ClientMessage, ClientMessageParser, RfbError } from './client-messages.ts'
import { type GateOptions, InputGate } from './input-gate.ts'

/** Unsent bytes at which the VNC server is made to wait: a few pictures, so that a slow client sees fresh ones. */
const highWaterBytes = 1024 * 1024
const lowWaterBytes = 256 * 1024
/** The WebSocket does not say when it has drained; it is looked at this often while it is full. */
const drainPollMs = 5
/** A client that is silent for this long at the start is let go. */
const handshakeMs = 10_000

export interface RelayOptions extends GateOptions {
  letters: LettersOf | null
  onDesktopSize: (width: number, height: number) => void
  onClosed: () => void
}

/**
 * One client of the live view. Towards the client bytes pass untouched; from the client whole messages pass,
 * each looked at by the gate.
 */
export class VncRelay {
  readonly #client: ServerSocket<'vnc'>
  readonly #server: Socket
  readonly #options: RelayOptions
  readonly #handshake: ClientHandshake
  readonly #parser = new ClientMessageParser()
  readonly #gate: InputGate
  readonly #limit: NodeJS.Timeout
  #drainTimer: NodeJS.Timeout | undefined
  /** What came while a key was made for the first of them. */
  #waiting: ClientMessage[] = []
  /** Set once the first such letter came; null where there is no way to make keys. */
  #letters: ForeignLetters | null | undefined
  #making = false
  #closed = false

  /** `server` is authenticated and has not yet been told that a client is there. */
  constructor(client: ServerSocket<'vnc'>, server: Socket, options: RelayOptions) {
    this.#client = client
    this.#server = server
    this.#options = options
    this.#gate = new InputGate(options)
    this.#limit = setTimeout(() => this.close(1008, 'the RFB handshake took too long'), handshakeMs)
    server.on('data', (chunk: Buffer) => this.#toClient(chunk))
    server.on('drain', () => client.resume())
    server.once('error', () => {})
    server.once('close', () => this.close(1001, 'the VNC server closed the connection'))
    client.onBytes = (bytes) => this.#fromClient(bytes)
    client.onClose = () => this.#end()
    this.#handshake = new ClientHandshake((bytes) => client.sendBytes(bytes))
  }

  /** Lets go of the keys and buttons that this client holds down. */
  releaseInput(): void {
    const release = this.#gate.release()
    if (release.length > 0 && this.#server.writable) this.#server.write(release)
  }

  close(code: number, reason: string): void {
    if (this.#closed) return
    this.#end()
    this.#client.close(code, reason)
  }

  #end(): void {
    if (this.#closed) return
    this.#closed = true
    clearTimeout(this.#limit)
    clearTimeout(this.#drainTimer)
    this.releaseInput()
    this.#server.resume()
    this.#server.destroySoon()
    this.#options.onClosed()
  }

  #toClient(chunk: Buffer): void {
    if (this.#closed) return
    this.#client.sendBytes(chunk)
    if (this.#client.bufferedBytes > highWaterBytes) {
      this.#server.pause()
      this.#drainTimer = setTimeout(() => this.#lookForRoom(), drainPollMs)
    }
  }

  #lookForRoom(): void {
    if (this.#client.bufferedBytes < lowWaterBytes) this.#server.resume()
    else this.#drainTimer = setTimeout(() => this.#lookForRoom(), drainPollMs)
  }

  #fromClient(bytes: Buffer): void {
    if (this.#closed) return
    try {
      this.#read(bytes)
    } catch (error) {
      if (!(error instanceof RfbError)) throw error
      this.close(1007, error.message)
    }
  }

  #read(bytes: Buffer): void {
    let rest = bytes
    if (!this.#handshake.done) {
      rest = this.#handshake.push(bytes)
      if (!this.#handshake.done) return
      clearTimeout(this.#limit)
      this.#server.write(Buffer.from([1]))
      this.#server.resume()
    }
    const messages = this.#parser.push(rest)
    if (this.#making) this.#waiting = this.#waiting.concat(messages)
    else this.#passOn(messages)
  }

  /** All of them, up to a letter that there is no key for yet: that and what follows waits until one is made. */
  #passOn(messages: readonly ClientMessage[]): void {
    const passed: Buffer[] = []
    for (const [index, message] of messages.entries()) {
      const allowed = this.#gate.pass(message)
      if (allowed === null) continue
      if (message.kind === 'key' && this.#lacksKey(message)) {
        this.#waiting = messages.slice(index)
        void this.#makeKeys()
        break
      }
      passed.push(allowed)
      if (message.kind === 'desktopSize' && allowed === message.bytes)
        this.#options.onDesktopSize(message.width, message.height)
    }
    // One write per frame of the client: with no delay set, each write is a packet.
    if (passed.length > 0 && !this.#server.write(Buffer.concat(passed))) this.#client.pause()
  }

  #lacksKey({ keysym, keycode, down }: Extract<ClientMessage, { kind: 'key' }>): boolean {
    // A client that names the key itself, and not only its letter, means that key.
    if (!isForeign(keysym) || (keycode ?? 0) !== 0 || this.#letters === null) return false
    this.#letters?.used()
    return down && this.#letters?.has(keysym) !== true
  }

  async #makeKeys(): Promise<void> {
    this.#making = true
    this.#client.pause()
    try {
      const letters = this.#letters ?? (await this.#options.letters?.get()) ?? null
      this.#letters = letters
      const chords = this.#waiting.flatMap((one) => (one.kind === 'key' && one.down ? [[one.keysym]] : []))
      await letters?.make(chords.slice(0, letters.fitting(chords)))
    } catch {
      // The VNC server may have a key for it yet.
      this.#letters = null
    }
    this.#making = false
    if (this.#closed) return
    const waiting = this.#waiting
    this.#waiting = []
    this.#client.resume()
    this.#passOn(waiting)
  }
}
