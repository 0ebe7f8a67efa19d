import { expect, test } from 'vitest'
import { eventMessage, frameMessage, type Message, Messages } from './messages.ts'

const said = (data: string): Message => ({ kind: 'received', ...eventMessage({ data, timestamp: 1 }) })

test('frames are told by what they hold', () => {
  const frame = (opcode: number, payloadData: string) =>
    frameMessage({ timestamp: 1, response: { opcode, payloadData } })
  expect(frame(1, '{"a":1}')).toMatchObject({ form: 'text', data: '{"a":1}', length: 7 })
  expect(frame(2, 'AQID+vv8')).toMatchObject({ form: 'bytes', length: 6 })
  expect(frame(2, 'AQI=')).toMatchObject({ form: 'bytes', length: 2 })
  expect([frame(9, ''), frame(10, ''), frame(8, '')].map(({ form }) => form)).toEqual(['ping', 'pong', 'close'])
  expect(frameMessage({ timestamp: 1 })).toMatchObject({ form: 'text', data: '' })
})

test('of a page that says very much the newest is kept, and what had to go is counted', () => {
  const messages = new Messages()
  for (let place = 0; place < 5000; place++) messages.add('one', said(`n${place}`))
  const { list, dropped } = messages.of('one')
  expect(list.length + dropped).toBe(5000)
  expect(list.length).toBeLessThan(2500)
  expect(list.at(-1)?.data).toBe('n4999')
  // One that says a lot takes nothing from one that says little.
  messages.add('quiet', said('kept'))
  for (let place = 0; place < 1000; place++) messages.add('loud', said('x'.repeat(1_000_000)))
  const letters = messages.of('loud').list.reduce((sum, { data }) => sum + data.length, 0)
  expect(letters).toBeGreaterThan(1_000_000)
  expect(letters).toBeLessThanOrEqual(16_000_000)
  expect(messages.of('loud').list[0]?.length).toBe(1_000_000)
  expect(messages.of('quiet').list.map(({ data }) => data)).toEqual(['kept'])
  messages.forget('loud')
  expect(messages.of('loud')).toEqual({ list: [], dropped: 0 })
})
