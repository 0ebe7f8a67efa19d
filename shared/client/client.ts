import type { z } from 'zod'
import { cutHeader, isRaw, type RawBody, type RawResult } from '../contract/define.ts'
import {
  type CallName,
  type CallParams,
  type CallResult,
  type Calls,
  callsByName,
  contractVersion,
  type SocketName,
  type SocketParams,
  socketsByName,
} from '../contract/index.ts'
import { encodeQuery, fillPath, parseJson, parseJsonBytes } from '../contract/wire.ts'
import { compareVersions } from '../domain/versions.ts'
import { describeIssues, Problem, type ProblemCode, problemSchema } from '../errors.ts'
import { AgentSocket } from './socket.ts'
import type { Transport, TransportResponse, TransportStream } from './transport.ts'
import { unreachable } from './unreachable.ts'

export interface ClientOptions {
  /** Asked for at each call, so that a rotated secret is used at once and none is kept here. */
  secret?: () => string | undefined | Promise<string | undefined>
  /** Goes into the agent's audit log. */
  operator?: () => string | undefined
  timeoutMs?: number
  /** An answer beyond this is an error for this machine, not a dead console. */
  maxAnswerBytes?: number
}

export interface CallOptions {
  signal?: AbortSignal
  timeoutMs?: number
  /** The same key within ten minutes gets the first answer again and runs nothing. */
  idempotencyKey?: string
}

type NounOf<Name extends string> = Name extends `${infer Noun}.${string}` ? Noun : never
type Verbs<Noun extends string> = {
  [Name in CallName as Name extends `${Noun}.${infer Verb}` ? Verb : never]: (
    ...args: Record<string, never> extends CallParams<Name>
      ? [params?: CallParams<Name>, options?: CallOptions]
      : [params: CallParams<Name>, options?: CallOptions]
  ) => Promise<CallResult<Name>>
}
/** `agent.browser.start({ url })`: the contract, noun by noun. */
export type Nouns = { [Noun in NounOf<CallName>]: Verbs<Noun> }

/** Calls that answer with a file. */
type RawCallName = { [Name in CallName]: Calls[Name]['result'] extends RawResult ? Name : never }[CallName]

/** The typed client of one agent. Every answer is checked against the contract before anyone sees it. */
export class AgentClient {
  readonly transport: Transport
  readonly #options: ClientOptions
  /** Learned from each answer; undefined before the first. */
  agentVersion: string | undefined

  constructor(transport: Transport, options: ClientOptions = {}) {
    this.transport = transport
    this.#options = options
  }

  /** False only when the agent is known to be older than the call. */
  supports(name: CallName | SocketName): boolean {
    const definition = name in callsByName ? callsByName[name as CallName] : socketsByName[name as SocketName]
    return this.agentVersion === undefined || compareVersions(this.agentVersion, definition.since) >= 0
  }

  async call<Name extends CallName>(
    name: Name,
    params?: CallParams<Name>,
    options: CallOptions = {},
  ): Promise<CallResult<Name>> {
    const call = callsByName[name]
    const values = this.#check(name, call.params, params ?? {})
    const { path, rest } = fillPath(call.path, values)
    const inBody = call.paramsIn === 'body'
    const body = inBody && Object.keys(call.params.shape).length > 0 ? JSON.stringify(rest) : undefined
    const headers = await this.#headers()
    if (body !== undefined) headers['content-type'] = 'application/json'
    if (options.idempotencyKey !== undefined) headers['idempotency-key'] = options.idempotencyKey

    const limit = AbortSignal.timeout(options.timeoutMs ?? this.#options.timeoutMs ?? 30_000)
    const signal = options.signal === undefined ? limit : AbortSignal.any([limit, options.signal])
    let response: TransportResponse
    try {
      signal.throwIfAborted()
      response = await this.transport.request({
        method: call.method,
        path: inBody ? path : path + encodeQuery(rest),
        headers,
        body,
        signal,
        maxBytes: this.#options.maxAnswerBytes ?? 16 * 1024 * 1024,
      })
    } catch (error) {
      if (options.signal?.aborted) throw new Problem('cancelled', `${name} was cancelled.`)
      if (limit.aborted) throw new Problem('timeout', `${name}: no answer in time. Try again, or check the machine.`)
      throw unreachable(error)
    }
    this.agentVersion = response.headers['x-pilothouse-version'] ?? this.agentVersion
    if (response.status >= 400) throw this.#problem(name, response)
    if (isRaw(call.result)) {
      const cutFrom = response.headers[cutHeader]
      const answer: RawBody = {
        ...{ contentType: response.headers['content-type'] ?? '', bytes: response.body },
        ...(cutFrom === undefined ? {} : { cutFrom }),
      }
      return answer as CallResult<Name>
    }
    return this.#answer(name, call.result, response) as CallResult<Name>
  }

  /** A file, read as it comes: all of it, or the range that a player wants. Only calls whose result is raw have one. */
  async download<Name extends RawCallName>(
    name: Name,
    params: CallParams<Name>,
    options: { range?: string | undefined; signal: AbortSignal },
  ): Promise<TransportStream> {
    const call = callsByName[name]
    const { path, rest } = fillPath(call.path, this.#check(name, call.params, params))
    const headers = await this.#headers()
    if (options.range !== undefined) headers['range'] = options.range
    const untilAnswered = new AbortController()
    const limit = setTimeout(() => untilAnswered.abort(), this.#options.timeoutMs ?? 30_000)
    const signal = AbortSignal.any([untilAnswered.signal, options.signal])
    const request = { method: call.method, path: path + encodeQuery(rest), headers, body: undefined, signal }
    try {
      const { stream } = this.transport
      if (stream === undefined) throw new Problem('not-supported', 'Files cannot be had on this way.')
      const answer = await stream({ ...request, maxBytes: Number.POSITIVE_INFINITY })
      if (answer.status < 400) return answer
      const body = new Uint8Array(await new Response(answer.body).arrayBuffer())
      throw this.#problem(name, { ...answer, body })
    } catch (error) {
      if (options.signal.aborted) throw new Problem('cancelled', `${name} was cancelled.`)
      if (untilAnswered.signal.aborted) throw new Problem('timeout', `${name}: no answer in time. Try again.`)
      throw unreachable(error)
    } finally {
      clearTimeout(limit)
    }
  }

  /** Opens one of the contract's sockets. */
  async open<Name extends SocketName>(
    name: Name,
    params?: SocketParams<Name>,
    signal: AbortSignal = AbortSignal.timeout(15_000),
  ): Promise<AgentSocket<Name>> {
    const socket = socketsByName[name]
    const values = this.#check(name, socket.params, params ?? {})
    const { path, rest } = fillPath(socket.path, values)
    const transportSocket = await this.transport
      .socket(path + encodeQuery(rest), await this.#headers(), signal)
      .catch((error: unknown) => {
        throw unreachable(error)
      })
    return new AgentSocket(name, transportSocket)
  }

  /** The same calls as methods, for people who write scripts: `client.nouns.browser.start()`. */
  get nouns(): Nouns {
    const verbs = (noun: string) =>
      new Proxy(
        {},
        {
          get: (_target, verb) => (params?: never, options?: CallOptions) =>
            this.call(`${noun}.${String(verb)}` as CallName, params, options),
        },
      )
    return new Proxy({}, { get: (_target, noun) => verbs(String(noun)) }) as Nouns
  }

  close(): void {
    this.transport.close()
  }

  async #headers(): Promise<Record<string, string>> {
    const headers: Record<string, string> = { 'x-pilothouse-version': contractVersion }
    const secret = await this.#options.secret?.()
    if (secret !== undefined) headers['authorization'] = `Bearer ${secret}`
    const operator = this.#options.operator?.()
    if (operator !== undefined) headers['x-operator'] = encodeURIComponent(operator)
    return headers
  }

  /** Refuses here what the agent would refuse, and leaves out what an older agent does not know. */
  #check(name: string, schema: z.ZodObject<z.ZodRawShape>, params: object): Record<string, unknown> {
    const checked = schema.safeParse(params)
    if (!checked.success) throw new Problem('invalid-params', `${name}: ${describeIssues(checked.error)}`)
    // Defaults are the agent's to fill in: it may be a newer one with better ones.
    const values: Record<string, unknown> = {}
    for (const key of Object.keys(params)) {
      if ((params as Record<string, unknown>)[key] === undefined) continue
      const since = (schema.shape[key] as z.ZodType).meta()?.['since']
      const unknownThere =
        typeof since === 'string' && this.agentVersion !== undefined && compareVersions(this.agentVersion, since) < 0
      if (!unknownThere) values[key] = checked.data[key]
    }
    return values
  }

  #problem(name: CallName, response: TransportResponse): Problem {
    try {
      const wire = problemSchema.parse(parseJson(new TextDecoder().decode(response.body)))
      if (wire.code === 'unknown-route') return this.#notSupported(name)
      return Problem.fromWire(wire)
    } catch {
      const code: ProblemCode = response.status === 404 ? 'not-supported' : 'bad-answer'
      return new Problem(
        code,
        `${name}: status ${response.status} and no problem document. Is this a Pilothouse agent?`,
      )
    }
  }

  #notSupported(name: CallName): Problem {
    const there = this.agentVersion ?? 'unknown'
    return new Problem(
      'not-supported',
      `The agent (version ${there}) does not have ${name}, which came with ${callsByName[name].since}. Update the agent.`,
    )
  }

  #answer(name: CallName, schema: z.ZodType, response: TransportResponse): unknown {
    let value: unknown
    try {
      value = parseJsonBytes(response.body)
    } catch (error) {
      throw new Problem(
        'bad-answer',
        `${name}: the answer is not JSON (${error instanceof Error ? error.message : ''}). Is this a Pilothouse agent?`,
      )
    }
    const checked = schema.safeParse(value)
    if (checked.success) return checked.data
    throw new Problem('bad-answer', `${name}: ${describeIssues(checked.error)}`)
  }
}
