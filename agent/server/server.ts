import http from 'node:http'
import type { Socket } from 'node:net'
import type { Config } from '../config.ts'
import { type Listening, listenAll } from './listen.ts'
import type { ServerParts } from './parts.ts'
import { createRequestHandler } from './requests.ts'
import { answerUnreadable, maxHeaderBytes } from './unreadable.ts'
import { asksForSocket, createUpgradeHandler } from './upgrades.ts'

export interface RunningServer extends Listening {
  close(): Promise<void>
}

/** How long a client may take. One that is late is closed within a second after. */
export interface ServerLimits {
  /** For its headers, from the moment it connects. */
  headersMs: number
  /** For its headers and its body together, however steadily it drips. */
  requestMs: number
  /** Between two signs of life on an open socket. */
  pingMs: number
  /** A client that was told that its socket closes is silent for this long before it is cut off. */
  closeMs: number
}

export const serverLimits: ServerLimits = { headersMs: 10_000, requestMs: 20_000, pingMs: 20_000, closeMs: 5000 }

/** Listens on every address of the configuration. */
export async function startServer(
  config: Config,
  parts: ServerParts,
  limits: ServerLimits = serverLimits,
): Promise<RunningServer> {
  const answer = createRequestHandler(parts)
  // Whatever goes wrong with one request must not end the agent.
  const fail = (response: http.ServerResponse, error: unknown) => {
    parts.log('error', 'a request could not be answered', { error: String(error) })
    response.destroy()
  }
  const handleRequest = (request: http.IncomingMessage, response: http.ServerResponse) => {
    try {
      answer(request, response)?.catch((error) => fail(response, error))
    } catch (error) {
      fail(response, error)
    }
  }
  const upgrades = createUpgradeHandler(parts, limits)
  const create = () => {
    const server = http.createServer(
      {
        headersTimeout: limits.headersMs,
        requestTimeout: limits.requestMs,
        keepAliveTimeout: 65_000,
        connectionsCheckingInterval: Math.min(1000, limits.headersMs),
        maxHeaderSize: maxHeaderBytes,
        // A request without a Host gets our answer, not an empty one.
        requireHostHeader: false,
        noDelay: true,
        // Node would keep the first of two secrets and pass over the other.
        joinDuplicateHeaders: true,
        // What has no body needs no stream: most requests are looks at the machine.
        optimizeEmptyRequests: true,
        shouldUpgradeCallback: asksForSocket,
      },
      handleRequest,
    )
    server.maxConnections = 2000
    // Node drops headers beyond its count without a word, and one of those may be an Origin; their size has a limit.
    server.maxHeadersCount = 0
    // Whether a body is wanted is known once its headers are checked: until then nobody is told to send it.
    server.on('checkContinue', handleRequest)
    server.on('checkExpectation', handleRequest)
    server.on('upgrade', (request, stream, head) => void upgrades.handle(request, stream, head))
    server.on('connect', (request, stream) => void upgrades.refuseConnect(request, stream))
    server.on('clientError', (error, stream) => answerUnreadable(parts, error, stream as Socket))
    return server
  }
  const { servers, socketPath, port } = await listenAll(config, create)
  return {
    socketPath,
    port,
    async close() {
      upgrades.closeAll(1001, 'the agent is stopping')
      await Promise.all(servers.map(closeServer))
    },
  }
}

function closeServer(server: http.Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
    // Requests under way get a moment to end.
    setTimeout(() => server.closeAllConnections(), 2000).unref()
  })
}
