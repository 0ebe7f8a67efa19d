/** A part of a message that stands in one row of the view. */
export interface Piece {
  start: number
  end: number
}

/** How many columns a letter takes: two for most of East Asia's and for emoji, none for what sits on another. */
export function cellsOf(code: number): number {
  if (code < 0x300) return 1
  if (code <= 0x36f || code === 0xfe0f || code === 0x200d || (code >= 0x1ab0 && code <= 0x1aff)) return 0
  const wide =
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd)
  return wide ? 2 : 1
}

/**
 * Cuts a message at its line ends and, with `cols`, at so many columns. A row of the view is one piece and always
 * equally high, so that where a line stands is known without drawing it.
 */
export function cut(message: string, cols: number, maxPieces: number): Piece[] {
  const pieces: Piece[] = []
  let start = 0
  let cells = 0
  let place = 0
  while (place < message.length) {
    const code = message.codePointAt(place) ?? 0
    const units = code > 0xffff ? 2 : 1
    if (code === 10) {
      pieces.push({ start, end: place })
      if (pieces.length === maxPieces) return pieces
      start = place + 1
      cells = 0
    } else if (cols > 0) {
      const width = cellsOf(code)
      if (cells + width > cols && cells > 0) {
        pieces.push({ start, end: place })
        if (pieces.length === maxPieces) return pieces
        start = place
        cells = 0
      }
      cells += width
    }
    place += units
  }
  pieces.push({ start, end: message.length })
  return pieces
}

/** How many pieces there are, quickly where every letter is one column and there is one line. */
export function countPieces(message: string, plain: boolean, cols: number, maxPieces: number): number {
  if (plain) return cols === 0 ? 1 : Math.min(maxPieces, Math.max(1, Math.ceil(message.length / cols)))
  return cut(message, cols, maxPieces).length
}
