import fc from 'fast-check'
import { expect, test } from 'vitest'
import { noSlots, takeSlots } from './slots.ts'

test('a step keeps what stays in sight, and gives the row that comes the place of the one that went', () => {
  const first = takeSlots(noSlots, 0, 4)
  expect(first.keys).toEqual([0, 1, 2, 3])
  expect(takeSlots(first, 1, 4).keys).toEqual([1, 2, 3, 0])
  expect(takeSlots(takeSlots(first, 1, 4), 0, 4).keys).toEqual([0, 1, 2, 3])
})

test('a leap moves nothing: every element stays where it stands', () => {
  const stepped = takeSlots(takeSlots(noSlots, 0, 4), 1, 4)
  expect(takeSlots(stepped, 500, 4).keys).toEqual(stepped.keys)
})

test('wherever it goes, each row has an element of its own and no more are made than were in sight', () => {
  const look = fc.record({ first: fc.nat(1000), count: fc.nat(30) })
  fc.assert(
    fc.property(fc.array(look, { maxLength: 30 }), (looks) => {
      let slots = noSlots
      for (const { first, count } of looks) {
        const before = slots
        slots = takeSlots(slots, first, count)
        expect(slots.keys).toHaveLength(count)
        expect(new Set(slots.keys).size).toBe(count)
        for (const [place, key] of slots.keys.entries()) {
          const had = before.keys[first + place - before.first]
          if (had !== undefined) expect(key).toBe(had)
        }
      }
    }),
  )
})
