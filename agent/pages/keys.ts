/** How characters are typed on a keyboard: what a page's key handlers expect to see. */
export interface KeyStroke {
  key: string
  code: string
  windowsVirtualKeyCode: number
  modifiers: number
  text: string
}

const shift = 8
/** The keys of a US keyboard that are not letters or digits: code, virtual key code, plain and shifted character. */
const others: readonly [code: string, keyCode: number, characters: string][] = [
  ['Backquote', 192, '`~'],
  ['Minus', 189, '-_'],
  ['Equal', 187, '=+'],
  ['BracketLeft', 219, '[{'],
  ['BracketRight', 221, ']}'],
  ['Backslash', 220, '\\|'],
  ['Semicolon', 186, ';:'],
  ['Quote', 222, '\'"'],
  ['Comma', 188, ',<'],
  ['Period', 190, '.>'],
  ['Slash', 191, '/?'],
  ...[...')!@#$%^&*('].map((sign, digit): [string, number, string] => [`Digit${digit}`, 48 + digit, `${digit}${sign}`]),
]

/**
 * The key for a character; undefined for one that is put in as it is: this keyboard does not have it, such as an
 * emoji, or its key would do something else, as that of a tab, which goes on to the next field.
 */
export function strokeFor(character: string): KeyStroke | undefined {
  if (character === '\n' || character === '\r') return stroke('Enter', 'Enter', 13, 0, '\r')
  if (character === ' ') return stroke(' ', 'Space', 32, 0, ' ')
  if (/^[a-zA-Z]$/.test(character)) {
    const upper = character.toUpperCase()
    return stroke(character, `Key${upper}`, upper.charCodeAt(0), character === upper ? shift : 0, character)
  }
  const found = others.find(([, , characters]) => characters.includes(character))
  if (found === undefined) return undefined
  const [code, keyCode, characters] = found
  return stroke(character, code, keyCode, characters.indexOf(character) === 1 ? shift : 0, character)
}

export const backspace = stroke('Backspace', 'Backspace', 8, 0, '')

function stroke(key: string, code: string, keyCode: number, modifiers: number, text: string): KeyStroke {
  return { key, code, windowsVirtualKeyCode: keyCode, modifiers, text }
}
