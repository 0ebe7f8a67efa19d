import { z } from 'zod'
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

/** Query parameters as an object; a key that stands twice keeps its last value. */
export function decodeQuery(schema: ParamsSchema, query: URLSearchParams): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [key, text] of query) values[key] = decodeText(schema, key, text)
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
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 34) i = endOfString(text, i)
    else if (code === 91 || code === 123) {
      if (++depth > maxDepth) throw new SyntaxError(`nested more than ${maxDepth} deep`)
    } else if (code === 93 || code === 125) depth--
  }
  return JSON.parse(text)
}

/** Up to here a string is walked: that is quicker than a search, which has to be set up. */
const walkedChars = 48

/** Where the string that opens at `start` closes. Long ones are searched, since they are most of what is large. */
function endOfString(text: string, start: number): number {
  const near = Math.min(text.length, start + walkedChars)
  for (let at = start + 1; at < near; at++) {
    const code = text.charCodeAt(at)
    if (code === 34) return at
    if (code === 92) at++
  }
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === 92) slashes++
    if (slashes % 2 === 0) return end
  }
  return text.length
}
