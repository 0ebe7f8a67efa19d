/** Which element each row in sight has: by its place, from the first one on. */
export interface Slots {
  first: number
  keys: readonly number[]
  /** How many there ever were; the next new one gets this number. */
  made: number
}

export const noSlots: Slots = { first: 0, keys: [], made: 0 }

/**
 * The elements for the rows from `first` on. Rows that stay in sight keep theirs, and those that come take the ones
 * that went, in the order in which they stand: so a leap changes what is written in them, and moves none.
 */
export function takeSlots(before: Slots, first: number, count: number): Slots {
  if (before.first === first && before.keys.length === count) return before
  const kept = Array.from({ length: count }, (_, place) => before.keys[first + place - before.first])
  const used = new Set(kept)
  const free = before.keys.filter((key) => !used.has(key))
  let { made } = before
  let taken = 0
  const keys = kept.map((key) => key ?? free[taken++] ?? made++)
  return { first, keys, made }
}
