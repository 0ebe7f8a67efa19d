import { redact, redactCommand } from '../shared/domain/redaction.ts'

/** Control characters, and those that turn the direction of what follows. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unwanted = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g

/**
 * Text of a machine for a place outside of our windows: one line, no secrets, nothing that a notification server
 * would take for markup.
 */
export function plainText(text: string, maxLength: number): string {
  const line = String(redact(redactCommand(text)))
    .replace(unwanted, ' ')
    .replace(/\s+/g, ' ')
    .replace(/[<>&]/g, (sign) => ({ '<': '‹', '>': '›', '&': '＆' })[sign] ?? '')
    .trim()
  return line.length <= maxLength ? line : `${[...line].slice(0, maxLength - 1).join('')}…`
}
