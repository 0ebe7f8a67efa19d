/** Anything that would not simply be shown: controls, and marks that turn text round or hide it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unusual = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals' sequences begin with one
const sequences = /\u001b\[[0-9;:?<=>]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g
/** Between two emoji the zero-width joiner makes one picture of them, as of a family, and hides nothing: it is kept there. */
const turning =
  /(?!(?<=(?![©®™])\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?![©®™])\p{Extended_Pictographic})[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu

/** A message as text that reads as it stands: colours go, other controls are seen instead of obeyed. */
export function cleanMessage(message: string): string {
  if (!unusual.test(message)) return message
  return message
    .replace(/\r+(?=\n|$)/g, '')
    .replace(sequences, '')
    .replaceAll('\t', '    ')
    .replace(controls, picture)
    .replace(turning, '\ufffd')
}

/** Unicode has a picture for each of the old control characters. */
function picture(control: string): string {
  const code = control.charCodeAt(0)
  if (code < 32) return String.fromCharCode(0x2400 + code)
  return code === 127 ? '\u2421' : '\ufffd'
}
