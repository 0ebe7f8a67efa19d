/**
 * Keys are written `mod+k`, `shift+?`, or as a sequence, `g f`. `mod` is ⌘ on a Mac and Ctrl elsewhere.
 */
export interface KeyPress {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  shiftKey: boolean
  /** The key's place; tells letters where Alt or another layout changes what they type. */
  code?: string
}

export const isMac = typeof navigator !== 'undefined' && /Mac/.test(navigator.platform)

const macNames: Record<string, string> = { mod: '⌘', ctrl: '⌃', alt: '⌥', shift: '⇧' }
const plainNames: Record<string, string> = { mod: 'Ctrl', ctrl: 'Ctrl', alt: 'Alt', shift: 'Shift' }
const keyNames: Record<string, string> = { escape: 'Esc', enter: '↵', arrowup: '↑', arrowdown: '↓' }

/** The caps to draw, one per key. */
export function describeKeys(keys: string, mac = isMac): string[] {
  const names = mac ? macNames : plainNames
  return keys
    .split(' ')
    .flatMap((press) => press.split('+'))
    .map((part) => names[part] ?? keyNames[part] ?? (part.length === 1 ? part.toUpperCase() : part))
}

/** Whether an event is this one press, such as `mod+shift+k`. */
export function matchesPress(press: string, event: KeyPress, mac = isMac): boolean {
  const parts = press.split('+')
  const key = parts.at(-1) ?? ''
  const wanted = (name: string) => parts.includes(name)
  const ctrl = wanted('ctrl') || (wanted('mod') && !mac)
  const meta = wanted('mod') && mac
  // "?" already carries its Shift on most layouts: only letters and named keys care about it.
  const shiftMatters = /^[a-z]$/.test(key) || key.length > 1
  return (
    event.ctrlKey === ctrl &&
    event.metaKey === meta &&
    event.altKey === wanted('alt') &&
    (!shiftMatters || event.shiftKey === wanted('shift')) &&
    (event.key.toLowerCase() === key || ((wanted('alt') || isOtherScript(event.key)) && event.code === placeOf(key)))
  )
}

/** Where other keyboards than Latin ones have a letter instead, as the Cyrillic one has for the comma. */
const letterPlaces: Record<string, string> = {
  ',': 'Comma',
  '.': 'Period',
  ';': 'Semicolon',
  '[': 'BracketLeft',
  ']': 'BracketRight',
}

function placeOf(key: string): string {
  return letterPlaces[key] ?? `Key${key.toUpperCase()}`
}

/** Whether a keyboard has no Latin letter there: what is printed beside it is meant. */
export function isOtherScript(key: string): boolean {
  return /^\p{L}$/u.test(key) && !/^\p{Script=Latin}$/u.test(key)
}
