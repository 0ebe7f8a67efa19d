// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g

/** What is pasted is text: control characters could end a bracketed paste, or be keys that nobody pressed. */
export function cleanPaste(text: string): string {
  return text.replace(controls, '')
}

/** How many lines would be run at once, if the program does not know that they were pasted. */
export function pastedLines(text: string): number {
  return text.replace(/[\r\n]+$/, '').split(/\r\n|\r|\n/).length
}
