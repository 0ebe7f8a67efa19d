/**
 * The beginning of a text, to be kept. A mere slice is a view: as long as it lives V8 keeps all of the text, and a page
 * that writes long enough ones would fill the agent's memory with what nobody can read any more.
 */
export function keptText(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : Buffer.from(text.slice(0, maxChars)).toString()
}
