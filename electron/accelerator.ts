const names: Record<string, string> = { mod: 'CmdOrCtrl', ctrl: 'Ctrl', alt: 'Alt', shift: 'Shift' }

/** Keys as a menu names them; undefined for a sequence or a plain key, which a menu cannot have. */
export function acceleratorOf(keys: string): string | undefined {
  const parts = keys.split('+')
  const key = parts.at(-1) ?? ''
  const held = parts.slice(0, -1)
  if (keys.includes(' ') || key === '' || !held.some((part) => part !== 'shift')) return undefined
  const named = held.map((part) => names[part])
  if (named.includes(undefined)) return undefined
  return [...named, key.length === 1 ? key.toUpperCase() : `${key.charAt(0).toUpperCase()}${key.slice(1)}`].join('+')
}
