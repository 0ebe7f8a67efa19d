import http from 'node:http'
import https from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { parseJson } from '../../shared/contract/wire.ts'
import { Problem } from '../../shared/errors.ts'

export interface LocalApiOptions {
  url: string
  key: string | undefined
  /** AdsPower's lowest plan takes one call a second. */
  intervalMs?: number
  timeoutMs?: number
}

const answerSchema = z.looseObject({
  code: z.coerce.number(),
  msg: z
    .string()
    .optional()
    .transform((text) => (text ?? '').slice(0, 500)),
  data: z.unknown(),
})
type Answer = z.infer<typeof answerSchema>

const maxAnswerBytes = 8 * 1024 * 1024
/** How often a call that came too soon for the plan is made again. */
const tries = 3

/** AdsPower's Local API: one call at a time, never faster than it takes them. */
export class LocalApi {
  readonly #options: Required<LocalApiOptions>
  #queue: Promise<unknown> = Promise.resolve()
  #lastCall = 0

  constructor(options: LocalApiOptions) {
    this.#options = { intervalMs: 1050, timeoutMs: 60_000, ...options }
  }

  /** The answer's data; undefined when this version of AdsPower does not have the call. */
  async call(
    method: 'GET' | 'POST',
    path: string,
    params: Record<string, string>,
  ): Promise<{ data: unknown } | undefined> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#inTurn(() => this.#request(method, path, params))
      if (answer === undefined) return undefined
      if (answer.code === 0) return { data: answer.data }
      const tooSoon = /too many request/i.test(answer.msg)
      if (!tooSoon || attempt === tries)
        throw new Problem('start-failed', `AdsPower: ${answer.msg === '' ? `error ${answer.code}` : answer.msg}`)
    }
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = this.#queue.then(async () => {
      const wait = this.#lastCall + this.#options.intervalMs - Date.now()
      if (wait > 0) await sleep(Math.min(wait, this.#options.intervalMs))
      try {
        return await work()
      } finally {
        this.#lastCall = Date.now()
      }
    })
    this.#queue = turn.catch(() => {})
    return turn
  }

  async #request(method: string, path: string, params: Record<string, string>): Promise<Answer | undefined> {
    const url = new URL(path, this.#options.url)
    if (method === 'GET') url.search = new URLSearchParams(params).toString()
    const { status, text } = await this.#exchange(url, method, method === 'POST' ? JSON.stringify(params) : undefined)
    if (status === 404 || status === 405) return undefined
    try {
      return answerSchema.parse(parseJson(text))
    } catch {
      throw new Problem(
        'start-failed',
        `What listens at ${url.origin} does not answer as AdsPower does (status ${status}).`,
      )
    }
  }

  #exchange(url: URL, method: string, body: string | undefined): Promise<{ status: number; text: string }> {
    const { key, timeoutMs } = this.#options
    const headers = {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    }
    return new Promise((resolve, reject) => {
      const failed = (why: string) =>
        reject(
          new Problem(
            'start-failed',
            `AdsPower's local API at ${url.origin} ${why}. Start AdsPower, or set PILOTHOUSE_ADSPOWER_URL.`,
          ),
        )
      const { request: make } = url.protocol === 'https:' ? https : http
      const signal = AbortSignal.timeout(timeoutMs)
      const request = make(url, { method, headers, signal, agent: false }, (response) => {
        const chunks: Buffer[] = []
        let size = 0
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size > maxAnswerBytes) response.destroy(new Error('too large'))
          else chunks.push(chunk)
        })
        response.on('error', () => failed('broke off its answer'))
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        )
      })
      request.on('error', () =>
        failed(signal.aborted ? `did not answer within ${timeoutMs / 1000} s` : 'does not answer'),
      )
      request.end(body)
    })
  }
}
