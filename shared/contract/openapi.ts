import { z } from 'zod'
import { problemCodes, problemSchema } from '../errors.ts'
import { type CallDefinition, isRaw, pathParts } from './define.ts'
import { calls, contractVersion, sockets } from './index.ts'

type Json = Record<string, unknown>

/** Problems any call can end with, beside its own; those with a body; and those that change something. */
const common = [
  'invalid-params',
  'unauthorized',
  'browser-refused',
  'unknown-host',
  'request-timeout',
  'too-many-requests',
  'headers-too-large',
  'internal',
] as const
const ofBodies = ['bad-request', 'body-too-large', 'unsupported-media'] as const
const ofChanges = ['audit-unavailable', 'stopping'] as const

/** Who calls stands in the audit log; a key makes a call that changes something run once. */
const headerParameters = {
  Operator: { name: 'X-Operator', in: 'header', required: false, schema: { type: 'string', maxLength: 200 } },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    schema: { type: 'string', maxLength: 200 },
  },
}

function headersOf(call: CallDefinition): Json[] {
  const names = [
    ...(call.audit === undefined ? [] : ['Operator']),
    ...(call.method === 'GET' ? [] : ['IdempotencyKey']),
  ]
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }))
}

/** The whole contract as OpenAPI 3.1. Sockets stand under `x-websockets`, for which OpenAPI has no place. */
export function createOpenApi(): { openapi: string; paths: Record<string, unknown> } & Json {
  const paths: Record<string, Json> = {}
  for (const call of calls as readonly CallDefinition[]) {
    const path = call.path.replace(/:([A-Za-z]+)/g, '{$1}')
    paths[path] = { ...paths[path], [call.method.toLowerCase()]: operation(call) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Pilothouse agent', version: contractVersion },
    paths,
    'x-websockets': Object.fromEntries(
      sockets.map((socket) => [
        socket.path,
        {
          summary: socket.summary,
          query: jsonSchema(socket.params, 'input'),
          clientToAgent: jsonSchema(socket.send, 'input'),
          agentToClient: jsonSchema(socket.receive, 'output'),
          binary: socket.binary,
          problems: Object.fromEntries(socket.problems.map((code) => [code, problemCodes[code][1]])),
        },
      ]),
    ),
    components: {
      securitySchemes: {
        secret: { type: 'http', scheme: 'bearer' },
        deploySecret: { type: 'apiKey', in: 'header', name: 'X-Deploy-Secret' },
      },
      parameters: headerParameters,
      schemas: { Problem: jsonSchema(problemSchema, 'output') },
    },
  }
}

function operation(call: CallDefinition): Json {
  const schema = jsonSchema(call.params, 'input') as { properties?: Record<string, Json>; required?: string[] }
  const inPath = pathParts(call.path)
  const properties = Object.entries(schema.properties ?? {})
  const rest = properties.filter(([name]) => !inPath.includes(name))
  const parameter = (place: string) => (entry: [string, Json]) => ({
    name: entry[0],
    in: place,
    required: place === 'path' || (schema.required ?? []).includes(entry[0]),
    schema: entry[1],
  })
  const body = call.paramsIn === 'body' && rest.length > 0
  return {
    operationId: call.name,
    summary: call.summary,
    tags: [call.name.split('.')[0]],
    security: call.access === 'open' ? [] : [{ secret: [] }, { deploySecret: [] }],
    parameters: [
      ...properties.filter(([name]) => inPath.includes(name)).map(parameter('path')),
      ...(body ? [] : rest.map(parameter('query'))),
      ...headersOf(call),
    ],
    ...(body ? { requestBody: requestBody(rest, schema.required ?? []) } : {}),
    responses: responses(call),
  }
}

function requestBody(rest: [string, Json][], required: string[]): Json {
  const names = rest.map(([name]) => name)
  const schema = {
    type: 'object',
    properties: Object.fromEntries(rest),
    required: required.filter((name) => names.includes(name)),
    additionalProperties: false,
  }
  return { required: schema.required.length > 0, content: { 'application/json': { schema } } }
}

function responses(call: CallDefinition): Json {
  const content = isRaw(call.result)
    ? Object.fromEntries(call.result.raw.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]))
    : {
        'application/json': { schema: jsonSchema(call.result, 'output') },
        ...Object.fromEntries(call.textTypes.map((type) => [type, { schema: { type: 'string' } }])),
      }
  const answers: Json = { [call.successStatus]: { description: 'Done', content } }
  const shared = [
    ...common,
    ...(call.paramsIn === 'body' ? ofBodies : []),
    ...(call.audit === undefined ? [] : ofChanges),
  ]
  for (const code of new Set([...shared, ...call.problems])) {
    const [status, title] = problemCodes[code]
    const before = answers[status] as { description: string } | undefined
    answers[status] = {
      description: before === undefined ? `${code}: ${title}` : `${before.description}. ${code}: ${title}`,
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    }
  }
  return answers
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _drop, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    // An answer may gain keys within a version; who generates a client from this must not refuse them.
    override: ({ jsonSchema: made }) => {
      if (io === 'output' && made.additionalProperties === false) delete made.additionalProperties
    },
  }) as Json
  return json
}
