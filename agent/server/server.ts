import http from 'node:http'
import type { Socket } from 'node:net'
import { Problem } from '../../shared/errors.ts'
import type { Config } from '../config.ts'
import { type Listening, listenAll } from './listen.ts'
import type { ServerParts } from './parts.ts'
import { createRequestHandler } from './requests.ts'
import { refuseUpgrade } from './respond.ts'
import { createUpgradeHandler } from './upgrades.ts'

export interface RunningServer extends Listening {
  close(): Promise<void>
}

/** A client gets this long to send its headers; a silent one is closed within a second after. */
const headersTimeoutMs = 10_000

/** Listens on every address of the configuration. */
export async function startServer(config: Config, parts: ServerParts): Promise<RunningServer> {
  const handleRequest = createRequestHandler(parts)
  const upgrades = createUpgradeHandler(parts)
  const create = () => {
    const server = http.createServer(
      {
        headersTimeout: headersTimeoutMs,
        requestTimeout: 20_000,
        keepAliveTimeout: 65_000,
        connectionsCheckingInterval: 1000,
        maxHeaderSize: 16 * 1024,
        noDelay: true,
      },
      (request, response) => void handleRequest(request, response),
    )
    server.maxConnections = 2000
    // Whether a body is wanted is known once its headers are checked: until then nobody is told to send it.
    server.on('checkContinue', (request, response) => void handleRequest(request, response))
    server.on('checkExpectation', (request, response) => void handleRequest(request, response))
    server.on('upgrade', (request, stream, head) => void upgrades.handle(request, stream, head))
    // What cannot be parsed has no route: answered here, so that a client sees why.
    server.on('clientError', (error: NodeJS.ErrnoException, stream: Socket) => {
      if (error.code === 'ECONNRESET' || !stream.writable) {
        stream.destroy()
        return
      }
      const silent = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      refuseUpgrade(
        stream,
        silent
          ? new Problem('timeout', 'The request did not come in time.')
          : new Problem('bad-request', 'That is not an HTTP/1.1 request.'),
      )
    })
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
