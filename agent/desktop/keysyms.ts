import { Problem } from '../../shared/errors.ts'

/** X's numbers for keys, by the names X itself has for them. */
const named: Record<string, number> = {
  BackSpace: 0xff08,
  Tab: 0xff09,
  Return: 0xff0d,
  Enter: 0xff0d,
  Pause: 0xff13,
  Scroll_Lock: 0xff14,
  Escape: 0xff1b,
  Home: 0xff50,
  Left: 0xff51,
  Up: 0xff52,
  Right: 0xff53,
  Down: 0xff54,
  Page_Up: 0xff55,
  Page_Down: 0xff56,
  End: 0xff57,
  Print: 0xff61,
  Insert: 0xff63,
  Menu: 0xff67,
  Delete: 0xffff,
  Shift: 0xffe1,
  Shift_L: 0xffe1,
  Shift_R: 0xffe2,
  Control: 0xffe3,
  Control_L: 0xffe3,
  Control_R: 0xffe4,
  Caps_Lock: 0xffe5,
  Meta: 0xffe7,
  Meta_L: 0xffe7,
  Alt: 0xffe9,
  Alt_L: 0xffe9,
  Alt_R: 0xffea,
  Super: 0xffeb,
  Super_L: 0xffeb,
  space: 0x20,
  plus: 0x2b,
  minus: 0x2d,
}
for (let number = 1; number <= 12; number++) named[`F${number}`] = 0xffbd + number

/** The keysyms of a key with its modifiers, such as `Control+Shift+t`, in the order they are pressed. */
export function keysymsOf(key: string): number[] {
  // A plus sign of its own stands last: `Control++`.
  const parts = key === '+' ? ['+'] : key.endsWith('++') ? [...key.slice(0, -2).split('+'), '+'] : key.split('+')
  if (parts.length === 1 && isLetter(key)) return chordOf(key)
  // With Shift down a small letter would not be what is typed, nor a large one without it.
  const shifted = parts.slice(0, -1).some((part) => /^Shift(_[LR])?$/.test(part))
  return parts.map((part) => {
    const known = Object.hasOwn(named, part) ? named[part] : undefined
    if (known !== undefined) return known
    if ([...part].length === 1)
      return keysymOf(shifted ? part.toUpperCase() : isLetter(part) ? part.toLowerCase() : part)
    throw new Problem(
      'invalid-params',
      `"${part}" is not a key. Give a character, or a name such as Return, Escape, F5, Control.`,
    )
  })
}

/**
 * What types one character. A large letter is pressed with Shift: asked for one without it, the server reaches for Caps
 * Lock, and leaves it on for whoever types next.
 */
export function chordOf(char: string): number[] {
  return isLetter(char) && char === char.toUpperCase() ? [named['Shift'] ?? 0, keysymOf(char)] : [keysymOf(char)]
}

/** Of the alphabet that every keyboard has. */
function isLetter(part: string): boolean {
  return /^[A-Za-z]$/.test(part)
}

/** The keysym of one character. */
function keysymOf(char: string): number {
  const code = char.codePointAt(0) ?? 0
  if (char === '\n' || char === '\r') return named['Return'] ?? 0
  if (char === '\t') return named['Tab'] ?? 0
  if ((code >= 0x20 && code < 0x7f) || (code >= 0xa0 && code <= 0xff)) return code
  return 0x01000000 + code
}
