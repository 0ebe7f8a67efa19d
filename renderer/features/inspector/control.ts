import { CdpFailed, type CdpLink, type CdpParams } from './cdp.ts'

export interface ControlOptions {
  /** The target of a frame that runs apart; without one it is the page itself that is asked. */
  frame?: string | undefined
  limitMs?: number | undefined
}

/**
 * The connection that writes. Frames that run apart are attached to when the first of them is asked for something, and
 * from then on as they come: ids of the observing connection mean nothing here.
 */
export class ControlLink {
  readonly #link: CdpLink
  /** By target. */
  readonly #frames = new Map<string, string>()
  readonly #attaching = new Set<Promise<unknown>>()
  #attaches = false

  constructor(link: CdpLink, onClose: () => void) {
    this.#link = link
    link.onClose = onClose
    link.onEvent = (method, params) => this.#heard(method, params)
  }

  async send(method: string, params: CdpParams, { frame, limitMs }: ControlOptions): Promise<CdpParams> {
    const sessionId = frame === undefined ? undefined : await this.#sessionOf(frame)
    return this.#link.send(method, params, sessionId, limitMs)
  }

  close(reason: string): void {
    this.#link.close(reason)
  }

  async #sessionOf(target: string): Promise<string> {
    if (!this.#attaches) this.#attachIn(undefined)
    this.#attaches = true
    // A frame in a frame is told of by the outer one; Chromium tells of all it has before it answers.
    while (!this.#frames.has(target) && this.#attaching.size > 0) await Promise.all(this.#attaching)
    const sessionId = this.#frames.get(target)
    if (sessionId === undefined) throw new CdpFailed('', 'The frame is gone, or shows another site now.')
    return sessionId
  }

  #attachIn(sessionId: string | undefined): void {
    const params = { autoAttach: true, flatten: true, waitForDebuggerOnStart: false }
    const asked: Promise<unknown> = this.#link
      .send('Target.setAutoAttach', params, sessionId)
      // Whoever waits for a frame below is told that there is none.
      .catch(() => {})
      .finally(() => this.#attaching.delete(asked))
    this.#attaching.add(asked)
  }

  #heard(method: string, params: CdpParams): void {
    const sessionId = String(params['sessionId'])
    if (method === 'Target.attachedToTarget') {
      const { targetId } = params['targetInfo'] as { targetId: string }
      this.#frames.set(targetId, sessionId)
      this.#attachIn(sessionId)
    } else if (method === 'Target.detachedFromTarget')
      for (const [target, known] of this.#frames) if (known === sessionId) this.#frames.delete(target)
  }
}
