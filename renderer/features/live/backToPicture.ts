import type { LiveSession } from './session.ts'

/** Gives the keyboard back to the picture after a menu; not when the person has opened something else meanwhile. */
export function backToPicture(session: LiveSession | null): HTMLElement | null {
  const elsewhere = document.querySelector('[data-popup-open]:not([data-live-menu])')
  if (elsewhere === null) session?.focus()
  return document.activeElement as HTMLElement | null
}
