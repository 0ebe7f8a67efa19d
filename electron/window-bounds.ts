export interface Bounds {
  x?: number
  y?: number
  width: number
  height: number
}

export const minimumSize = { width: 1024, height: 700 }
const firstSize: Bounds = { width: 1440, height: 900 }

interface Area {
  x: number
  y: number
  width: number
  height: number
}

/** The window where it was last, unless that screen is gone: then in the middle of the present one. */
export function restoreBounds(kept: unknown, screens: readonly Area[]): Bounds {
  const primary = screens[0]
  const clamp = (wanted: number, least: number, room: number | undefined) =>
    Math.max(least, Math.min(wanted, room ?? wanted))
  const { width, height } = isArea(kept) ? kept : firstSize
  const size = {
    width: clamp(width, minimumSize.width, primary?.width),
    height: clamp(height, minimumSize.height, primary?.height),
  }
  if (!isArea(kept) || !screens.some((screen) => overlaps(kept, screen))) return size
  return {
    x: kept.x,
    y: kept.y,
    width: Math.max(width, minimumSize.width),
    height: Math.max(height, minimumSize.height),
  }
}

/** A window of the last run: where it was, and what it showed. */
export interface KeptWindow {
  bounds: unknown
  place: string
}

/** The windows that were kept; at least one. `single` is what consoles kept that knew only one window. */
export function readKept(kept: unknown, single?: unknown): KeptWindow[] {
  const windows = Array.isArray(kept) ? kept.flatMap(readOne) : []
  return windows.length > 0 ? windows : [{ bounds: single, place: '#/fleet' }]
}

function readOne(value: unknown): KeptWindow[] {
  if (typeof value !== 'object' || value === null) return []
  const { bounds, place } = value as Record<string, unknown>
  const known = typeof place === 'string' && place.startsWith('#/') && place.length <= 400
  return [{ bounds, place: known ? place : '#/fleet' }]
}

function isArea(value: unknown): value is Area {
  if (typeof value !== 'object' || value === null) return false
  const { x, y, width, height } = value as Record<string, unknown>
  return [x, y, width, height].every((number) => Number.isInteger(number))
}

/** Enough of the window must be on a screen to grab it by. */
function overlaps(window: Area, screen: Area): boolean {
  const across = Math.min(window.x + window.width, screen.x + screen.width) - Math.max(window.x, screen.x)
  const down = Math.min(window.y + window.height, screen.y + screen.height) - Math.max(window.y, screen.y)
  return across >= 100 && down >= 50
}
