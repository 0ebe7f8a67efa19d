import { expect, test } from 'vitest'
import { asObject, isUnread } from './model.ts'

test('what looks like an object is asked for as one, unless it could run twice', () => {
  expect(asObject(' { a: 1, b: { c: 2 } } ')).toBe('({ a: 1, b: { c: 2 } })')
  expect(asObject('({ a: 1 })')).toBeUndefined()
  expect(asObject('{ a: await go() }')).toBeUndefined()
  expect(asObject('if (a) { b }')).toBeUndefined()
})

test('only what could not be read is taken for something else', () => {
  const thrown = (className: string, more: object = {}, description = `${className}: no`) => ({
    result: {},
    exceptionDetails: { exception: { type: 'object', className, description }, ...more },
  })
  expect(isUnread(thrown('SyntaxError'))).toBe(true)
  expect(isUnread(thrown('SyntaxError', { stackTrace: { callFrames: [] } }))).toBe(false)
  expect(isUnread(thrown('SyntaxError', {}, 'SyntaxError: no\n    at JSON.parse'))).toBe(false)
  expect(isUnread(thrown('TypeError'))).toBe(false)
  expect(isUnread({ result: { type: 'number', value: 1 } })).toBe(false)
})
