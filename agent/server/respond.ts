import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { contractVersion } from '../../shared/contract/index.ts'
import { Problem } from '../../shared/errors.ts'
import type { Log } from '../log.ts'
import type { Answer } from './once.ts'

const fixedHeaders = {
  'cache-control': 'no-store',
  'x-pilothouse-version': contractVersion,
}

const notModified = 304

export function sendAnswer(response: ServerResponse, requestId: string, answer: Answer): void {
  const { body } = answer
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
  // A flat list is what Node writes fastest, and this is done for every request.
  const list = [
    'content-type',
    answer.contentType,
    'x-request-id',
    requestId,
    'cache-control',
    'no-store',
    'x-pilothouse-version',
    contractVersion,
  ]
  // There it would be the length of what the client has, which it keeps (RFC 9110, 8.6).
  if (answer.status !== notModified) list.push('content-length', String(length))
  if (answer.headers !== undefined) list.push(...Object.entries(answer.headers).flat())
  response.writeHead(answer.status, list)
  if (response.req.method === 'HEAD') response.end()
  // As many bytes as letters: each is its own byte, and need not be looked at again.
  else response.end(body, length === body.length ? 'latin1' : 'utf8')
}

export function streamHeaders(requestId: string, contentType: string, headers: Record<string, string>) {
  return { ...fixedHeaders, 'content-type': contentType, 'x-request-id': requestId, ...headers }
}

/** Whatever was thrown, as a problem that may be shown: what was not expected is logged and keeps its detail here. */
export function asProblem(error: unknown, requestId: string, log: Log): Problem {
  if (error instanceof Problem) {
    // What has no status was meant for nobody on this wire: a client that comes back with its key is told what became of it.
    const told = error.status > 0 ? error : new Problem('conflict', `${error.message} Ask again, with another key.`)
    told.requestId = requestId
    return told
  }
  log('error', 'unexpected failure', { requestId, error: error instanceof Error ? error.stack : String(error) })
  const problem = new Problem(
    'internal',
    `Something in the agent is broken. Its log has the reason under request ${requestId}.`,
  )
  problem.requestId = requestId
  return problem
}

/** What others call it when a client goes away before its answer. Of no use to it, but the answer has to be one. */
const clientGone = 499

export function problemAnswer(problem: Problem): Answer {
  return {
    status: problem.status === 0 ? clientGone : problem.status,
    contentType: 'application/problem+json',
    body: JSON.stringify(problem.toWire()),
  }
}

/** Headers that some problems must carry to be useful to a standard client. */
export function problemHeaders(problem: Problem): Record<string, string> {
  const headers: Record<string, string> = {}
  if (problem.code === 'unauthorized' || problem.code === 'ticket-spent') headers['www-authenticate'] = 'Bearer'
  if (typeof problem.extra['retryAfterSeconds'] === 'number') {
    headers['retry-after'] = String(Math.ceil(problem.extra['retryAfterSeconds']))
  }
  if (typeof problem.extra['allow'] === 'string') headers['allow'] = problem.extra['allow']
  if (typeof problem.extra['webSocketVersion'] === 'string')
    headers['sec-websocket-version'] = problem.extra['webSocketVersion']
  if (typeof problem.extra['acceptEncoding'] === 'string') headers['accept-encoding'] = problem.extra['acceptEncoding']
  // What "Upgrade" says is of this connection only, and "Connection" has to say so (RFC 9110, 7.8).
  if (problem.code === 'upgrade-required')
    Object.assign(headers, { upgrade: 'websocket', connection: 'upgrade, close' })
  // The rest of a body that was refused half-read cannot be told from a next request.
  if (problem.code === 'body-too-large') headers['connection'] = 'close'
  return headers
}

/** Refuses an upgrade: there is no response object, only the socket. */
export function refuseUpgrade(socket: Duplex, problem: Problem): void {
  const { status, contentType, body } = problemAnswer(problem)
  const headers = {
    ...fixedHeaders,
    ...(problem.requestId !== undefined && { 'x-request-id': problem.requestId }),
    date: new Date().toUTCString(),
    connection: 'close',
    ...problemHeaders(problem),
    'content-type': contentType,
    'content-length': String(Buffer.byteLength(body)),
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', body].join('\r\n'))
  // A client that does not close its side must not hold ours.
  setTimeout(() => socket.destroy(), 1000).unref()
}
