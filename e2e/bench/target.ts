/** What a bench has to reach. */
export interface Target {
  text: string
  isMet(found: { ours: number; ratio: number }): boolean
}

/** No target is set: the figure is there to be seen. */
export const shown: Target = { text: 'none', isMet: () => true }

/** At most this many times the yardstick: for times and memory. */
export function atMostTimes(limit: number): Target {
  return { text: `≤ ${limit} ×`, isMet: ({ ratio }) => ratio <= limit }
}

/** At least this many times the yardstick: for rates. */
export function atLeastTimes(limit: number): Target {
  return { text: `≥ ${limit} ×`, isMet: ({ ratio }) => ratio >= limit }
}

/** At most this much, whatever the yardstick does. */
export function atMost(limit: number, unit: string): Target {
  return { text: `≤ ${limit} ${unit}`, isMet: ({ ours }) => ours <= limit }
}

/** At most this much beyond the yardstick: for what stands in the way and adds its own time. */
export function atMostMore(limit: number, unit: string): Target {
  return { text: `≤ +${limit} ${unit}`, isMet: ({ ours, ratio }) => ours - ours / ratio <= limit }
}

/** At least this much, whatever the yardstick does. */
export function atLeast(limit: number, unit: string): Target {
  return { text: `≥ ${limit} ${unit}`, isMet: ({ ours }) => ours >= limit }
}
