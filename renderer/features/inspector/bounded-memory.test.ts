// biome-ignore lint/style/noRestrictedImports: only V8 itself says how much is held
import v8 from 'node:v8'
// biome-ignore lint/style/noRestrictedImports: only V8 itself says how much is held
import vm from 'node:vm'
import { expect, test } from 'vitest'
import { calledEntry, loggedEntry, thrownEntry } from './console/entries.ts'
import { eventMessage, frameMessage } from './network/messages.ts'
import { sentRow } from './network/rows.ts'

const megabyte = 1024 * 1024
v8.setFlagsFromString('--expose-gc')
const collect = vm.runInNewContext('gc') as () => void

function heapMegabytes(): number {
  collect()
  return process.memoryUsage().heapUsed / megabyte
}

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
