import type { RE2JS } from 're2js'
import { useEffect, useState } from 'react'

/** Addresses are looked at up to here: the rest is data. */
const maxLooked = 2048

export type Pattern =
  | { kind: 'all' }
  | { kind: 'invalid'; why: string }
  | { kind: 'matches'; test: (url: string) => boolean }

/**
 * What a typed pattern lets through. Between slashes it is a regular expression in RE2's syntax, which has no
 * backtracking: no pattern can hang the window. Anything else is plain text.
 */
export function patternOf(typed: string, engine: typeof RE2JS | null, most = maxLooked): Pattern {
  const text = typed.trim()
  if (text === '') return { kind: 'all' }
  const expression = /^\/(.+)\/(i?)$/.exec(text)
  if (expression === null) {
    const sought = text.toLowerCase()
    return { kind: 'matches', test: (url) => url.slice(0, most).toLowerCase().includes(sought) }
  }
  if (engine === null) return { kind: 'all' }
  try {
    const compiled = engine.compile(expression[1] ?? '', expression[2] === 'i' ? engine.CASE_INSENSITIVE : 0)
    return { kind: 'matches', test: (url) => compiled.matcher(url.slice(0, most)).find() }
  } catch (error) {
    return { kind: 'invalid', why: error instanceof Error ? error.message : String(error) }
  }
}

/** The engine is loaded with the first expression. */
export function usePattern(typed: string, most = maxLooked): Pattern {
  const [engine, setEngine] = useState<typeof RE2JS | null>(null)
  const wanted = typed.trim().startsWith('/')
  useEffect(() => {
    if (wanted && engine === null) void import('re2js').then((part) => setEngine(() => part.RE2JS))
  }, [wanted, engine])
  return patternOf(typed, engine, most)
}
