import { Problem } from '../../shared/errors.ts'

/** What a shell takes for a space, and the carriage return of a pasted line; a no-break space is a letter. */
const isBlank = /[ \t\n\r]/
/** In double quotes a backslash means something only before these. */
const escapedInDouble = /["\\$`\n]/

/**
 * Splits a command into arguments by the quoting rules people know from a shell, and nothing else of it: no
 * variables, no patterns, no pipes. `;`, `|`, `&`, `>`, `$` and `*` are letters like any other.
 */
export function splitCommand(command: string): string[] {
  const words: string[] = []
  let word: string | undefined
  for (let at = 0; at < command.length; at++) {
    const char = command[at] ?? ''
    if (isBlank.test(char)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else if (char === "'") {
      const end = command.indexOf("'", at + 1)
      if (end === -1) throw unclosed("'")
      word = (word ?? '') + command.slice(at + 1, end)
      at = end
    } else if (char === '"') {
      const { text, end } = readDouble(command, at + 1)
      word = (word ?? '') + text
      at = end
    } else if (char === '\\') {
      const next = command[++at]
      if (next === undefined) throw new Problem('bad-request', 'The command ends with a backslash. Remove it.')
      // A line that goes on.
      if (next !== '\n') word = (word ?? '') + next
    } else {
      word = (word ?? '') + char
    }
  }
  if (word !== undefined) words.push(word)
  if (words.some((part) => part.includes('\0')))
    throw new Problem('bad-request', 'A command cannot hold a NUL character.')
  if (words.length === 0 || words[0] === '') throw new Problem('bad-request', 'There is no program in the command.')
  return words
}

function readDouble(command: string, start: number): { text: string; end: number } {
  let text = ''
  for (let at = start; at < command.length; at++) {
    const char = command[at] ?? ''
    if (char === '"') return { text, end: at }
    const next = command[at + 1]
    if (char === '\\' && next !== undefined && escapedInDouble.test(next)) {
      if (next !== '\n') text += next
      at++
    } else {
      text += char
    }
  }
  throw unclosed('"')
}

function unclosed(mark: string): Problem {
  return new Problem('bad-request', `The command has a ${mark} that is not closed. Close it, or write \\${mark}.`)
}
