import { expect, test } from 'vitest'
import { z } from 'zod'
import { describeIssues } from './errors.ts'

const schema = z.strictObject({
  text: z.string().min(1).max(3).optional(),
  page: z.int().min(1).max(5).optional(),
  vars: z.record(z.string().regex(/^[A-Z]+$/, 'a name has capital letters'), z.string()).optional(),
  kind: z.enum(['one', 'two']).optional(),
  at: z.iso.datetime().optional(),
  either: z.union([z.string(), z.boolean()]).optional(),
  shape: z.discriminatedUnion('type', [z.strictObject({ type: z.literal('a') })]).optional(),
  items: z.array(z.string()).max(1).optional(),
  secret: z.string().min(2, 'a secret has at least 2 letters').optional(),
  must: z.string(),
})
const said = (value: Record<string, unknown>) => {
  const { error } = schema.safeParse({ must: '', ...value })
  return error === undefined ? 'nothing' : describeIssues(error)
}

test.each<[Record<string, unknown>, string]>([
  [{ must: undefined }, 'must: missing, it takes a text'],
  [{ must: null }, 'must: must be a text'],
  [{ text: '' }, 'text: must not be empty'],
  [{ text: 'long' }, 'text: must have 3 characters or less'],
  [{ page: 'x' }, 'page: must be a number'],
  [{ page: Number.NaN }, 'page: must be a number'],
  [{ page: 1.5 }, 'page: must be a whole number'],
  [{ page: 0 }, 'page: must be 1 or more'],
  [{ page: 9 }, 'page: must be 5 or less'],
  [{ vars: [] }, 'vars: must be an object'],
  [{ vars: { a: 'x' } }, 'vars.a: a name has capital letters'],
  [{ kind: 'three' }, 'kind: must be one of "one", "two"'],
  [{ at: 'yesterday' }, 'at: must be a time such as 2026-01-31T14:03:00Z'],
  [{ either: 5 }, 'either: must be a text or true or false'],
  [{ shape: { type: 'b' } }, 'shape.type: must be "a"'],
  [{ items: ['a', 'b'] }, 'items: must have 1 item or less'],
  [{ secret: 'x' }, 'secret: a secret has at least 2 letters'],
  [{ odd: 1 }, 'Unrecognized key: "odd"'],
])('of %j is said what to send', (value, words) => {
  expect(said(value)).toBe(words)
})
