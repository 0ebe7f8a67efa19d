import { setImmediate as yieldOnce } from 'node:timers/promises'
import { Problem } from '../../shared/errors.ts'

/** Addresses are looked at up to here: the rest is data. */
const maxLooked = 2048
/** After so long without a pause, everything else gets its turn. */
const sliceMs = 10
const limitMs = 2000

/**
 * The items whose address matches a regular expression. RE2 syntax, which has no backtracking: no pattern
 * can take more than a time proportional to the text.
 */
export async function matching<Item extends { url: string }>(items: Item[], pattern: string): Promise<Item[]> {
  const { RE2JS } = await import('re2js')
  let compiled: ReturnType<typeof RE2JS.compile>
  try {
    compiled = RE2JS.compile(pattern)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Problem('invalid-pattern', `${why}. It takes RE2 syntax: no look-around, no back-references.`)
  }
  const found: Item[] = []
  const started = performance.now()
  let slice = started
  for (const item of items) {
    if (compiled.matcher(item.url.slice(0, maxLooked)).find()) found.push(item)
    if (performance.now() - slice < sliceMs) continue
    if (performance.now() - started > limitMs) {
      throw new Problem('invalid-pattern', 'That pattern takes too long here. Give a simpler one.')
    }
    await yieldOnce()
    slice = performance.now()
  }
  return found
}
