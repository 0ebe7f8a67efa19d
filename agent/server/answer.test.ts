import { expect, test } from 'vitest'
import { eventsSocket } from '../events/events.routes.ts'
import { logsSocket } from '../logs/logs.routes.ts'
import { answer } from './answer.ts'
import type { SocketHandlers } from './handlers.ts'

/** A client whose answers stay where they are. */
function unread() {
  const closed: number[] = []
  return {
    closed,
    bufferedBytes: 0,
    send(message: unknown) {
      this.bufferedBytes += JSON.stringify(message).length
    },
    close: (code: number) => void closed.push(code),
    onMessage: (_: { type: 'ping' }) => {},
  }
}

test('who asks again and again and reads nothing is cut off', () => {
  const socket = unread()
  for (let asked = 0; asked < 1_000_000 && socket.closed.length === 0; asked++)
    answer(socket as never, { type: 'pong' })
  expect(socket.closed).toEqual([1013])
  expect(socket.bufferedBytes).toBeLessThan(5 * 1024 * 1024)
})

test.each([
  ['logs', logsSocket({} as never).logs],
  [
    'events',
    eventsSocket({ lastSeq: 0, oldestSeq: 0, after: () => [], subscribe: () => () => {} } as never, 'a', {} as never)
      .events,
  ],
])('so is a client of the %s', async (_name, handler) => {
  const socket = unread()
  const accept = await (handler as SocketHandlers['logs'])({} as never, {} as never)
  accept(socket as never)
  for (let asked = 0; asked < 1_000_000 && socket.closed.length === 0; asked++) socket.onMessage({ type: 'ping' })
  expect(socket.closed).toEqual([1013])
})
