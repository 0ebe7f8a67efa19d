import { z } from 'zod'
import type { ProblemCode } from '../errors.ts'
import type { AuditAction } from './audit-actions.ts'

/**
 * A call, a socket or an event is declared once, with these functions; the agent's router, the client,
 * the types of both and the OpenAPI page all derive from the declaration.
 *
 * Compatibility rule within a major version: results only gain keys, results' enumerations are open
 * (`openEnum`), and a new parameter carries `sinceVersion(schema, '0.x')`, so that a client talking to an
 * older agent knows to leave it out.
 */

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
/** `open` needs no secret; `secret` needs the agent's secret. There is no default: each declaration says it. */
export type Access = 'open' | 'secret'

export type ParamsSchema = z.ZodObject<z.ZodRawShape>

/** A result that is not JSON: a picture, a PDF, a file. */
export interface RawResult {
  raw: readonly string[]
}
export interface RawBody {
  contentType: string
  bytes: Uint8Array
  /** The size of the whole, such as `1280x40000`, where this is only its beginning. */
  cutFrom?: string
}
/** Says that of a picture. */
export const cutHeader = 'x-cut-from'

export interface CallDefinition<
  Name extends string = string,
  Params extends ParamsSchema = ParamsSchema,
  Result extends z.ZodType | RawResult = z.ZodType | RawResult,
> {
  readonly name: Name
  readonly method: Method
  /** Path with `:name` parts; each part must be a key of `params`. */
  readonly path: string
  readonly access: Access
  /** Whether a console window may make the call through main. False where a secret would cross. */
  readonly windows: boolean
  readonly summary: string
  readonly params: Params
  /** Where the parameters that are not in the path travel. */
  readonly paramsIn: 'query' | 'body'
  readonly result: Result
  /** Further types in which the same can be had, by `Accept`. */
  readonly textTypes: readonly string[]
  readonly successStatus: number
  /** Problems beyond the ones every call can have (authentication, validation, internal). */
  readonly problems: readonly ProblemCode[]
  /** Present on every call that changes something: the row that is written before it acts. */
  readonly audit: AuditAction | undefined
  /** What it acts on, where no parameter says so and its action is that of others as well. */
  readonly auditSubject: string | undefined
  /** Parameters of which the audit says how long they are and nothing else: what is typed may be a password. */
  readonly secretParams: readonly string[]
  /** Agent version that first had it. */
  readonly since: string
}

/**
 * A schema, or what makes it when it is first needed. An agent answers few of its calls in a day, and checks no result
 * of its own: schemas that nobody uses are 3 MB of its memory, and a tenth of its start.
 */
type Lazy<Schema> = Schema | (() => Schema)

type CallOptions<Name extends string, Params extends ParamsSchema, Result extends z.ZodType | RawResult> = {
  name: Name
  method: Method
  path: string
  access: Access
  windows?: boolean
  summary: string
  params?: Lazy<Params>
  paramsIn?: 'query' | 'body'
  result: Lazy<Result>
  textTypes?: readonly string[]
  successStatus?: number
  problems?: readonly ProblemCode[]
  audit?: AuditAction
  auditSubject?: string
  secretParams?: readonly (keyof Params['shape'] & string)[]
  since?: string
}

/** What a call that takes nothing takes. */
export const noParams = z.strictObject({})

export function defineCall<
  const Name extends string,
  Params extends ParamsSchema = typeof noParams,
  Result extends z.ZodType | RawResult = z.ZodType,
>(options: CallOptions<Name, Params, Result>): CallDefinition<Name, Params, Result> {
  const { params, result, ...rest } = options
  return withSchemas(
    {
      windows: true,
      paramsIn: options.method === 'GET' || options.method === 'DELETE' ? 'query' : 'body',
      textTypes: [],
      successStatus: 200,
      problems: [],
      audit: undefined,
      auditSubject: undefined,
      secretParams: [],
      since: '0.1.0',
      ...rest,
    } as const,
    { params: params ?? (noParams as unknown as Params), result },
  )
}

/** A declaration whose schemas are made when someone first asks for them. */
function withSchemas<Plain extends object, Schemas extends object>(
  plain: Plain,
  schemas: { [Key in keyof Schemas]: Lazy<Schemas[Key]> },
): Plain & Schemas {
  for (const key of Object.keys(schemas) as (keyof Schemas)[]) {
    const schema = schemas[key]
    let made = typeof schema === 'function' ? undefined : schema
    const get = () => {
      made ??= (schema as () => Schemas[typeof key])()
      return made
    }
    Object.defineProperty(plain, key, { get, enumerable: true })
  }
  return plain as Plain & Schemas
}

export interface SocketDefinition<
  Name extends string = string,
  Params extends ParamsSchema = ParamsSchema,
  Send extends z.ZodType = z.ZodType,
  Receive extends z.ZodType = z.ZodType,
  Proxied extends boolean = boolean,
> {
  readonly name: Name
  /** Path with `:name` parts, as in a call. */
  readonly path: string
  readonly access: Access
  readonly windows: boolean
  readonly summary: string
  readonly params: Params
  /** Text frames, JSON, client to agent; `z.never()` where there are none. */
  readonly send: Send
  /** Text frames, JSON, agent to client. */
  readonly receive: Receive
  /** Whether binary frames travel, and how large one from the client may be. */
  readonly binary: boolean
  readonly maxFrameBytes: number
  /** The frames are another program's: the handler gets the bare connection, after all the checks. */
  readonly proxied: Proxied
  /** Problems with which an upgrade is refused, beyond the ones that every upgrade can be refused with. */
  readonly problems: readonly ProblemCode[]
  readonly audit: AuditAction | undefined
  readonly since: string
}

type SocketOptions<
  Name extends string,
  Params extends ParamsSchema,
  Send extends z.ZodType,
  Receive extends z.ZodType,
  Proxied extends boolean,
> = {
  name: Name
  path: string
  access: Access
  windows?: boolean
  summary: string
  params?: Lazy<Params>
  send?: Send
  receive?: Lazy<Receive>
  binary?: boolean
  maxFrameBytes?: number
  proxied?: Proxied
  problems?: readonly ProblemCode[]
  audit?: AuditAction
  since?: string
}

export function defineSocket<
  const Name extends string,
  Params extends ParamsSchema = typeof noParams,
  Send extends z.ZodType = z.ZodNever,
  Receive extends z.ZodType = z.ZodNever,
  const Proxied extends boolean = false,
>(
  options: SocketOptions<Name, Params, Send, Receive, Proxied>,
): SocketDefinition<Name, Params, Send, Receive, Proxied> {
  const { params, receive, ...rest } = options
  return withSchemas(
    {
      windows: true,
      binary: false,
      proxied: false as Proxied,
      // Low on purpose: a hostile client must not be able to make the agent hold much.
      maxFrameBytes: 64 * 1024,
      problems: [],
      audit: undefined,
      since: '0.1.0',
      ...rest,
      send: options.send ?? (z.never() as unknown as Send),
    } as const,
    { params: params ?? (noParams as unknown as Params), receive: receive ?? (z.never() as unknown as Receive) },
  )
}

export interface EventDefinition<Type extends string = string, Data extends ParamsSchema = ParamsSchema> {
  readonly type: Type
  readonly data: Data
}

/** An event travels flat: `{ seq, time, type, …data }`. */
export function defineEvent<const Type extends string, Data extends ParamsSchema>(
  type: Type,
  data: Data,
): EventDefinition<Type, Data> {
  return { type, data }
}

export function pathParts(path: string): string[] {
  return Array.from(path.matchAll(/:([A-Za-z]+)/g), (match) => match[1] ?? '')
}

/** For results: the values known today, and room for the ones a newer agent has. */
export function openEnum<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.union([z.enum(values), z.string()]) as z.ZodType<Values[number] | (string & {})>
}

/** Marks a parameter that agents before `version` do not know. */
export function sinceVersion<Schema extends z.ZodType>(schema: Schema, version: string): Schema {
  return schema.meta({ since: version }) as Schema
}

export function isRaw(result: z.ZodType | RawResult): result is RawResult {
  return 'raw' in result
}

export function raw(...contentTypes: string[]): RawResult {
  return { raw: contentTypes }
}

// What the two ends see of a definition.
export type ParamsIn<Call> = Call extends { params: infer Params extends z.ZodType } ? z.input<Params> : never
export type ParamsOut<Call> = Call extends { params: infer Params extends z.ZodType } ? z.output<Params> : never
export type ResultOf<Call> = Call extends { result: infer Result }
  ? Result extends z.ZodType
    ? z.output<Result>
    : RawBody
  : never
export type ResultIn<Call> = Call extends { result: infer Result extends z.ZodType } ? z.input<Result> : RawBody
export type SendOf<Socket> = Socket extends { send: infer Send extends z.ZodType } ? z.input<Send> : never
export type ReceiveOf<Socket> = Socket extends { receive: infer Receive extends z.ZodType } ? z.output<Receive> : never
