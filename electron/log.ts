import path from 'node:path'
import { RotatingFile } from './rotating-file.ts'

/** One line per event. Values are escaped, so that what a machine says cannot forge a line. */
export type Log = (level: 'info' | 'warn' | 'error', message: string, fields?: Record<string, unknown>) => void

export function formatLine(time: Date, level: string, message: string, fields: Record<string, unknown> = {}): string {
  const rest = Object.entries(fields)
    .map(([key, value]) => ` ${key}=${escapeControls(JSON.stringify(value) ?? 'undefined')}`)
    .join('')
  return `${time.toISOString()} ${level.toUpperCase()} ${escapeControls(message)}${rest}\n`
}

/** Makes control characters, C1 ones and line separators visible instead of effective. */
export function escapeControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** Writes to a file that is kept small, and warnings to standard error as well. */
export function openLog(folder: string, options: { echo: boolean }): Log {
  const file = new RotatingFile(path.join(folder, 'console.log'))
  return (level, message, fields) => {
    const line = formatLine(new Date(), level, message, fields)
    file.write(line)
    if (options.echo || level === 'error') process.stderr.write(line)
  }
}
