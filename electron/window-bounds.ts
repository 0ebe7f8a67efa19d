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

/**
 * The window where it was last, and no larger than the screen it is on now. Where that screen is gone it is in the
 * middle of the present one.
 */
export function restoreBounds(kept: unknown, screens: readonly Area[]): Bounds {
  const known = isArea(kept) ? kept : undefined
  const own = known === undefined ? undefined : screenOf(known, screens)
  const room = own ?? screens[0]
  const clamp = (wanted: number, least: number, most: number | undefined) =>
    Math.max(least, Math.min(wanted, most ?? wanted))
  const { width, height } = known ?? firstSize
  const size = {
    width: clamp(width, minimumSize.width, room?.width),
    height: clamp(height, minimumSize.height, room?.height),
  }
  if (known === undefined || own === undefined) return size
  // One that had to become smaller begins where its screen does; any other may hang over the edge, as it was left.
  return { x: size.width < width ? own.x : known.x, y: size.height < height ? own.y : known.y, ...size }
}

/** A window of the last run: where it was while it had a size of its own, how it filled its screen, and what it showed. */
export interface KeptWindow {
  bounds: unknown
  place: string
  maximized: boolean
  fullScreen: boolean
}

/** The part of Electron's window that this is about. */
interface Frame {
  getNormalBounds(): Area
  isMaximized(): boolean
  isFullScreen(): boolean
}

/** What to keep of a window. One whose page fills the screen for a moment, as a live view does, is not meant to. */
export function keptOf(window: Frame, place: string, isPageFull: boolean): KeptWindow {
  const [maximized, fullScreen] = [window.isMaximized(), window.isFullScreen() && !isPageFull]
  return { bounds: window.getNormalBounds(), place, maximized, fullScreen }
}

/** Lets a new window fill its screen as the kept one did. */
export function fillScreen(
  window: { maximize(): void; setFullScreen(on: boolean): void },
  { maximized, fullScreen }: Pick<KeptWindow, 'maximized' | 'fullScreen'>,
): void {
  if (maximized) window.maximize()
  if (fullScreen) window.setFullScreen(true)
}

/** The windows that were kept; at least one. `single` is what consoles kept that knew only one window. */
export function readKept(kept: unknown, single?: unknown): KeptWindow[] {
  const windows = Array.isArray(kept) ? kept.flatMap(readOne) : []
  return windows.length > 0 ? windows : [{ bounds: single, place: '#/fleet', maximized: false, fullScreen: false }]
}

function readOne(value: unknown): KeptWindow[] {
  if (typeof value !== 'object' || value === null) return []
  const { bounds, place, maximized, fullScreen } = value as Record<string, unknown>
  const known = typeof place === 'string' && place.startsWith('#/') && place.length <= 400
  return [{ bounds, place: known ? place : '#/fleet', maximized: maximized === true, fullScreen: fullScreen === true }]
}

function isArea(value: unknown): value is Area {
  if (typeof value !== 'object' || value === null) return false
  const { x, y, width, height } = value as Record<string, unknown>
  return [x, y, width, height].every((number) => Number.isInteger(number))
}

/** The screen that most of the window is on; enough of it must be there to grab it by. */
function screenOf(window: Area, screens: readonly Area[]): Area | undefined {
  const shares = screens.flatMap((screen) => {
    const across = Math.min(window.x + window.width, screen.x + screen.width) - Math.max(window.x, screen.x)
    const down = Math.min(window.y + window.height, screen.y + screen.height) - Math.max(window.y, screen.y)
    return across >= 100 && down >= 50 ? [{ screen, share: across * down }] : []
  })
  return shares.sort((a, b) => b.share - a.share)[0]?.screen
}
