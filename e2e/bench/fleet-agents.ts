import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

// A thousand agents in one process: one listener, told apart by the loopback address that was called. Prints its port.
// Each changes once every five seconds, at the full multiples of the clock as the real ones do.
const everyMs = 5000
const version = '0.1.0'
const sockets = new Map<string, { client: WebSocket; metrics: boolean }>()
const seqs = new Map<string, number>()
const viewers = new Map<string, number>()

const metrics = () => ({
  cpu: { usagePercent: Math.round(Math.random() * 1000) / 10, cores: 2 },
  memory: { usedMb: 1000, totalMb: 4000, usagePercent: 25 },
  disk: { usedGb: 10, totalGb: 40, usagePercent: 25 },
  network: { rxBytesPerSec: 1000, txBytesPerSec: 1000 },
})
const status = (id: string) => ({
  ...{ agentId: id, agentVersion: version, machineType: 'ssh_host', hostname: `host-${id}`, workers: 2, uptime: 1000 },
  os: { platform: 'linux', release: '6.1.0', arch: 'x64' },
  docker: { version: '24.0.7', containers: 3 },
  capabilities: Object.fromEntries(
    ['docker', 'display', 'vnc', 'chromium', 'adspower', 'pty', 'recording', 'engines'].map((name) => [
      name,
      { available: true, detail: 'works', install: null },
    ]),
  ),
})
const browser = (id: string) => ({
  ...{ state: 'active', display: ':1', resolution: { width: 1280, height: 720, dpi: 96 }, url: 'about:blank' },
  ...{ startedAt: '2026-01-01T00:00:00.000Z', cdpUrl: null, missingDependencies: [], installCommand: null },
  ...{ processes: [{ name: 'chromium', pid: 1, running: true }], lastError: null, liveView: 'vnc', warnings: [id] },
})
const takeover = (id: string) => ({
  ...{ novncUrl: null, vncPort: null, websockifyPort: null, activeSession: null, lease: null },
  viewers: viewers.get(id) ?? 0,
})

const answers: Record<string, (id: string) => object> = {
  '/status': status,
  '/metrics': metrics,
  '/v1/browser/status': browser,
  '/takeover': takeover,
  '/audit/echo': () => ({ entries: 1, head: '0'.repeat(64), hashThen: '0'.repeat(64), consoleThen: null }),
}

const idOf = (socket: Socket) => (socket.localAddress ?? '').replace('::ffff:', '')
const server = createServer((request, response) => {
  const answer = answers[request.url ?? '']
  response.setHeader('x-pilothouse-version', version)
  if (answer === undefined) return void response.writeHead(404).end('{}')
  request.resume()
  response.end(JSON.stringify(answer(idOf(request.socket))))
})
const upgrades = new WebSocketServer({ noServer: true })
server.on('upgrade', (request, socket, head) => {
  upgrades.handleUpgrade(request, socket, head, (client) => {
    const id = idOf(request.socket)
    sockets.set(id, { client, metrics: false })
    const seq = seqs.get(id) ?? 0
    client.send(JSON.stringify({ type: 'hello', seq, oldestSeq: 0, agentId: id, agentVersion: version, gap: false }))
    client.on('message', (data) => {
      const message = JSON.parse(String(data)) as { type: string; everyMs: number }
      if (message.type === 'metrics') sockets.set(id, { client, metrics: message.everyMs > 0 })
    })
    client.on('close', () => sockets.delete(id))
    client.on('error', () => {})
  })
})

const tick = () => {
  setTimeout(tick, everyMs - (Date.now() % everyMs))
  const time = new Date().toISOString()
  for (const [id, { client, metrics: wanted }] of sockets) {
    const seq = (seqs.get(id) ?? 0) + 1
    seqs.set(id, seq)
    viewers.set(id, seq % 7)
    client.send(JSON.stringify({ seq, time, type: 'viewers', count: seq % 7 }))
    if (wanted) client.send(JSON.stringify({ type: 'metrics', time, metrics: metrics() }))
  }
}
setTimeout(tick, everyMs - (Date.now() % everyMs))

server.listen(0, '0.0.0.0', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
