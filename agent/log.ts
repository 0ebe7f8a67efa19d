/** One line per event on standard error. Values are escaped, so that a logged value cannot forge a line. */
export type Log = (level: 'info' | 'warn' | 'error', message: string, fields?: Record<string, unknown>) => void

export const log: Log = (level, message, fields) => {
  process.stderr.write(formatLine(new Date(), level, message, fields))
}

export function formatLine(time: Date, level: string, message: string, fields: Record<string, unknown> = {}): string {
  // JSON leaves the C1 controls and the line separators as they are, and a terminal takes some of them for commands.
  const rest = Object.entries(fields)
    .map(([key, value]) => ` ${key}=${escapeControls(JSON.stringify(value) ?? 'undefined')}`)
    .join('')
  return `${time.toISOString()} ${level.toUpperCase()} ${escapeControls(message)}${rest}\n`
}

function escapeControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
