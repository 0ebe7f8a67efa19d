import { expect, test } from 'vitest'
import type { CallDefinition } from './define.ts'
import { calls, sockets } from './index.ts'
import { createOpenApi } from './openapi.ts'

interface Operation {
  operationId: string
  security: Record<string, string[]>[]
  parameters: { name?: string; in?: string; required?: boolean; $ref?: string }[]
  requestBody?: { content: Record<string, { schema: { properties: Record<string, unknown> } }> }
  responses: Record<string, { description: string; content: Record<string, unknown> }>
}
const made = createOpenApi()
const paths = made.paths as Record<string, Record<string, Operation>>
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)
const byId = new Map(operations.map((one) => [one.operation.operationId, one]))

/** Everything in the document, with where it stands. */
function* walk(value: unknown, at = '#'): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [at, value as Record<string, unknown>]
  for (const [key, inner] of Object.entries(value)) yield* walk(inner, `${at}/${key}`)
}

test('it is OpenAPI 3.1 with every call once, by its own method and path', () => {
  expect(made).toMatchObject({ openapi: '3.1.0', info: { title: expect.any(String), version: expect.any(String) } })
  expect(operations).toHaveLength(calls.length)
  for (const call of calls as readonly CallDefinition[]) {
    const found = byId.get(call.name)
    expect([found?.method, found?.path]).toEqual([call.method.toLowerCase(), call.path.replace(/:(\w+)/g, '{$1}')])
    const inPath = found?.operation.parameters.filter((parameter) => parameter.in === 'path') ?? []
    expect(inPath.map(({ name }) => `{${name}}`)).toEqual(found?.path.match(/\{\w+\}/g) ?? [])
    expect(inPath.every(({ required }) => required === true)).toBe(true)
    expect(found?.operation.security.length).toBe(call.access === 'open' ? 0 : 2)
    expect(Object.keys(found?.operation.responses ?? {})).toContain(String(call.successStatus))
    expect(Object.keys(found?.operation.responses ?? {})).toEqual(expect.arrayContaining(['400', '401', '403', '500']))
  }
  expect(Object.keys(made['x-websockets'] as object)).toEqual(sockets.map((socket) => socket.path))
})

test('every reference leads somewhere, and every parameter is one', () => {
  const all = [...walk(made)]
  const places = new Set(all.map(([at]) => at))
  for (const [at, value] of all)
    if (typeof value['$ref'] === 'string') expect(places, `${at} → ${value['$ref']}`).toContain(value['$ref'])
  for (const { operation } of operations) {
    for (const parameter of operation.parameters)
      expect(parameter.$ref !== undefined || (parameter.in !== undefined && 'schema' in parameter)).toBe(true)
    const names = operation.parameters.map((parameter) => parameter.$ref ?? `${parameter.in} ${parameter.name}`)
    expect(new Set(names).size).toBe(names.length)
  }
})

test('an answer that any body or any change can get is said with each', () => {
  const problemsOf = (name: string) => Object.keys(byId.get(name)?.operation.responses ?? {})
  expect(problemsOf('env.set')).toEqual(expect.arrayContaining(['413', '415', '429', '503']))
  expect(problemsOf('env.get')).not.toEqual(expect.arrayContaining(['413']))
})

test('it can be written down, and says what a schema alone does not', () => {
  expect(JSON.parse(JSON.stringify(made))).toEqual(made)
  const metrics = byId.get('machine.metrics')?.operation.responses['200']?.content ?? {}
  expect(Object.keys(metrics)).toEqual(['application/json', 'text/plain', 'application/openmetrics-text'])
  const deploy = byId.get('deploys.deploy')?.operation
  expect(deploy?.parameters.map(({ $ref }) => $ref)).toEqual([
    '#/components/parameters/Operator',
    '#/components/parameters/IdempotencyKey',
  ])
  expect(deploy?.requestBody?.content['application/json']?.schema.properties).toHaveProperty('image_tag')
  expect(deploy?.responses['409']?.content).toHaveProperty(['application/problem+json'])
})

test('requests are closed, answers are open', () => {
  for (const { operation } of operations) {
    const { schema } = operation.requestBody?.content['application/json'] ?? {}
    if (schema !== undefined) expect(schema).toMatchObject({ additionalProperties: false })
    for (const [at, value] of walk(operation.responses))
      expect(value['additionalProperties'], `${operation.operationId} ${at}`).not.toBe(false)
  }
})
