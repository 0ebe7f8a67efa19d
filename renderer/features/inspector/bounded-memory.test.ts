import { expect, test } from 'vitest'
import { heapMegabytes, megabyte } from '../../../e2e/rigs/heap.ts'
import { calledEntry, loggedEntry, thrownEntry } from './console/entries.ts'
import { eventMessage, frameMessage } from './network/messages.ts'
import { sentRow } from './network/rows.ts'

const long = 'x'.repeat(4 * megabyte)
const error = { type: 'object', subtype: 'error', className: 'Error', description: long }
const request = { url: `data:text/plain,${long}`, method: 'GET', headers: {} }
type Told = Record<string, unknown>
const cases: [string, Told, (told: Told) => unknown][] = [
  ['a text said', { type: 'log', args: [{ type: 'string', value: long }], timestamp: 1 }, calledEntry],
  ['an error said', { type: 'error', args: [error], timestamp: 1 }, calledEntry],
  ['an error thrown', { exceptionDetails: { text: 'Uncaught', exception: error }, timestamp: 1 }, thrownEntry],
  ['a word of the browser', { level: 'error', text: long, timestamp: 1 }, loggedEntry],
  ['a message of a socket', { timestamp: 1, response: { opcode: 1, payloadData: long } }, frameMessage],
  ['an event', { timestamp: 1, eventName: long, eventId: long, data: long }, eventMessage],
  ['a request', { requestId: '1', timestamp: 1, wallTime: 1, request }, (told) => sentRow(told, 'k', undefined)],
]

test.each(cases)('%s costs no more than what is kept of it, however long it is', (_name, told, keep) => {
  const text = JSON.stringify(told)
  const kept: unknown[] = [keep(JSON.parse(text) as Told)]
  const before = heapMegabytes()
  for (let count = 0; count < 20; count++) kept.push(keep(JSON.parse(text) as Told))
  expect(heapMegabytes() - before).toBeLessThan(20)
  expect(kept).toHaveLength(21)
})
