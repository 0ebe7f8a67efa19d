import { isAtWork } from './keyboard.ts'
import type { LiveSession } from './session.ts'

/**
 * Gives the keyboard back to the picture after a menu. A menu takes a moment to close: who has opened something else
 * meanwhile, or has begun to type an address, goes on with that.
 */
export function backToPicture(session: LiveSession | null): HTMLElement | null {
  if (!isAtWork()) session?.focus()
  return document.activeElement as HTMLElement | null
}
