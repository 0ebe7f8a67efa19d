import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type CallDefinition, noParams } from '../../shared/contract/define.ts'
import { decodeQuery, decodeText } from '../../shared/contract/wire.ts'
import { redact, redactFailure } from '../../shared/domain/redaction.ts'
import { describeIssues, Problem } from '../../shared/errors.ts'
import { readBody } from './body.ts'
import { nextRequestId, RequestContext } from './context.ts'
import { checkDeclared } from './declared.ts'
import { splitUrl } from './guard.ts'
import { Reply } from './handlers.ts'
import type { Answer } from './once.ts'
import type { ServerParts } from './parts.ts'
import { asProblem, problemAnswer, problemHeaders, sendAnswer, streamHeaders } from './respond.ts'
import { createRouter, type Found } from './routes.ts'
import { hasCredentials } from './secrets.ts'

/**
 * Answers every plain request: guard, route, secret, parameters, intent, handler, result. What can be answered at once
 * is, without a promise: a look at the machine is asked for many times a second, and half its cost was waiting.
 */
export function createRequestHandler(parts: ServerParts) {
  const route = createRouter()
  const begin = (request: IncomingMessage, response: ServerResponse, requestId: string): void | Promise<void> => {
    parts.guard(request)
    const [path, query] = splitUrl(request.url ?? '/')
    const found = route(request.method ?? 'GET', path)
    const open = found.kind === 'call' && found.call.access === 'open'
    if (!open && !parts.checker.acceptsOn(request.socket, request.headers)) {
      parts.counters.unauthorized++
      return parts.throttle.refuse(hasCredentials(request.headers))
    }
    const { call, parts: pathParts } = mustBeCall(found, path)
    if (parts.stopping() && call.audit !== undefined) {
      throw new Problem('stopping', 'The agent is stopping. Try again when it is back.')
    }
    const asked = query === '' ? {} : decodeQuery(call.params, new URLSearchParams(query))
    const context = new RequestContext(request, response, requestId)
    if (call.paramsIn === 'query') {
      const params = checkParams(call, pathParts, asked)
      const asks = () => answer(parts, call, params, context, request, response)
      // Of a call that only looks, a body means nothing; of one that changes something it must not be passed over.
      return call.method === 'GET' ? asks() : readBody(request, response).then(refuseBody).then(asks)
    }
    const extra = Object.keys(asked)[0]
    if (extra !== undefined)
      throw new Problem('invalid-params', `"${extra}" stands in the query; this call takes a body.`)
    return readBody(request, response).then((body) =>
      answer(parts, call, checkParams(call, pathParts, body), context, request, response),
    )
  }
  return (request: IncomingMessage, response: ServerResponse): void | Promise<void> => {
    const requestId = nextRequestId()
    parts.counters.requests++
    try {
      return begin(request, response, requestId)?.catch((error) => fail(parts, response, requestId, error))
    } catch (error) {
      fail(parts, response, requestId, error)
    }
  }
}

function refuseBody(body: unknown): void {
  if (typeof body === 'object' && body !== null && !Array.isArray(body) && Object.keys(body).length === 0) return
  throw new Problem('invalid-params', 'This call takes no body: what it needs stands in its address.')
}

function fail(parts: ServerParts, response: ServerResponse, requestId: string, error: unknown): void {
  parts.counters.problems++
  const problem = asProblem(error, requestId, parts.log)
  // Nobody is there any more to be told.
  if (response.headersSent || response.destroyed) response.destroy()
  else sendAnswer(response, requestId, { ...problemAnswer(problem), headers: problemHeaders(problem) })
}

function mustBeCall(found: Found, path: string): Extract<Found, { kind: 'call' }> {
  if (found.kind === 'call') return found
  if (found.kind === 'wrong-method') {
    throw new Problem('method-not-allowed', `${path} takes ${found.allow}.`, { allow: found.allow })
  }
  if (found.kind === 'socket')
    throw new Problem('upgrade-required', `${path} is a WebSocket: open it with an upgrade.`, {
      webSocketVersion: '13',
    })
  throw new Problem('unknown-route', 'The agent has no such call. GET /openapi.json lists all there are.')
}

function checkParams(call: CallDefinition, pathParts: Record<string, string>, given: unknown): Record<string, unknown> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new Problem('invalid-params', 'The body must be a JSON object.')
  }
  if (call.params === noParams && Object.keys(given).length === 0) return {}
  const values: Record<string, unknown> = { ...given }
  for (const key in pathParts) values[key] = decodeText(call.params, key, pathParts[key] ?? '')
  const checked = call.params.safeParse(values)
  if (!checked.success)
    throw new Problem('invalid-params', `${describeIssues(checked.error)}. Correct it and try again.`)
  return checked.data
}

function answer(
  parts: ServerParts,
  call: CallDefinition,
  params: Record<string, unknown>,
  context: RequestContext,
  request: IncomingMessage,
  response: ServerResponse,
): void | Promise<void> {
  const key = request.headers['idempotency-key']
  if (call.method !== 'GET' && typeof key === 'string' && key !== '') {
    if (key.length > 200) throw new Problem('invalid-params', 'An Idempotency-Key may have 200 characters at most.')
    const same = `${call.name} ${JSON.stringify(params)}`
    const first = parts.once.run(key, same, () => tryOnce(parts, call, params, context, key))
    return first.then((kept) => sendAnswer(response, context.requestId, kept))
  }
  const result = call.audit === undefined ? handle(parts, call, params, context) : perform(parts, call, params, context)
  if (!(result instanceof Promise)) return send(call, result, context, response)
  return result.then((value) => send(call, value, context, response))
}

function send(
  call: CallDefinition,
  result: unknown,
  context: RequestContext,
  response: ServerResponse,
): void | Promise<void> {
  if (!(result instanceof Reply) || typeof result.body === 'string' || result.body instanceof Uint8Array) {
    return sendAnswer(response, context.requestId, toAnswer(call, result))
  }
  response.writeHead(
    result.status ?? call.successStatus,
    streamHeaders(context.requestId, result.contentType, result.headers),
  )
  if (response.req.method !== 'HEAD') return pipeline(result.body, response)
  if (result.body instanceof Readable) result.body.destroy()
  response.end()
}

function handle(
  parts: ServerParts,
  call: CallDefinition,
  params: Record<string, unknown>,
  context: RequestContext,
): unknown {
  const handler = parts.handlers[call.name as keyof typeof parts.handlers] as (
    params: unknown,
    context: unknown,
  ) => unknown
  try {
    const result = handler(params, context)
    return result instanceof Promise ? result.catch((error) => failed(parts, call, error)) : result
  } catch (error) {
    return failed(parts, call, error)
  }
}

function failed(parts: ServerParts, call: CallDefinition, error: unknown): never {
  if (error instanceof Problem) checkDeclared(parts, call, error)
  throw error
}

/** What was begun has its answer, and a failure is one too; only what never began may be tried again. */
async function tryOnce(
  parts: ServerParts,
  call: CallDefinition,
  params: Record<string, unknown>,
  context: RequestContext,
  key: string,
): Promise<Answer> {
  let begun = false
  try {
    const result = await perform(parts, call, params, context, { idempotencyKey: key, onBegun: () => (begun = true) })
    return toAnswer(call, result)
  } catch (error) {
    if (!begun) throw error
    parts.counters.problems++
    const problem = asProblem(error, context.requestId, parts.log)
    return { ...problemAnswer(problem), headers: problemHeaders(problem) }
  }
}

function toAnswer(call: CallDefinition, result: unknown): Answer {
  if (result instanceof Reply) {
    const body = typeof result.body === 'string' || result.body instanceof Uint8Array ? result.body : ''
    const { contentType, headers } = result
    return { status: result.status ?? call.successStatus, contentType, body, headers }
  }
  return { status: call.successStatus, contentType: 'application/json', body: JSON.stringify(result) }
}

/** Runs the handler of a call that changes something, between its intent and its result. */
async function perform(
  parts: ServerParts,
  call: CallDefinition,
  params: Record<string, unknown>,
  context: RequestContext,
  keyed?: { idempotencyKey: string; onBegun: () => void },
): Promise<unknown> {
  if (call.audit === undefined) return handle(parts, call, params, context)
  const { operator, peer, requestId } = context
  const subject = call.auditSubject === undefined ? {} : { of: call.auditSubject }
  const details = redact({ ...subject, ...withLengths(params, call.secretParams) }) as Record<string, unknown>
  const id = parts.audit.begin({
    action: call.audit,
    operator,
    peer,
    requestId,
    details,
    idempotencyKey: keyed?.idempotencyKey,
  })
  keyed?.onBegun()
  const started = performance.now()
  const close = (result: 'success' | 'failure' | 'error', errorMessage?: string) =>
    parts.audit.finish(id, {
      result,
      errorMessage,
      durationMs: Math.round(performance.now() - started),
      details: redact(context.details) as Record<string, unknown>,
    })
  try {
    const result = await handle(parts, call, params, context)
    close('success')
    return result
  } catch (error) {
    const expected = error instanceof Problem
    close(expected ? 'failure' : 'error', expected ? redactFailure(error.message) : 'unexpected failure')
    throw error
  }
}

/** Of what must not be read later, how long it was. */
function withLengths(params: Record<string, unknown>, secretParams: readonly string[]): Record<string, unknown> {
  const hidden = secretParams.filter((name) => params[name] !== undefined)
  return { ...params, ...Object.fromEntries(hidden.map((name) => [name, `${String(params[name]).length} characters`])) }
}
