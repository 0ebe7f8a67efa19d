const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g
/** Deeper than a person reads: what is nested further is not set in further. */
const maxIndent = 100
const turning = /[\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

/**
 * A text in JSON with one value in a row; throws when it is none. Its values are not read and written anew: numbers
 * keep all of their digits, and fields their order, also those that are there twice.
 */
export function readableJson(text: string): string {
  JSON.parse(text)
  let shown = ''
  let depth = 0
  let before = ''
  const newRow = () => `\n${'  '.repeat(Math.min(depth, maxIndent))}`
  for (const [token] of text.matchAll(tokens)) {
    const closes = token === '}' || token === ']'
    if (closes) depth--
    const opened = before === '{' || before === '['
    if (closes ? !opened : opened || before === ',') shown += newRow()
    if (token === '{' || token === '[') depth++
    shown += token === ':' ? ': ' : token.startsWith('"') ? readableString(token) : token
    before = token
  }
  return shown
}

/** With its letters instead of their numbers, except for marks that turn text round or hide it. */
function readableString(token: string): string {
  return JSON.stringify(JSON.parse(token)).replace(
    turning,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
