import type { FromSearcher, Pattern, ToSearcher } from './protocol.ts'

/** Matches marked in one text; more would only be colour. */
const maxRanges = 100

/** A pattern as an expression; throws with the reason when it is none. */
export function compile({ text, regex, caseSensitive }: Pattern): RegExp {
  const source = regex ? text : text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return new RegExp(source, caseSensitive ? 'gm' : 'gim')
}

/** Which of the messages in a text have a match. */
export function testAll(expression: RegExp, text: string, ends: Uint32Array): Uint32Array {
  const hits: number[] = []
  let start = 0
  for (let place = 0; place < ends.length; place++) {
    const end = ends[place] ?? 0
    expression.lastIndex = 0
    if (expression.test(text.slice(start, end))) hits.push(place)
    start = end
  }
  return Uint32Array.from(hits)
}

/** Where the matches of a text stand: from and to, one behind the other. */
export function rangesOf(expression: RegExp, text: string): number[] {
  const ranges: number[] = []
  expression.lastIndex = 0
  for (let match = expression.exec(text); match !== null; match = expression.exec(text)) {
    if (match[0] === '') expression.lastIndex++
    else ranges.push(match.index, match.index + match[0].length)
    if (ranges.length >= 2 * maxRanges) break
  }
  return ranges
}

/** Answers one question of the engine. */
export function answer(message: ToSearcher): FromSearcher {
  try {
    const expression = compile(message.pattern)
    if (message.kind === 'test') return { id: message.id, hits: testAll(expression, message.text, message.ends) }
    return { id: message.id, ranges: message.texts.map((text) => rangesOf(expression, text)) }
  } catch (error) {
    return { id: message.id, problem: error instanceof Error ? error.message : String(error) }
  }
}
