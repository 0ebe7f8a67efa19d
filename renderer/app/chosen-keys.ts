import { isMac, isOtherScript, type KeyPress } from '../ui/keys.ts'
import type { Action } from './registry.ts'

/** Keys that a person chose instead of an action's own, by the action. */
export type Chosen = Readonly<Record<string, string>>

/** Keys that mean something everywhere: lists, forms and dialogs are worked with them. */
const reserved = new Set([
  ...['escape', 'enter', 'tab', ' ', 'backspace', 'delete', 'contextmenu', '.', '+'],
  ...['arrowup', 'arrowdown', 'arrowleft', 'arrowright', 'home', 'end', 'pageup', 'pagedown'],
  ...['dead', 'process', 'unidentified', 'capslock'],
])
const modifiers = new Set(['control', 'shift', 'alt', 'meta', 'altgraph', 'os', 'fn'])
/** Text is worked with these, and windows are closed by them. */
const ofTheSystem = new Set(['a', 'c', 'v', 'x', 'z', 'y', 'q', 'w'].map((key) => `mod+${key}`))

/** The actions with the keys that were chosen for them. */
export function withKeys<Context>(actions: readonly Action<Context>[], chosen: Chosen): Action<Context>[] {
  return actions.map((action) => {
    const keys = chosen[action.id]
    return keys === undefined ? action : { ...action, keys }
  })
}

/** What was pressed, as keys are written; null for a modifier alone and for keys that cannot be an action's. */
export function pressOf(event: KeyPress, mac = isMac): string | null {
  const letter = /^Key([A-Z])$/.exec(event.code ?? '')?.[1]?.toLowerCase()
  const key = (event.altKey || isOtherScript(event.key)) && letter !== undefined ? letter : event.key.toLowerCase()
  if (modifiers.has(key) || (event.metaKey && !mac)) return null
  const held = [
    event.metaKey ? 'mod' : '',
    event.ctrlKey ? (mac ? 'ctrl' : 'mod') : '',
    event.altKey ? 'alt' : '',
    // "?" already carries its Shift.
    event.shiftKey && (/^[a-z]$/.test(key) || key.length > 1) ? 'shift' : '',
  ].filter(Boolean)
  return [...held, key].join('+')
}

/** One press more: a plain key may begin a sequence of two. */
export function addPress(keys: string, press: string): string {
  const canFollow = keys !== '' && !keys.includes(' ') && isPlain(keys) && isPlain(press)
  return canFollow ? `${keys} ${press}` : press
}

/** Why an action cannot have these keys; null when it can. */
export function mistakeIn<Context>(
  keys: string,
  action: Pick<Action<Context>, 'id' | 'always'>,
  actions: readonly Action<Context>[],
  nameOf: (action: Action<Context>) => string,
  mac = isMac,
): string | null {
  const presses = keys.split(' ')
  if (keys === '') return 'Press the keys.'
  if (presses.some((press) => reserved.has(press.split('+').at(-1) ?? '')))
    return 'Lists, forms and dialogs are worked with that key. Choose another.'
  if (presses.some((press) => ofTheSystem.has(normal(press, mac))))
    return 'Text and windows are worked with these keys. Choose others.'
  if (action.always === true && presses.some((press) => !reachesFromMachine(press)))
    return 'It works while a machine has the keyboard: hold Ctrl and Alt, or Ctrl and Shift, with a key.'
  const other = actions.find((one) => one.id !== action.id && clash(normal(one.keys, mac), normal(keys, mac)))
  return other === undefined ? null : `These are the keys of “${nameOf(other)}”. Change those first, or choose others.`
}

/** The same keys, or one is the beginning of the other and would take its first key away. */
function clash(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other} `) || other.startsWith(`${one} `)
}

/** Ctrl is `mod` everywhere but on a Mac, and the order of what is held says nothing. */
function normal(keys: string, mac: boolean): string {
  return keys
    .split(' ')
    .map((press) => {
      const parts = press.split('+')
      const held = parts.slice(0, -1).map((part) => (part === 'ctrl' && !mac ? 'mod' : part))
      return [...held.sort(), parts.at(-1)].join('+')
    })
    .join(' ')
}

function isPlain(press: string): boolean {
  return !/(^|\+)(mod|ctrl|alt)\+/.test(press)
}

function reachesFromMachine(press: string): boolean {
  return /(mod|ctrl)\+/.test(press) && /(alt|shift)\+/.test(press)
}
