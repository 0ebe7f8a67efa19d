import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { CdpConnection } from './cdp.ts'

let server: WebSocketServer
let browser: WebSocket
let cdp: CdpConnection

interface Command {
  id: number
  method: string
  sessionId?: string
}
/** What the browser's end does with a command; silence unless a test says otherwise. */
let answer: (command: Command) => void

beforeEach(async () => {
  answer = () => {}
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await new Promise((resolve) => server.once('listening', resolve))
  const connected = new Promise<WebSocket>((resolve) => server.once('connection', resolve))
  cdp = await CdpConnection.connect(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  browser = await connected
  browser.on('message', (data) => answer(JSON.parse(String(data)) as Command))
})
afterEach(() => {
  cdp.close()
  server.close()
})

const say = (message: object) => browser.send(JSON.stringify(message))

test('answers find their commands, in whatever order they come', async () => {
  const waiting: Command[] = []
  answer = (command) => {
    waiting.push(command)
    if (waiting.length === 2) for (const { id, method } of waiting.reverse()) say({ id, result: { method } })
  }
  const [first, second] = await Promise.all([cdp.send('A.first'), cdp.send('B.second')])
  expect([first, second]).toEqual([{ method: 'A.first' }, { method: 'B.second' }])
})

test('an error of the browser names the command', async () => {
  answer = ({ id }) => say({ id, error: { code: -32000, message: 'No target' } })
  await expect(cdp.send('Page.reload')).rejects.toMatchObject({ code: 'cdp-error', message: 'Page.reload: No target' })
})

test('no answer is a timeout, and a late answer hurts nobody', async () => {
  let late: Command | undefined
  answer = (command) => {
    late = command
  }
  await expect(cdp.send('Page.reload', {}, { timeoutMs: 20 })).rejects.toMatchObject({ code: 'timeout' })
  say({ id: late?.id, result: {} })
  answer = ({ id }) => say({ id, result: { ok: true } })
  expect(await cdp.send('Browser.getVersion')).toEqual({ ok: true })
})

test('closing rejects everything that is pending, from either side', async () => {
  const pending = [cdp.send('A.a'), cdp.send('B.b')]
  browser.terminate()
  for (const command of pending) await expect(command).rejects.toMatchObject({ code: 'cdp-error' })
  await cdp.closed
  await expect(cdp.send('C.c')).rejects.toMatchObject({ code: 'cdp-error' })
})

test('events reach the session they are for, until the listener is taken off', async () => {
  answer = ({ id, method }) => say({ id, result: method === 'Target.attachToTarget' ? { sessionId: 's1' } : {} })
  const session = await cdp.attach('target')
  const heard = vi.fn()
  const off = session.on('Page.loadEventFired', heard)
  say({ method: 'Page.loadEventFired', sessionId: 's2', params: { n: 1 } })
  say({ method: 'Page.loadEventFired', sessionId: 's1', params: { n: 2 } })
  await cdp.send('Browser.getVersion')
  expect(heard.mock.calls).toEqual([[{ n: 2 }]])
  off()
  say({ method: 'Page.loadEventFired', sessionId: 's1', params: { n: 3 } })
  await cdp.send('Browser.getVersion')
  expect(heard).toHaveBeenCalledOnce()
})

test('what is not JSON is passed over', async () => {
  browser.send('{"id":')
  browser.send(`${'['.repeat(2000)}${']'.repeat(2000)}`)
  answer = ({ id }) => say({ id, result: {} })
  expect(await cdp.send('Browser.getVersion')).toEqual({})
})

test('a port where nobody listens is a problem with a code', async () => {
  await expect(CdpConnection.connect('ws://127.0.0.1:1/')).rejects.toMatchObject({ code: 'cdp-error' })
})
