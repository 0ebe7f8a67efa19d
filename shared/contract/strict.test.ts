import { expect, test } from 'vitest'
import { z } from 'zod'
import { ipcCalls } from '../ipc.ts'
import type { CallDefinition, SocketDefinition } from './define.ts'
import { calls, sockets } from './index.ts'

/** Where a schema takes an object with names of its own and passes over names that it does not know. */
function* lax(schema: unknown, at: string): Generator<string> {
  if (typeof schema !== 'object' || schema === null) return
  const { properties, additionalProperties } = schema as Record<string, unknown>
  if (properties !== undefined && additionalProperties !== false) yield at
  for (const [key, inner] of Object.entries(schema)) yield* lax(inner, `${at}/${key}`)
}
const laxIn = (schema: z.ZodType, at: string) => [
  ...lax(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), at),
]

test('what comes in over HTTP is refused with any name that is not known, however deep it stands', () => {
  const all = [...calls, ...sockets] as readonly (CallDefinition | SocketDefinition)[]
  expect(all.flatMap(({ name, params }) => laxIn(params, name))).toEqual([])
})

test('so is what comes in on a socket, and from a window', () => {
  // The frames of a proxied socket are another program's, and not read here.
  const ours = (sockets as readonly SocketDefinition[]).filter(({ proxied }) => !proxied)
  expect(ours.flatMap(({ name, send }) => laxIn(send, name))).toEqual([])
  expect(Object.entries(ipcCalls).flatMap(([name, { params }]) => laxIn(params, name))).toEqual([])
})
