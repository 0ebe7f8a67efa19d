import { expect, test } from 'vitest'
import { declaredPairs, provokedPairs } from './situation.ts'
import { situations } from './situations.ts'

/** What is listed here is provoked by `problems.itest.ts`, on a real browser. */
test('every call of the browser, the desktop, takeovers and engines is provoked to every problem it declares', () => {
  const [declared, provoked] = [declaredPairs(), provokedPairs(situations)]
  expect(declared.length).toBeGreaterThan(200)
  expect(declared.filter((pair) => !provoked.includes(pair))).toEqual([])
})

test('and to none that it does not declare, and each situation has a name of its own', () => {
  const declared = declaredPairs()
  // What every call can end with is not declared, and is provoked where a handler itself decides on it.
  const beyond = provokedPairs(situations).filter(
    (pair) => !declared.includes(pair) && !pair.endsWith('→ invalid-params'),
  )
  expect(beyond).toEqual([])
  const names = situations.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})
