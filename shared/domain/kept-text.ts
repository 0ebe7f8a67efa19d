const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * The beginning of a text, to be kept. A mere slice is a view: as long as it lives V8 keeps all of the text, and a page
 * that says long enough ones would fill the memory of whoever keeps it.
 */
export function keptText(text: string, most: number): string {
  return text.length <= most ? text : decoder.decode(encoder.encode(text.slice(0, most)))
}
