import { readFileSync } from 'node:fs'
import path from 'node:path'
import WebSocket from 'ws'
import { Hopeless } from './until.ts'

interface Target {
  type: string
  url: string
  webSocketDebuggerUrl?: string
}

/** One page of a browser, over CDP and nothing else: unlike a driver it changes nothing in the page by being there. */
export interface CdpPage {
  url: string
  /** The value of an expression, awaited if it is a promise. */
  evaluate<Value>(expression: string): Promise<Value>
  /** Ends the page's process; nothing answers that. */
  crash(): void
  close(): void
}

/** Chromium's own port, past the agent: `http://127.0.0.1:port`. */
export function chromiumAddress(agentDataDir: string, contextId = 'default'): string {
  const file = path.join(agentDataDir, 'contexts', contextId, 'profile', 'DevToolsActivePort')
  return `http://127.0.0.1:${readFileSync(file, 'utf8').split('\n')[0]}`
}

/** The first page, or frame that runs apart, whose address fits; undefined while there is none. */
export async function findPage(
  cdpUrl: string,
  fits: (url: string) => boolean,
  kind: 'page' | 'iframe' = 'page',
): Promise<CdpPage | undefined> {
  const targets = (await (await fetch(`${cdpUrl}/json/list`)).json()) as Target[]
  const target = targets.find(({ type, url }) => type === kind && fits(url))
  if (target?.webSocketDebuggerUrl === undefined) return undefined
  return connect(target.webSocketDebuggerUrl, target.url)
}

async function connect(address: string, url: string): Promise<CdpPage> {
  const socket = new WebSocket(address, { perMessageDeflate: false })
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>()
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as { id?: number; result?: Evaluated; error?: { message: string } }
    const call = message.id === undefined ? undefined : waiting.get(message.id)
    if (message.id === undefined || call === undefined) return
    waiting.delete(message.id)
    const problem = message.error?.message ?? message.result?.exceptionDetails?.exception?.description
    if (problem === undefined) call.resolve(message.result?.result.value as never)
    else call.reject(new Error(problem))
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    for (const call of waiting.values()) call.reject(new Hopeless(`The page ${url} is gone.`))
  })
  let id = 0
  return {
    url,
    evaluate(expression) {
      id += 1
      const params = { expression, awaitPromise: true, returnByValue: true }
      return new Promise((resolve, reject) => {
        if (socket.readyState !== WebSocket.OPEN) return reject(new Hopeless(`The page ${url} is gone.`))
        waiting.set(id, { resolve, reject })
        socket.send(JSON.stringify({ id, method: 'Runtime.evaluate', params }))
      })
    },
    crash() {
      id += 1
      socket.send(JSON.stringify({ id, method: 'Page.crash' }))
    },
    close: () => socket.close(),
  }
}

interface Evaluated {
  result: { value?: unknown }
  exceptionDetails?: { exception?: { description?: string } }
}
