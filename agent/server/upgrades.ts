import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { SocketDefinition } from '../../shared/contract/define.ts'
import { sockets } from '../../shared/contract/index.ts'
import { decodeQuery, decodeText } from '../../shared/contract/wire.ts'
import { redact } from '../../shared/domain/redaction.ts'
import { describeIssues, Problem } from '../../shared/errors.ts'
import { nextRequestId, RequestContext } from './context.ts'
import { OpenSockets } from './open-sockets.ts'
import type { ServerParts } from './parts.ts'
import { splitUrl } from './requests.ts'
import { asProblem, refuseUpgrade } from './respond.ts'
import { findSocket } from './routes.ts'
import { hasCredentials } from './secrets.ts'

/** Answers every upgrade as requests are answered: guard, route, secret or ticket, parameters, handler. */
export function createUpgradeHandler(parts: ServerParts, pingMs: number) {
  const open = new OpenSockets(parts.counters, pingMs)
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
      }),
    ]),
  )

  const handle = async (request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> => {
    const requestId = nextRequestId()
    parts.counters.requests++
    const ignore = () => {}
    stream.on('error', ignore)
    try {
      parts.guard(request.headers)
      const [path, queryText] = splitUrl(request.url ?? '/')
      const query = new URLSearchParams(queryText)
      const found = findSocket(path)
      await authenticate(parts, request, path, query)
      if (found === undefined)
        throw new Problem('unknown-route', 'The agent has no such socket. See GET /openapi.json.')
      if (parts.stopping()) throw new Problem('stopping', 'The agent is stopping. Try again when it is back.')
      const definition = found.socket
      const values = decodeQuery(definition.params, query)
      for (const [key, text] of Object.entries(found.parts)) values[key] = decodeText(definition.params, key, text)
      const params = definition.params.safeParse(values)
      if (!params.success) throw new Problem('invalid-params', describeIssues(params.error))
      const context = new RequestContext(request, undefined, requestId)
      const finish = beginAudit(parts, definition, params.data, context)
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
            open.add(definition, websocket, accept)
          })
        }
        finish?.('success')
      } catch (error) {
        finish?.('failure', error instanceof Problem ? error.message : 'unexpected failure')
        throw error
      }
    } catch (error) {
      parts.counters.problems++
      refuseUpgrade(stream, asProblem(error, requestId, parts.log))
    }
  }
  return { handle, closeAll: (code: number, reason: string) => open.closeAll(code, reason) }
}

/** The header, or a ticket in `?token=`. The secret itself is not taken from a URL. */
async function authenticate(
  parts: ServerParts,
  request: IncomingMessage,
  path: string,
  query: URLSearchParams,
): Promise<void> {
  const ticket = query.get('token')
  query.delete('token')
  if (parts.checker.accepts(request.headers)) return
  parts.counters.unauthorized++
  if (ticket === null) await parts.throttle.refuse(hasCredentials(request.headers))
  else if (!parts.tickets.redeem(ticket, path)) {
    throw new Problem(
      'ticket-spent',
      'That ticket is used, expired or for another path. Get a new one from POST /tickets.',
    )
  }
  parts.counters.unauthorized--
}

function beginAudit(
  parts: ServerParts,
  definition: SocketDefinition,
  params: Record<string, unknown>,
  context: RequestContext,
): ((result: 'success' | 'failure', errorMessage?: string) => void) | undefined {
  if (definition.audit === undefined) return undefined
  const { operator, peer, requestId } = context
  const details = redact(params) as Record<string, unknown>
  const id = parts.audit.begin({ action: definition.audit, operator, peer, requestId, details })
  return (result, errorMessage) => parts.audit.finish(id, { result, errorMessage, details: context.details })
}
