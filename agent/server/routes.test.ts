import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  type CallDefinition,
  defineCall,
  defineSocket,
  pathParts,
  type SocketDefinition,
} from '../../shared/contract/define.ts'
import { calls, sockets } from '../../shared/contract/index.ts'
import { createRouter, findSocket } from './routes.ts'

const call = { name: 'a.b', method: 'GET', path: '/a', summary: 'x', result: z.object({}) } as const

test('a call or socket that does not say who may call it does not compile', () => {
  // @ts-expect-error: `access` is missing. Were it optional, the type check of the build would fail here.
  defineCall(call)
  // @ts-expect-error: the same for a socket.
  defineSocket({ name: 'a', path: '/ws/a', summary: 'x' })
  // @ts-expect-error: nobody else than these two.
  defineCall({ ...call, access: 'everyone' })
})

test('and an agent that was built without types does not start', () => {
  for (const access of [undefined, '', 'everyone']) {
    const undeclared = { ...defineCall({ ...call, access: 'secret' }), access } as unknown as CallDefinition
    expect(() => createRouter([undeclared])).toThrow('a.b does not say who may call it')
  }
  for (const { name, access } of [...calls, ...sockets])
    expect([name, ['open', 'secret']]).toEqual([name, expect.arrayContaining([access])])
})

test('every part of a path is one of its parameters', () => {
  for (const { name, path, params } of [...calls, ...sockets] as readonly (CallDefinition | SocketDefinition)[])
    for (const part of pathParts(path)) expect([name, part, part in params.shape]).toEqual([name, part, true])
})

test('two calls at one place are a mistake', () => {
  const one = defineCall({ ...call, access: 'secret' })
  expect(() => createRouter([one, { ...one, name: 'c.d' }])).toThrow('GET /a is declared twice')
})

test('every call and socket of the contract is found where it says it is, and by no other method', () => {
  const route = createRouter()
  for (const { name, method, path } of calls as readonly CallDefinition[]) {
    const found = route(method, path.replace(/:[A-Za-z]+/g, 'x'))
    expect(found.kind === 'call' && found.call.name).toBe(name)
    expect(route('PATCH', path.replace(/:[A-Za-z]+/g, 'x')).kind).toBe('wrong-method')
  }
  for (const { name, path } of sockets) expect(findSocket(path.replace(/:[A-Za-z]+/g, 'x'))?.socket.name).toBe(name)
})

test.each(['//health', '/health//', '/health/x', '/HEALTH', '/%68ealth', '/./health', '/x/../health', ''])(
  '%j is not taken for /health',
  (path) => expect(createRouter()('GET', path).kind).toBe('none'),
)
