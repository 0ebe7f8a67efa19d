import { expect, test } from 'vitest'
import { sleepAndWake } from '../../e2e/chaos/sleep-wake.ts'
import { soaking } from '../../e2e/rigs/soak.ts'

/** The watch looks more often here, so that a short sleep is one; in a soak it is as it is. See e2e/chaos/sleep.ts. */
test('a console that was frozen notices when it wakes, finds its dead tunnel, and misses nothing', async () => {
  const slept = soaking ? await sleepAndWake(30_000) : await sleepAndWake(3000, { everyMs: 300, gapMs: 900 })
  expect(slept).toMatchObject({ lost: [], doubled: [] })
  // A busy computer's own hiccup may be another one.
  expect(slept.woke).toBeGreaterThan(0)
  expect(slept.events).toBeGreaterThan(10)
  expect(slept.lines).toBeGreaterThan(20)
  console.log(`back ${Math.round(slept.backMs)} ms after waking`)
}, 240_000)
