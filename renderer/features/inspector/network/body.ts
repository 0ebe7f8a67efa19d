/** What the bytes of a body can be shown as. */

/** Formats of pictures that have no code in them; an SVG is a document, and is shown as its text. */
const pictures = /^image\/(?:png|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)$/

export type Shown =
  | { form: 'text'; text: string }
  | { form: 'picture'; bytes: Uint8Array<ArrayBuffer>; type: string }
  | { form: 'bytes'; bytes: Uint8Array<ArrayBuffer> }

/** What is not a picture, and reads as UTF-8 from end to end, is text whatever it is called. */
export function shownOf(base64: string, mimeType: string): Shown {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  const type = mimeType.toLowerCase()
  if (pictures.test(type)) return { form: 'picture', bytes, type }
  const text = textOf(bytes)
  return text === null ? { form: 'bytes', bytes } : { form: 'text', text }
}

function textOf(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what tells bytes from text
    return /[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(text) ? null : text
  } catch {
    return null
  }
}

const rowBytes = 16
/** More than a person reads. */
export const mostDumped = 16_384

/** Bytes as engineers read them: their place, their figures, and what of them is a letter. */
export function hexDump(bytes: Uint8Array): string {
  const rows: string[] = []
  for (let at = 0; at < Math.min(bytes.length, mostDumped); at += rowBytes) {
    const row = [...bytes.subarray(at, at + rowBytes)]
    const figures = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const letters = row.map((byte) => (byte > 0x1f && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('')
    rows.push(`${at.toString(16).padStart(8, '0')}  ${figures.padEnd(rowBytes * 3)} ${letters}`)
  }
  return rows.join('\n')
}
