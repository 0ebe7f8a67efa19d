import http from 'node:http'
import type { AddressInfo } from 'node:net'
import WebSocket from 'ws'
import { startTestAgent, type TestAgent } from '../../e2e/rigs/agent.ts'

/** A small site for browsers under test: a form, a list, a counter of events, cookies. */
const pages: Record<string, string> = {
  '/': `<title>Shop</title><h1>Shop</h1><a href="/form">Form</a><ul>${'<li>item</li>'.repeat(20)}</ul>`,
  '/form': `<title>Form</title><form action="/done"><label>Name <input name="name"></label>
    <select name="size"><option>S<option>M<option>L</select><input type="checkbox" name="gift">
    <textarea name="note"></textarea><input type="file" name="file"><button>Send</button></form>
    <button id="late" style="display:none">Late</button><script>setTimeout(() => late.style.display = '', 100)</script>`,
  '/done': '<title>Done</title><h1 id="done">Thank you</h1>',
  '/count': `<title>Count</title><body style="margin:0;height:100vh"><script>
    window.seen = 0
    for (const type of ['mousedown', 'mouseup', 'mousemove', 'keydown', 'click']) addEventListener(type, () => seen++)
  </script>`,
}

export interface CdpRig {
  agent: TestAgent
  site: string
  /** `http://…/v1/browser/cdp`. */
  relay: string
  headers: Record<string, string>
  stop(): Promise<void>
}

/** An agent with a headless browser, and a site to go to. */
export async function startCdpRig(): Promise<CdpRig> {
  const server = http.createServer((request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?')
    response.setHeader('set-cookie', 'session=canary-cookie; HttpOnly')
    response.setHeader('content-type', 'text/html')
    response.statusCode = path in pages ? 200 : 404
    response.end(pages[path] ?? 'nothing here')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const agent = await startTestAgent()
  await agent.client.call('browser.start', { headless: true, url: `${site}/count` }, { timeoutMs: 60_000 })
  return {
    agent,
    site,
    relay: `http://127.0.0.1:${agent.port}/v1/browser/cdp`,
    headers: { authorization: `Bearer ${agent.secret}` },
    async stop() {
      await agent.stop()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Reply {
  id?: number
  method?: string
  params?: Record<string, unknown>
  result?: Record<string, unknown>
  error?: { code: number; message: string }
}

/** A client that speaks CDP and nothing above it. */
export class RawCdp {
  readonly socket: WebSocket
  readonly events: Reply[] = []
  readonly closed: Promise<{ code: number; reason: string }>
  readonly #pending = new Map<number, (reply: Reply) => void>()
  #lastId = 0

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('error', () => {})
    socket.on('message', (data) => {
      const reply = JSON.parse(String(data)) as Reply
      if (reply.id === undefined) this.events.push(reply)
      else this.#pending.get(reply.id)?.(reply)
    })
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }))
    })
  }

  /** Resolves with the status when the upgrade is refused. */
  static async open(rig: CdpRig, path = '', headers = rig.headers): Promise<RawCdp> {
    const socket = new WebSocket(`${rig.relay.replace('http', 'ws')}${path}`, { headers, perMessageDeflate: false })
    await new Promise<void>((resolve, reject) => {
      socket.once('open', () => resolve())
      socket.once('error', reject)
      socket.once('unexpected-response', (_request, response) => {
        let text = ''
        response.on('data', (chunk: Buffer) => {
          text += String(chunk)
        })
        response.on('end', () => reject(Object.assign(new Error(text), { status: response.statusCode })))
      })
    })
    return new RawCdp(socket)
  }

  send(method: string, params: Record<string, unknown> = {}, sessionId?: string): Promise<Reply> {
    const id = ++this.#lastId
    this.socket.send(JSON.stringify({ id, method, params, sessionId }))
    return new Promise((resolve) => this.#pending.set(id, resolve))
  }

  /** A session with the first page. */
  async page(): Promise<(method: string, params?: Record<string, unknown>) => Promise<Reply>> {
    const { result } = await this.send('Target.getTargets')
    const targets = result?.['targetInfos'] as { targetId: string; type: string }[]
    const targetId = targets.find((target) => target.type === 'page')?.targetId
    const attached = await this.send('Target.attachToTarget', { targetId, flatten: true })
    const sessionId = String(attached.result?.['sessionId'])
    return (method, params) => this.send(method, params, sessionId)
  }

  close(): void {
    this.socket.terminate()
  }
}
