import { randomBytes } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { DevTools } from '../browser/devtools.ts'
import type { CdpClients } from '../cdp/clients.ts'
import type { HeldInput } from '../cdp/held-input.ts'
import { connectUpstream } from '../cdp/upstream.ts'
import { EngineLink, type Freedom } from './engine-link.ts'

/** The only way an engine gets to the browser. Closing it ends what the engine does, whatever the engine thinks. */
export interface Gate {
  readonly cdpUrl: string
  readonly open: boolean
  readonly refused: number
  /** How often the engine acted on the page. */
  readonly acted: number
  takeHeldInput(): HeldInput
  close(reason: string): void
}

export interface GateOptions {
  /** As it stands in the list of the relay's clients. */
  name: string
  devTools: DevTools
  clients: CdpClients
  freedom: () => Freedom
  uploadDir: string
}

/**
 * Opens an address on loopback that one engine may use once, and takes the controller's place for it. The address
 * cannot be guessed, and is gone with the engine.
 */
export async function openGate(options: GateOptions): Promise<Gate> {
  const { name, devTools, clients, freedom, uploadDir } = options
  const seat = clients.take({ role: 'controller', name, peer: 'engine', targetId: null })
  const token = randomBytes(24).toString('base64url')
  const path = `/engine/${token}`
  const sockets = new Set<Duplex>()
  let link: EngineLink | null = null
  let used = false
  let closed = false
  let refused = 0

  const server = http.createServer((_request, response) => response.writeHead(404).end())
  const close = (reason: string) => {
    if (closed) return
    closed = true
    server.close()
    server.closeAllConnections()
    link?.close(1001, reason)
    for (const socket of sockets) socket.destroy()
    clients.leave(seat.id)
  }
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('upgrade', (request, socket: Duplex, head: Buffer) => {
    socket.on('error', () => {})
    if (request.url !== path || used || closed || request.headers.origin !== undefined) {
      socket.destroy()
      return
    }
    used = true
    connectUpstream(devTools.port, new URL(devTools.browserUrl).pathname, request.headers['sec-websocket-key']).then(
      (upstream) => {
        if (closed) {
          upstream.socket.destroy()
          return
        }
        link = new EngineLink(socket, upstream, {
          ...{ freedom, uploadDir },
          onRefused: () => {
            refused++
            seat.refused++
          },
          onClosed: () => close('the engine left'),
          onGoing: () => clients.going(),
        })
        seat.link = link
        link.open(head, upstream)
      },
      () => close('Chromium does not answer'),
    )
  })
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(0, '127.0.0.1', resolve)
    })
  } catch (error) {
    close('it could not be opened')
    throw error
  }
  const { port } = server.address() as AddressInfo
  return {
    cdpUrl: `ws://127.0.0.1:${port}${path}`,
    get open() {
      return !closed
    },
    get refused() {
      return refused
    },
    get acted() {
      return link?.acted ?? 0
    },
    takeHeldInput: () => link?.takeHeldInput() ?? { keys: [], buttons: [] },
    close,
  }
}
