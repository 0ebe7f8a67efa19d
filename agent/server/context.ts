import { isUtf8 } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { CallContext } from './handlers.ts'

const run = randomBytes(4).toString('hex')
let count = 0

/** Unique on this machine, short enough to read out, and cheap: one is made for every request. */
export function nextRequestId(): string {
  return `${run}-${(++count).toString(36)}`
}

export class RequestContext implements CallContext {
  readonly requestId: string
  readonly operator: string | null
  readonly peer: string
  readonly details: Record<string, unknown> = {}
  /** What a socket's row in the audit waits for; undefined where it is closed as soon as the socket is open. */
  work: Promise<unknown> | undefined
  readonly #request: IncomingMessage
  readonly #response: ServerResponse | undefined
  #abort: AbortController | undefined

  constructor(request: IncomingMessage, response: ServerResponse | undefined, requestId: string) {
    this.#request = request
    this.#response = response
    this.requestId = requestId
    this.operator = operatorOf(request.headers['x-operator'])
    this.peer = (request.socket as Socket).remoteAddress ?? 'unix'
  }

  get headers(): Record<string, string | undefined> {
    const { authorization: _a, 'x-deploy-secret': _b, cookie: _c, range, ...rest } = this.#request.headers
    // A part is of a body, and only GET has one (RFC 9110, 14.2).
    const part = range === undefined || this.#request.method !== 'GET' ? {} : { range }
    return { ...rest, ...part } as Record<string, string | undefined>
  }

  /** Made only for the handlers that look at it. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController()
      this.#abort = abort
      const response = this.#response
      response?.once('close', () => {
        if (!response.writableFinished) abort.abort()
      })
    }
    return this.#abort.signal
  }

  /** Nobody waits for the answer any more. */
  abandon(): void {
    this.#abort?.abort()
  }

  resultOf(work: Promise<unknown>): void {
    this.work = work
  }

  note(details: Record<string, unknown>): void {
    Object.assign(this.details, details)
  }
}

/** Names travel percent-encoded, because a header cannot carry every letter; plain ones are taken too. */
function operatorOf(header: string | string[] | undefined): string | null {
  const text = Array.isArray(header) ? header[0] : header
  if (text === undefined || text === '') return null
  const plain = asWritten(text)
  try {
    return clean(decodeURIComponent(plain))
  } catch {
    return clean(plain)
  }
}

/** Node reads headers as Latin-1; most who send other letters as they are, curl above all, send UTF-8. */
function asWritten(header: string): string {
  const bytes = Buffer.from(header, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : header
}

function clean(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a name must not carry any
  const shown = name.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, ' ')
  // Letters beyond the 65,536th are two units each: the cut must not leave half of one.
  return shown
    .slice(0, 200)
    .replace(/[\ud800-\udbff]$/, '')
    .toWellFormed()
}
