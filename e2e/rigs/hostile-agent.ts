import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { z } from 'zod'
import { createRouter } from '../../agent/server/routes.ts'
import { isRaw } from '../../shared/contract/define.ts'
import { contractVersion, events } from '../../shared/contract/index.ts'
import { type Fixed, HostileValues } from './hostile-value.ts'

export interface HostileAgent {
  port: number
  /** How many hostile strings it has sent so far. */
  sent(): number
  stop(): Promise<void>
}

const anyText = z.string()

/** What makes it look like a machine that is up, so that every screen of it opens. */
const alive: Fixed = {
  agentVersion: contractVersion,
  state: 'active',
  status: 'ok',
  agentId: 'hostile',
  seq: 1,
  gap: false,
  oldestSeq: 0,
}

/** A machine in an attacker's hands: it keeps to the contract, and every text that it may choose is an attack. */
export async function startHostileAgent(): Promise<HostileAgent> {
  const values = new HostileValues()
  const route = createRouter()
  const server = http.createServer((request, response) => {
    const found = route(request.method ?? 'GET', (request.url ?? '/').split('?')[0] ?? '/')
    request.resume()
    if (found.kind !== 'call' || isRaw(found.call.result)) {
      response.writeHead(404, { 'content-type': 'application/problem+json' })
      const problem = { type: 'urn:pilothouse:problem:not-found', status: 404, code: 'not-found' }
      response.end(JSON.stringify({ ...problem, title: values.of(anyText), detail: values.of(anyText) }))
      return
    }
    const { result, successStatus } = found.call
    // What does not fit after all is asked for again with the next numbers: some unions have few hostile members.
    let body = values.of(result, alive)
    for (let attempt = 0; attempt < 20 && !result.safeParse(body).success; attempt++) body = values.of(result, alive)
    response.writeHead(successStatus, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  })
  const sockets = new WebSocketServer({ noServer: true })
  const timers = new Set<NodeJS.Timeout>()
  server.on('upgrade', (request, stream, head) => {
    if (!(request.url ?? '').startsWith('/ws/events')) return void stream.destroy()
    sockets.handleUpgrade(request, stream, head, (socket) => timers.add(talk(socket, values)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    sent: () => values.count,
    async stop() {
      for (const timer of timers) clearInterval(timer)
      for (const socket of sockets.clients) socket.terminate()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Says hello, and then everything that can happen, again and again. */
function talk(socket: WebSocket, values: HostileValues): NodeJS.Timeout {
  let seq = Date.now()
  const hello = { type: 'hello', seq, oldestSeq: 0, agentId: 'hostile', agentVersion: contractVersion, gap: false }
  socket.send(JSON.stringify(hello))
  let next = 0
  return setInterval(() => {
    const event = events[next++ % events.length]
    // The machine would be gone, and its screens with it.
    if (event === undefined || /terminated|stopping/.test(event.type)) return
    const data = values.of(event.data, alive) as object
    socket.send(JSON.stringify({ ...data, seq: ++seq, time: new Date().toISOString(), type: event.type }))
  }, 20)
}
