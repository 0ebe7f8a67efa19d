import { RfbError } from './client-messages.ts'

/**
 * The agent's side of RFB's opening, towards a client that the agent has authenticated already: so it offers
 * no security beyond `None`. Versions 3.3, 3.7 and 3.8 differ in who says what.
 */
export class ClientHandshake {
  readonly #send: (bytes: Buffer) => void
  #step: 'version' | 'security' | 'init' | 'done' = 'version'
  #version = 8
  #pending: Buffer = Buffer.alloc(0)

  constructor(send: (bytes: Buffer) => void) {
    this.#send = send
    send(Buffer.from('RFB 003.008\n'))
  }

  get done(): boolean {
    return this.#step === 'done'
  }

  /** Takes the client's bytes; returns what comes after the handshake, once it is done. */
  push(chunk: Buffer): Buffer {
    this.#pending = Buffer.concat([this.#pending, chunk])
    for (;;) {
      const needed = { version: 12, security: 1, init: 1, done: Number.POSITIVE_INFINITY }[this.#step]
      if (this.#pending.length < needed) break
      const bytes = this.#pending.subarray(0, needed)
      this.#pending = this.#pending.subarray(needed)
      this.#take(bytes)
    }
    if (!this.done) return Buffer.alloc(0)
    const rest = this.#pending
    this.#pending = Buffer.alloc(0)
    return rest
  }

  #take(bytes: Buffer): void {
    if (this.#step === 'version') this.#takeVersion(bytes.toString('latin1'))
    else if (this.#step === 'security') this.#takeSecurity(bytes[0])
    // The client's wish to be alone is not heeded: several may watch.
    else this.#step = 'done'
  }

  #takeVersion(text: string): void {
    const minor = /^RFB 003\.(\d{3})\n$/.exec(text)?.[1]
    if (minor === undefined) throw new RfbError('that is not an RFB client')
    this.#version = Number(minor)
    if (this.#version < 7) {
      this.#send(Buffer.from([0, 0, 0, 1]))
      this.#step = 'init'
    } else {
      this.#send(Buffer.from([1, 1]))
      this.#step = 'security'
    }
  }

  #takeSecurity(chosen: number | undefined): void {
    if (chosen !== 1) throw new RfbError('only the security type None is offered')
    if (this.#version >= 8) this.#send(Buffer.from([0, 0, 0, 0]))
    this.#step = 'init'
  }
}
