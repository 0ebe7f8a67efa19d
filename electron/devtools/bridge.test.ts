import { expect, test, vi } from 'vitest'
import { PortStream } from '../../shared/stream.ts'
import { bridge } from './bridge.ts'

/** A stream whose other end is this test, and a socket that keeps what it is told. */
function joined() {
  const toPage: unknown[] = []
  let fromPage: (message: unknown) => void = () => {}
  const port = { postMessage: (message: unknown) => void toPage.push(message), close: vi.fn(), start: () => {} }
  const stream = new PortStream(port, (handler) => {
    fromPage = handler
  })
  const socket = {
    ...{ send: vi.fn(), close: vi.fn(), pause: vi.fn(), resume: vi.fn() },
    onMessage: (_message: Record<string, unknown>) => {},
    onClose: (_code: number, _reason: string) => {},
  }
  const ended = vi.fn()
  bridge(stream, socket, ended)
  return { toPage, socket, ended, say: (data: string) => fromPage({ t: 'text', data }), fromPage }
}

test('commands go one way and answers the other', () => {
  const { toPage, socket, say } = joined()
  say('{"id":1,"method":"DOM.enable","params":{}}')
  expect(socket.send).toHaveBeenCalledWith({ id: 1, method: 'DOM.enable', params: {} })
  socket.onMessage({ id: 1, result: {} })
  expect(toPage).toContainEqual({ t: 'text', data: '{"id":1,"result":{}}' })
})

test.each([
  ['no JSON', 'hello'],
  ['no command', '{"id":1}'],
  ['no object', '[1]'],
  ['too deep', `{"id":1,"method":"x","params":${'['.repeat(300)}${']'.repeat(300)}}`],
  ['too large', `{"id":1,"method":"x","params":{"a":"${'x'.repeat(4 * 1024 * 1024)}"}}`],
])('%s: the connection ends, and nothing is passed on', (_what, text) => {
  const { socket, say, toPage } = joined()
  say(text)
  expect(socket.send).not.toHaveBeenCalled()
  expect(socket.close).toHaveBeenCalled()
  expect(toPage.at(-1)).toMatchObject({ t: 'close' })
})

test('the end of the socket is told, with its reason; the end of the page closes the socket', () => {
  const first = joined()
  first.socket.onClose(1001, 'the lease ended')
  expect(first.ended).toHaveBeenCalledWith('the lease ended')
  expect(first.toPage.at(-1)).toEqual({ t: 'close', code: 1001, reason: 'the lease ended' })
  const second = joined()
  second.fromPage({ t: 'close', code: 1000, reason: '' })
  expect(second.socket.close).toHaveBeenCalled()
})

test('a page that does not keep up makes the machine wait', () => {
  const { socket, fromPage } = joined()
  socket.onMessage({ id: 1, result: { data: 'x'.repeat(2 * 1024 * 1024) } })
  expect(socket.pause).toHaveBeenCalled()
  fromPage({ t: 'ack', bytes: 5 * 1024 * 1024 })
  expect(socket.resume).toHaveBeenCalled()
})
