import { useEffect, useRef, useState } from 'react'

/** What of an entry of the timeline tells which message or request it is about. */
export interface Aim {
  at: number
  title: string
}

/**
 * The one that an entry of the timeline tells of: of those that read the same the nearest in time, or, where none does,
 * the one of that very moment. Repetitions are one entry there, so the moment alone does not tell.
 */
export function aimedOf<Item extends { at: number }>(
  items: readonly Item[],
  titleOf: (item: Item) => string,
  { at, title }: Aim,
): Item | undefined {
  const alike = items.filter((item) => titleOf(item) === title)
  const found = alike.length > 0 ? alike : items.filter((item) => Math.floor(item.at) === at)
  const farFrom = (item: Item) => Math.abs(item.at - at)
  return found.reduce<Item | undefined>(
    (best, item) => (best === undefined || farFrom(item) < farFrom(best) ? item : best),
    undefined,
  )
}

/**
 * Looks for it once, as soon as that can be done: first the machine's own record is read again, since it may have
 * happened while nobody listened. Null before that, and `gone` when it is no longer kept.
 */
export function useAimed<Found extends number | string>(
  aim: Aim | null,
  ready: boolean,
  lookBack: () => Promise<void>,
  find: (aim: Aim) => Found | undefined,
): Found | 'gone' | null {
  const [found, setFound] = useState<Found | 'gone' | null>(null)
  const begun = useRef(false)
  useEffect(() => {
    if (aim === null || !ready || begun.current) return
    begun.current = true
    // Without the record what was heard is looked through.
    void lookBack()
      .catch(() => {})
      .then(() => setFound(find(aim) ?? 'gone'))
  })
  return found
}
