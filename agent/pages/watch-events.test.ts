import { expect, test } from 'vitest'
import type { ServerSocket } from '../server/handlers.ts'
import type { OpenPages } from './open-pages.ts'
import { PageEvents } from './page-events.ts'
import { sendPageEvents } from './watch-events.ts'

test('a client that reads too slowly is told how much it missed', () => {
  const events = new PageEvents()
  const sent: unknown[] = []
  const socket = { bufferedBytes: 0, send: (message: unknown) => sent.push(message) }
  const stop = sendPageEvents({ events } as OpenPages, socket as unknown as ServerSocket<'watch'>)
  const crash = (url: string) => events.emit({ type: 'crash', tabId: 't', url })
  crash('1')
  socket.bufferedBytes = 2 * 1024 * 1024
  for (const url of ['2', '3', '4']) crash(url)
  expect(sent).toHaveLength(1)
  socket.bufferedBytes = 0
  crash('5')
  expect(sent.slice(1)).toEqual([
    { type: 'dropped', count: 3 },
    { type: 'crash', tabId: 't', url: '5' },
  ])
  stop()
  crash('6')
  expect(sent).toHaveLength(3)
})
