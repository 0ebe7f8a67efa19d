import { expect, test } from 'vitest'
import { historyOf, remember, step } from './history.ts'
import { outcomeOf } from './model.ts'

test('what was run is kept for its machine, each once, the newest last', () => {
  for (const expression of ['a', 'b', 'a']) remember('m', expression)
  expect(historyOf('m')).toEqual(['b', 'a'])
  expect(historyOf('other')).toEqual([])
  for (let at = 0; at < 300; at++) remember('m', String(at))
  expect(historyOf('m')).toHaveLength(100)
})

test('the arrows stop at both ends', () => {
  expect(step(['a', 'b'], 0, 1)).toBe(1)
  expect(step(['a', 'b'], 2, 1)).toBe(2)
  expect(step(['a', 'b'], 0, -1)).toBe(0)
})

test('an error keeps its stack, a value stays one', () => {
  const frame = { functionName: 'f', url: '', lineNumber: 0, columnNumber: 0 }
  const exception = { type: 'object', subtype: 'error', description: 'Error: x\n    at f', objectId: '1' }
  const exceptionDetails = { text: 'Uncaught', exception, stackTrace: { callFrames: [frame] } }
  expect(outcomeOf({ result: exception, exceptionDetails })).toEqual({
    kind: 'thrown',
    text: 'Uncaught Error: x',
    stack: [frame],
    object: null,
  })
  expect(outcomeOf({ result: { type: 'number', value: 1 } })).toEqual({
    kind: 'value',
    object: { type: 'number', value: 1 },
  })
})
