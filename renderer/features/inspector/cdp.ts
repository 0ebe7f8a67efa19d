import type { PortStream } from '../../../shared/stream.ts'

export type CdpParams = Record<string, unknown>
export type CdpListener = (params: CdpParams, sessionId: string | undefined) => void

/** A command that Chromium, or the agent's rule for observers, answered with an error. */
export class CdpFailed extends Error {
  readonly method: string

  constructor(method: string, message: string) {
    super(message)
    this.name = 'CdpFailed'
    this.method = method
  }
}

/** A page that hangs answers nothing; whoever asked is told so instead of waiting for good. */
const answerMs = 20_000

interface Asked {
  method: string
  resolve: (result: CdpParams) => void
  reject: (error: Error) => void
  timer: ReturnType<typeof setTimeout>
}

/** One connection to a page: commands with their answers, and events. Closing it rejects what is still open. */
export class CdpLink {
  readonly #stream: PortStream
  readonly #asked = new Map<number, Asked>()
  #lastId = 0
  onEvent: (method: string, params: CdpParams, sessionId: string | undefined) => void = () => {}
  onClose: (reason: string) => void = () => {}

  constructor(stream: PortStream) {
    this.#stream = stream
    stream.onText = (text) => this.#received(text)
    stream.onClose = (_code, reason) => {
      this.#rejectAll(reason)
      this.onClose(reason)
    }
  }

  get closed(): boolean {
    return this.#stream.closed
  }

  send(method: string, params: CdpParams = {}, sessionId?: string, limitMs = answerMs): Promise<CdpParams> {
    if (this.#stream.closed) return Promise.reject(new CdpFailed(method, 'The connection to the page is closed.'))
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#asked.delete(id)
        reject(new CdpFailed(method, `The page has not answered for ${Math.round(limitMs / 1000)} s.`))
      }, limitMs)
      this.#asked.set(id, { method, resolve, reject, timer })
      this.#stream.sendText(JSON.stringify({ id, method, params, sessionId }))
    })
  }

  close(reason = 'no longer looked at'): void {
    this.#stream.close(1000, reason)
  }

  /** What comes is another program's: only its outline is relied on, and a listener that trips ends nothing. */
  #received(text: string): void {
    const message = JSON.parse(text) as {
      id?: number
      method?: string
      params?: CdpParams
      result?: CdpParams
      error?: { message?: string }
      sessionId?: string
    }
    if (typeof message.method === 'string') {
      try {
        this.onEvent(message.method, message.params ?? {}, message.sessionId)
      } catch (error) {
        console.error(error)
      }
      return
    }
    const asked = message.id === undefined ? undefined : this.#asked.get(message.id)
    if (asked === undefined || message.id === undefined) return
    this.#asked.delete(message.id)
    clearTimeout(asked.timer)
    if (message.error === undefined) asked.resolve(message.result ?? {})
    else asked.reject(new CdpFailed(asked.method, message.error.message ?? 'The page refused.'))
  }

  #rejectAll(reason: string): void {
    for (const { method, reject, timer } of this.#asked.values()) {
      clearTimeout(timer)
      reject(new CdpFailed(method, `The connection to the page ended${reason === '' ? '' : `: ${reason}`}.`))
    }
    this.#asked.clear()
  }
}
