import { type KeyPress, matchesPress } from '../ui/keys.ts'

/** One thing a person can do. Palette, menus, buttons and shortcuts all derive from it. */
export interface Action<Context> {
  id: string
  title: (context: Context) => string
  group: string
  /** `mod+k`, or a sequence such as `g f`. */
  keys: string
  /** Works even while the keyboard goes to a machine. */
  always?: boolean
  when: (context: Context) => boolean
  run: (context: Context) => void
}

/** How long the second key of a sequence may take. */
const sequenceMs = 1200

/** Those that can be done now. */
export function available<Context>(actions: readonly Action<Context>[], context: Context): Action<Context>[] {
  return actions.filter((action) => action.when(context))
}

/** Turns key presses into actions; remembers the first key of a sequence for a moment. */
export function keyMatcher<Context>(actions: readonly Action<Context>[] | (() => readonly Action<Context>[])) {
  const all = typeof actions === 'function' ? actions : () => actions
  let begun: { press: string; at: number } | null = null
  return (event: KeyPress, context: Context, at: number, onlyAlways = false): Action<Context> | 'begun' | null => {
    const candidates = available(all(), context).filter((action) => !onlyAlways || action.always === true)
    const first = begun !== null && at - begun.at < sequenceMs ? begun.press : null
    begun = null
    for (const action of candidates) {
      const [one = '', two] = action.keys.split(' ')
      if (two !== undefined && first === one && matchesPress(two, event)) return action
    }
    if (first === null) {
      const single = candidates.find((action) => !action.keys.includes(' ') && matchesPress(action.keys, event))
      if (single !== undefined) return single
    }
    const starts = candidates
      .map((action) => action.keys.split(' '))
      .find(([one, two]) => two && matchesPress(one ?? '', event))
    if (starts?.[0] === undefined) return null
    begun = { press: starts[0], at }
    return 'begun'
  }
}
