import path from 'node:path'
import WebSocket from 'ws'
import { startAgentProcess } from '../rigs/agent-process.ts'
import { nodeProgram } from '../rigs/built.ts'
import { chromiumAddress } from '../rigs/cdp-page.ts'
import { accepts, freePort } from '../rigs/ports.ts'
import { type Program, startProgram } from '../rigs/program.ts'

/** One page of the agent's browser, through the relay or straight at Chromium's port. */
export interface BenchClient {
  /** Milliseconds for one command after the other; the median of `count`. */
  roundTrip(count: number): Promise<number>
  /** Every round trip that was made so. */
  readonly trips: readonly number[]
  /** Commands a second with `depth` under way at any time. */
  deep(depth: number, count: number): Promise<number>
  /** Milliseconds for one reply of this size. */
  reply(bytes: number): Promise<number>
  /** Pictures of the page a second, one after the other. */
  screenshots(count: number): Promise<number>
  close(): void
}

export interface CdpBrowser {
  direct: BenchClient
  relayed: BenchClient
  observed: BenchClient
  /** Through the barest program in between; made when it is asked for. */
  spliced(): Promise<BenchClient>
  close(): Promise<void>
}

/** The bundled agent with a headless browser, and one client of each kind. */
export async function openCdpBrowser(): Promise<CdpBrowser> {
  const port = await freePort()
  const agent = await startAgentProcess({ PILOTHOUSE_PORT: String(port) })
  try {
    await agent.client.call('browser.start', { headless: true }, { timeoutMs: 60_000 })
    const headers = { authorization: `Bearer ${agent.secret}` }
    const relay = `ws://127.0.0.1:${port}/v1/browser/cdp`
    const version = await (await fetch(`${chromiumAddress(agent.dataDir)}/json/version`)).json()
    const own = (version as { webSocketDebuggerUrl: string }).webSocketDebuggerUrl
    const direct = await connect(own)
    const relayed = await connect(relay, headers)
    const observed = await connect(`${relay}?role=observer`, headers)
    const clients = [direct, relayed, observed]
    const programs: Program[] = []
    return {
      direct,
      relayed,
      observed,
      async spliced() {
        const between = await freePort()
        const script = path.join(import.meta.dirname, 'splice.mjs')
        const program = await startProgram(nodeProgram, [script, String(between), new URL(own).port])
        programs.push(program)
        await program.ready('the program in between', () => accepts({ port: between }))
        const url = new URL(own)
        url.port = String(between)
        const client = await connect(url.href)
        clients.push(client)
        return client
      },
      async close() {
        for (const client of clients) client.close()
        for (const program of programs) await program.end()
        await agent.stop()
      },
    }
  } catch (error) {
    await agent.stop()
    throw error
  }
}

async function connect(url: string, headers: Record<string, string> = {}): Promise<BenchClient> {
  const socket = new WebSocket(url, { headers, perMessageDeflate: false, maxPayload: 64 * 1024 * 1024 })
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  const pending = new Map<number, (reply: { result?: Record<string, unknown> }) => void>()
  socket.on('message', (data: Buffer) => {
    const reply = JSON.parse(data.toString('utf8')) as { id?: number; result?: Record<string, unknown> }
    if (reply.id === undefined) return
    const settle = pending.get(reply.id)
    pending.delete(reply.id)
    settle?.(reply)
  })
  let last = 0
  const send = (method: string, params: Record<string, unknown>, sessionId?: string) =>
    new Promise<{ result?: Record<string, unknown> }>((resolve) => {
      pending.set(++last, resolve)
      socket.send(JSON.stringify({ id: last, method, params, sessionId }))
    })
  const { result } = await send('Target.getTargets', {})
  const targets = result?.['targetInfos'] as { targetId: string; type: string }[]
  const targetId = targets.find((target) => target.type === 'page')?.targetId
  const attached = await send('Target.attachToTarget', { targetId, flatten: true })
  const sessionId = String(attached.result?.['sessionId'])
  // A short command that goes all the way to the page, and that an observer may send too.
  const command = () => send('Page.getNavigationHistory', {}, sessionId)

  const trips: number[] = []
  return {
    trips,
    async roundTrip(count) {
      const times: number[] = []
      for (let i = 0; i < count; i++) {
        const began = performance.now()
        await command()
        times.push(performance.now() - began)
      }
      trips.push(...times)
      return times.sort((a, b) => a - b)[count >> 1] ?? 0
    },
    async deep(depth, count) {
      let left = count
      const lane = async () => {
        while (left-- > 0) await command()
      }
      const began = performance.now()
      await Promise.all(Array.from({ length: depth }, lane))
      return count / ((performance.now() - began) / 1000)
    },
    async reply(bytes) {
      const params = { expression: `"x".repeat(${bytes})`, returnByValue: true }
      const began = performance.now()
      const answer = await send('Runtime.evaluate', params, sessionId)
      const taken = performance.now() - began
      const { value } = (answer.result?.['result'] ?? {}) as { value?: string }
      if (value?.length !== bytes) throw new Error(`a reply of ${value?.length} bytes came instead of ${bytes}`)
      return taken
    },
    async screenshots(count) {
      const began = performance.now()
      for (let i = 0; i < count; i++) {
        const { result: picture } = await send('Page.captureScreenshot', { format: 'png' }, sessionId)
        if (String(picture?.['data']).length < 1000) throw new Error('there was no picture')
      }
      return count / ((performance.now() - began) / 1000)
    },
    close: () => socket.terminate(),
  }
}
