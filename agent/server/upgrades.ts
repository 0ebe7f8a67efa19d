import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { SocketDefinition } from '../../shared/contract/define.ts'
import { sockets } from '../../shared/contract/index.ts'
import { decodeQuery, decodeText } from '../../shared/contract/wire.ts'
import { redact } from '../../shared/domain/redaction.ts'
import { describeIssues, Problem } from '../../shared/errors.ts'
import { nextRequestId, RequestContext } from './context.ts'
import { checkDeclared } from './declared.ts'
import { splitUrl } from './guard.ts'
import { checkHandshake } from './handshake.ts'
import { HeardSocket, OpenSockets } from './open-sockets.ts'
import type { ServerParts } from './parts.ts'
import { asProblem, refuseUpgrade } from './respond.ts'
import { findSocket, withoutLastSlash } from './routes.ts'
import { hasCredentials } from './secrets.ts'

/**
 * Whether an upgrade is meant for a socket. Many clients offer HTTP/2 with every plain request (Java's, `curl --http2`):
 * who does not take that up answers as if nothing had been offered (RFC 9110, 7.8).
 */
export function asksForSocket({ headers, url }: Pick<IncomingMessage, 'headers' | 'url'>): boolean {
  return (
    headers.upgrade?.toLowerCase() === 'websocket' ||
    findSocket(withoutLastSlash(splitUrl(url ?? '/')[0])) !== undefined
  )
}

/** Answers every upgrade as requests are answered: guard, route, secret or ticket, parameters, handler. */
export function createUpgradeHandler(parts: ServerParts, limits: { pingMs: number; closeMs: number }) {
  const open = new OpenSockets(parts.counters, limits)
  const servers = new Map(
    sockets.map((socket) => [
      socket.name as string,
      // No compression: it would cost memory per socket, and pictures do not shrink further.
      // Few fragments: a real client sends whole messages, only an attacker sends thousands of pieces.
      new WebSocketServer({
        noServer: true,
        perMessageDeflate: false,
        maxPayload: socket.maxFrameBytes,
        maxFragments: 128,
        maxBufferedChunks: 8192,
        clientTracking: false,
        WebSocket: HeardSocket,
      }),
    ]),
  )

  const handle = async (request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> => {
    const requestId = nextRequestId()
    parts.counters.requests++
    const ignore = () => {}
    stream.on('error', ignore)
    try {
      parts.guard(request)
      const [asked, queryText] = splitUrl(request.url ?? '/')
      const path = withoutLastSlash(asked)
      const query = new URLSearchParams(queryText)
      const found = findSocket(path)
      await authenticate(parts, request, path, query)
      if (found === undefined)
        throw new Problem('unknown-route', 'The agent has no such socket. See GET /openapi.json.')
      if (parts.stopping()) throw new Problem('stopping', 'The agent is stopping. Try again when it is back.')
      // Before anything is begun or counted for it: what cannot become a socket must leave nothing behind.
      checkHandshake(request)
      const definition = found.socket
      const values = decodeQuery(definition.params, query)
      for (const [key, text] of Object.entries(found.parts)) values[key] = decodeText(definition.params, key, text)
      const params = definition.params.safeParse(values)
      if (!params.success) throw new Problem('invalid-params', describeIssues(params.error))
      const context = new RequestContext(request, undefined, requestId)
      const audit = beginAudit(parts, definition, params.data, context)
      try {
        const handler = parts.sockets[definition.name as keyof typeof parts.sockets] as (
          params: unknown,
          context: unknown,
        ) => unknown
        const accept = (await handler(params.data, context)) as (socket: unknown) => void
        if (definition.proxied) open.addProxied({ stream, head }, accept)
        else {
          if (!stream.readable || !stream.writable) {
            context.abandon()
            throw new Problem('cancelled', 'The client went away.')
          }
          servers.get(definition.name)?.handleUpgrade(request, stream, head, (websocket) => {
            stream.off('error', ignore)
            open.add(definition, websocket, stream, accept)
          })
        }
        audit?.endWith(context.work)
      } catch (error) {
        audit?.fail(error)
        if (error instanceof Problem) checkDeclared(parts, definition, error)
        throw error
      }
    } catch (error) {
      parts.counters.problems++
      refuseUpgrade(stream, asProblem(error, requestId, parts.log))
    }
  }
  /** The agent is nobody's proxy; whoever asks gets an answer like anyone else. */
  const refuseConnect = async (request: IncomingMessage, stream: Duplex): Promise<void> => {
    const requestId = nextRequestId()
    parts.counters.requests++
    parts.counters.problems++
    stream.on('error', () => {})
    try {
      parts.guard(request)
      if (!parts.checker.accepts(request.headers)) {
        parts.counters.unauthorized++
        await parts.throttle.refuse(hasCredentials(request.headers))
      }
      throw new Problem('method-not-allowed', 'The agent is no proxy. GET /openapi.json lists what it takes.')
    } catch (error) {
      refuseUpgrade(stream, asProblem(error, requestId, parts.log))
    }
  }
  return { handle, refuseConnect, closeAll: (code: number, reason: string) => open.closeAll(code, reason) }
}

/** The header, or a ticket in `?token=`. The secret itself is not taken from a URL. */
async function authenticate(
  parts: ServerParts,
  request: IncomingMessage,
  path: string,
  query: URLSearchParams,
): Promise<void> {
  const [ticket, another] = query.getAll('token')
  query.delete('token')
  if (another !== undefined)
    throw new Problem('invalid-params', '"token" stands twice in the query. Give it once and try again.')
  if (parts.checker.accepts(request.headers)) return
  parts.counters.unauthorized++
  if (ticket === undefined) await parts.throttle.refuse(hasCredentials(request.headers))
  else if (!parts.tickets.redeem(ticket, path)) {
    throw new Problem(
      'ticket-spent',
      'That ticket is used, expired or for another path. Get a new one from POST /tickets.',
    )
  }
  parts.counters.unauthorized--
}

/** The row of a socket in the audit, from its intent to its result. */
function beginAudit(
  parts: ServerParts,
  definition: SocketDefinition,
  params: Record<string, unknown>,
  context: RequestContext,
) {
  if (definition.audit === undefined) return undefined
  const { operator, peer, requestId } = context
  const details = redact(params) as Record<string, unknown>
  const id = parts.audit.begin({ action: definition.audit, operator, peer, requestId, details })
  const started = performance.now()
  const finish = (result: 'success' | 'failure' | 'error', errorMessage?: string) =>
    parts.audit.finish(id, {
      ...{ result, errorMessage, durationMs: Math.round(performance.now() - started) },
      details: redact(context.details) as Record<string, unknown>,
    })
  const fail = (error: unknown) => {
    const expected = error instanceof Problem
    finish(expected ? 'failure' : 'error', expected ? error.message : 'unexpected failure')
  }
  return {
    fail,
    endWith(work: Promise<unknown> | undefined): void {
      if (work === undefined) return finish('success')
      work
        .then(() => finish('success'), fail)
        .catch((error: unknown) =>
          // The client has its answer by now; the row is closed as unknown at the next start.
          parts.log('error', 'the end of a socket is not in the audit log', { requestId, error: String(error) }),
        )
    },
  }
}
