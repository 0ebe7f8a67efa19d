import { type RefObject, useEffect } from 'react'

/** How often work on the picture is reported, at most. */
const reportEveryMs = 15_000

/** Calls `report` while a person works inside `area`, at most every 15 s, and `pressed` at every key and press. */
export function useActivity(
  area: RefObject<HTMLElement | null>,
  active: boolean,
  report: () => void,
  pressed: () => void,
): void {
  useEffect(() => {
    const element = area.current
    if (!active || element === null) return
    // Taking control was itself a sign of life.
    let last = performance.now()
    const seen = (event: Event) => {
      if (event.isTrusted && (event.type === 'keydown' || event.type === 'pointerdown')) pressed()
      const now = performance.now()
      if (now - last < reportEveryMs) return
      last = now
      report()
    }
    const kinds = ['keydown', 'pointerdown', 'pointermove', 'wheel'] as const
    for (const kind of kinds) element.addEventListener(kind, seen, { capture: true, passive: true })
    return () => {
      for (const kind of kinds) element.removeEventListener(kind, seen, { capture: true })
    }
  }, [area, active, report, pressed])
}
