import { z } from 'zod'
import { Problem } from '../errors.ts'
import type { ParamsSchema } from './define.ts'

/** How parameters stand in a path and a query string, the same way for both ends. */

/** Removes optional, default and nullable wrappers, to see what a value is made of. */
function core(schema: z.ZodType): z.ZodType {
  let inner = schema
  while (
    inner instanceof z.ZodOptional ||
    inner instanceof z.ZodDefault ||
    inner instanceof z.ZodNullable ||
    inner instanceof z.ZodPrefault
  ) {
    inner = inner.unwrap() as z.ZodType
  }
  return inner
}

/** A query string knows only text: numbers and booleans are read as the schema expects them. */
export function decodeText(schema: ParamsSchema, key: string, text: string): unknown {
  const field = schema.shape[key]
  if (field === undefined) return text
  const kind = core(field as z.ZodType)
  if (kind instanceof z.ZodNumber) return text.trim() === '' ? text : Number(text)
  if (kind instanceof z.ZodBoolean)
    return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : text
  if (kind instanceof z.ZodArray) return text === '' ? [] : text.split(',')
  return text
}

/**
 * Query parameters as an object. A list may be given piece by piece; of anything else that stands twice nobody can say
 * which was meant.
 */
export function decodeQuery(schema: ParamsSchema, query: URLSearchParams): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [key, text] of query) {
    const value = decodeText(schema, key, text)
    const before = Object.hasOwn(values, key) ? values[key] : undefined
    if (before === undefined) values[key] = value
    else if (Array.isArray(before) && Array.isArray(value)) values[key] = [...before, ...value]
    else throw new Problem('invalid-params', `"${key}" stands twice in the query. Give it once and try again.`)
  }
  return values
}

export function encodeQuery(values: Record<string, unknown>): string {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(values)) {
    if (value !== undefined && value !== null) query.set(key, String(value))
  }
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}

/** Fills `:name` parts from the values and returns the path with the values that are left. */
export function fillPath(
  path: string,
  values: Record<string, unknown>,
): { path: string; rest: Record<string, unknown> } {
  const rest = { ...values }
  const filled = path.replace(/:([A-Za-z]+)/g, (_part, name: string) => {
    const value = rest[name]
    delete rest[name]
    return encodeURIComponent(String(value))
  })
  return { path: filled, rest }
}

/**
 * JSON from the other side. Deep nesting is refused before it is parsed: what walks the value later
 * (schemas, logging, structured clone) recurses.
 */
export function parseJson(text: string, maxDepth = 64): unknown {
  const short = text.length * maxBytesPerChar <= scratch.length
  const bytes = short ? scratch : encoder.encode(text)
  const length = short ? encoder.encodeInto(text, scratch).written : bytes.length
  refuseDeep(bytes, length, maxDepth)
  return JSON.parse(text)
}

/** The same for bytes as they came; what is not UTF-8 is refused as well. */
export function parseJsonBytes(bytes: Uint8Array, maxDepth = 64): unknown {
  refuseDeep(bytes, bytes.length, maxDepth)
  return JSON.parse(decoder.decode(bytes))
}

/** Bytes are gone through four times as fast as a text; most texts are short, and take no memory for it. */
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })
const scratch = new Uint8Array(32 * 1024)
const maxBytesPerChar = 3
const [quote, backslash] = [0x22, 0x5c]
/** With this bit set, '[' and '{' are the same, and so are ']' and '}'. */
const curled = 0x20
const [opens, closes] = [0x7b, 0x7d]

function refuseDeep(bytes: Uint8Array, length: number, maxDepth: number): void {
  if (nestsDeeper(bytes, length, maxDepth)) throw new SyntaxError(`nested more than ${maxDepth} deep`)
}

function nestsDeeper(bytes: Uint8Array, length: number, maxDepth: number): boolean {
  let depth = 0
  for (let at = 0; at < length; at++) {
    const byte = bytes[at] ?? 0
    if (byte === quote) at = endOfString(bytes, length, at)
    else if ((byte | curled) === opens) {
      if (++depth > maxDepth) return true
    } else if ((byte | curled) === closes) depth--
  }
  return false
}

/** Where the string that opens at `start` closes. */
function endOfString(bytes: Uint8Array, length: number, start: number): number {
  for (let at = start + 1; at < length; at++) {
    if (bytes[at] === quote) return at
    if (bytes[at] === backslash) at++
  }
  return length
}
