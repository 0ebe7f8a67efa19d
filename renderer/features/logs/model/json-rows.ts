import { readableJson } from '../../../ui/readable-json.ts'

/** More than a person reads in a row of a log. */
const maxRows = 300
const maxChars = 256 * 1024
const maxRowChars = 1000

/** Whether a message may be an object or a list in JSON; only looked at, not read. */
export function looksLikeJson(message: string): boolean {
  const first = message.charCodeAt(0)
  const last = message.charCodeAt(message.length - 1)
  return (first === 123 && last === 125) || (first === 91 && last === 93 && message.length > 2)
}

/** A message in JSON with one value in a row; one that says so when it is not JSON after all, or too deep. */
export function jsonRows(message: string): string[] {
  if (message.length > maxChars) return [`  (${Math.round(message.length / 1024)} KiB of JSON: download it to read it)`]
  try {
    const rows = readableJson(message).split('\n').slice(1, -1)
    const shown = rows
      .slice(0, maxRows)
      .map((row) => (row.length > maxRowChars ? `${row.slice(0, maxRowChars)}…` : row))
    return rows.length > maxRows ? [...shown, `  … ${rows.length - maxRows} more rows`] : shown
  } catch {
    return ['  (it does not read as JSON)']
  }
}
