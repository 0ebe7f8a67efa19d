import type { LiveSession } from './session.ts'

/** Where someone types or chooses: no place to take the keyboard away from. The picture's own field is not meant. */
const atWork = 'input, textarea:not([data-machine-keys]), select, [contenteditable], [role=combobox]'

/**
 * Gives the keyboard back to the picture after a menu. A menu takes a moment to close: who has opened something else
 * meanwhile, or has begun to type an address, goes on with that.
 */
export function backToPicture(session: LiveSession | null): HTMLElement | null {
  const elsewhere = document.querySelector('[data-popup-open]:not([data-live-menu])')
  if (elsewhere === null && document.activeElement?.matches(atWork) !== true) session?.focus()
  return document.activeElement as HTMLElement | null
}
