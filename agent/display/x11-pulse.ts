import { XConnection } from './x11.ts'

/** The smallest question that an X server answers: who has the focus. */
const getInputFocus = 43
const nothing = Buffer.alloc(0)

/** Asks an X server, over one connection that is kept, whether it is alive. */
export class XPulse {
  readonly #env: { DISPLAY: string; XAUTHORITY: string }
  #connection: XConnection | null = null

  constructor(env: { DISPLAY: string; XAUTHORITY: string }, ended: AbortSignal) {
    this.#env = env
    ended.addEventListener('abort', () => this.#connection?.close(), { once: true })
  }

  /** Rejects when there is no answer in time. */
  async ask(limitMs: number): Promise<void> {
    const connection = this.#connection ?? (await this.#open(limitMs))
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(new Error('the display does not answer')), limitMs)
    try {
      await Promise.race([connection.ask(getInputFocus, 0, nothing), late.promise])
    } finally {
      clearTimeout(timer)
    }
  }

  async #open(limitMs: number): Promise<XConnection> {
    const connection = await XConnection.open(this.#env, limitMs)
    connection.onClose = () => {
      this.#connection = null
    }
    this.#connection = connection
    return connection
  }
}
