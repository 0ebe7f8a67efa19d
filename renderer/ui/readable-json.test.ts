import { expect, test } from 'vitest'
import { readableJson } from './readable-json.ts'

test('has one value in a row, as JSON is usually written', () => {
  const value = { a: [1, -2.5e3, { b: null }], empty: {}, none: [], 'ö "quoted"': 'x:{,}\n', deep: [[[true]]] }
  for (const spaces of [0, 1, 4])
    expect(readableJson(JSON.stringify(value, null, spaces))).toBe(JSON.stringify(value, null, 2))
  for (const plain of ['12', '"x"', ' null ', '[]']) expect(readableJson(plain)).toBe(plain.trim())
})

test('changes no value: large numbers, the order of fields, and those that are there twice', () => {
  const text = '{"id":12345678901234567890,"price":1.10,"2":1,"1":2,"a":1,"a":2}'
  expect(readableJson(text).replace(/\s/g, '')).toBe(text)
})

test('shows letters for their numbers, but nothing that turns the text round', () => {
  expect(readableJson('{"name":"J\\u00f6rg \\u202e\\u0007 \u202e"}')).toBe(
    '{\n  "name": "Jörg \\u202e\\u0007 \\u202e"\n}',
  )
})

test('what is no JSON is refused, and what is nested without end is not set in without end', () => {
  for (const text of ['{', '{a:1}', "['x']", '[1,]']) expect(() => readableJson(text)).toThrow()
  expect(readableJson(`${'['.repeat(2000)}${']'.repeat(2000)}`).length).toBeLessThan(1_000_000)
})
