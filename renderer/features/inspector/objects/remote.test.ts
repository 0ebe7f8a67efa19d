import { describe, expect, test } from 'vitest'
import { formatArgs, piecesText, type RemoteObject, readProperties, tooMany, valueText } from './remote.ts'

const string = (value: string): RemoteObject => ({ type: 'string', value })
const number = (value: number): RemoteObject => ({ type: 'number', value, description: String(value) })
const object: RemoteObject = {
  type: 'object',
  className: 'Object',
  description: 'Object',
  objectId: '1',
  preview: {
    type: 'object',
    description: 'Object',
    overflow: true,
    properties: [
      { name: 'a', type: 'number', value: '1' },
      { name: 'b', type: 'string', value: 'x"y' },
      { name: 'c', type: 'object', value: 'Object' },
      { name: 'd', type: 'accessor' },
      { name: 'e', type: 'function', value: '' },
    ],
  },
}
const said = (...args: RemoteObject[]) => piecesText(formatArgs(args))

describe('a value in one line', () => {
  test.each<[string, RemoteObject, string]>([
    ['an object by its preview', object, '{a: 1, b: "x\\"y", c: {…}, d: (…), e: ƒ, …}'],
    [
      'a list with its length',
      {
        type: 'object',
        subtype: 'array',
        preview: {
          type: 'object',
          subtype: 'array',
          description: 'Array(2)',
          properties: [
            { name: '0', type: 'number', value: '1' },
            { name: '1', type: 'string', value: 'b' },
          ],
        },
      },
      '(2) [1, "b"]',
    ],
    [
      'a map by its entries',
      {
        type: 'object',
        subtype: 'map',
        className: 'Map',
        preview: {
          type: 'object',
          subtype: 'map',
          description: 'Map(1)',
          entries: [{ key: { type: 'string', description: 'k' }, value: { type: 'number', description: '1' } }],
        },
      },
      'Map(1) {"k" => 1}',
    ],
    ['nothing', { type: 'object', subtype: 'null' }, 'null'],
    ['what has no JSON', { type: 'number', unserializableValue: '-0' }, '-0'],
    ['a function by its head', { type: 'function', description: 'function add(a, b) { return a + b }' }, 'ƒ add(a, b)'],
    ['a class', { type: 'function', description: 'class Cart extends Shop {}' }, 'class Cart'],
    [
      'an error with its stack',
      { type: 'object', subtype: 'error', description: 'Error: x\n    at y' },
      'Error: x\n    at y',
    ],
    [
      'a node by its tag',
      {
        type: 'object',
        subtype: 'node',
        description: 'div#a',
        preview: { type: 'object', subtype: 'node', description: 'div#a' },
      },
      'div#a',
    ],
  ])('%s', (_what, value, text) => expect(valueText(value)).toBe(text))

  test('a string has quotes only inside another value, and a very long one is cut', () => {
    expect(valueText(string('a"b'))).toBe('a"b')
    expect(valueText(string('a"b'), true)).toBe('"a\\"b"')
    expect(valueText(string('x'.repeat(1_000_000))).length).toBeLessThan(30_000)
  })
})

describe('what a message says', () => {
  test('placeholders are filled in, styles are left out, the rest follows', () => {
    expect(
      said(
        string('%c%s has %d of %i, %f%%'),
        string('color: red'),
        string('tea'),
        number(3.7),
        number(9),
        number(0.5),
        string('end'),
      ),
    ).toBe('tea has 3 of 9, 0.5% end')
    expect(said(string('100% %s'))).toBe('100% %s')
    expect(said(string('only %s and %s'), string('one'))).toBe('only one and %s')
    expect(said(number(1), string('%s'), string('x'))).toBe('1 %s x')
  })

  test('an object in a placeholder can still be opened', () => {
    expect(formatArgs([string('see %o there'), object])).toEqual([{ text: 'see ' }, { object }, { text: ' there' }])
  })

  test('markup stays text', () => {
    const attack = '<img src=x onerror=alert(1)>'
    expect(formatArgs([string(attack)])).toEqual([{ text: attack }])
  })
})

test('properties come with the browser’s own last, and accessors without a value', () => {
  const get = { type: 'function' }
  const read = readProperties({
    result: [
      { name: 'a', value: number(1), enumerable: true },
      { name: 'trap', get, enumerable: true },
    ],
    internalProperties: [{ name: '[[Prototype]]', value: object }, { name: 'empty' }],
  })
  expect(read.map(({ name, internal }) => [name, internal ?? false])).toEqual([
    ['a', false],
    ['trap', false],
    ['[[Prototype]]', true],
  ])
  expect(read[1]?.value).toBeUndefined()
})

test('a list with very many elements is known by its description', () => {
  expect(tooMany({ subtype: 'array', description: 'Array(1000000)' })).toBe(1_000_000)
  expect(tooMany({ subtype: 'typedarray', description: 'Uint8Array(10001)' })).toBe(10_001)
  expect(tooMany({ subtype: 'array', description: 'Array(10000)' })).toBeNull()
  expect(tooMany({ description: 'Evil(1000000)' })).toBeNull()
})
