/** Places in a window, as its address names them. Windows read them with their own route; main only makes and keeps them. */

export const machinePlace = (machineId: string, tab = 'live') => `#/machine/${encodeURIComponent(machineId)}/${tab}`

/** The place that a window's address names; the fleet where it names none. */
export function placeOf(url: string): string {
  const hash = URL.canParse(url) ? new URL(url).hash : ''
  return hash.startsWith('#/') && hash.length <= 400 ? hash : '#/fleet'
}

/** The machine whose page a place is. */
export function machineOf(place: string): string | null {
  const id = /^#\/machine\/([^/]+)/.exec(place)?.[1]
  if (id === undefined) return null
  try {
    return decodeURIComponent(id)
  } catch {
    return null
  }
}
