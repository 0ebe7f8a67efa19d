/** `Bearer realm="…",service="…"`, as a registry says how it wants to be asked. */
export interface Challenge {
  scheme: 'bearer' | 'basic'
  params: Record<string, string>
}

/** Reads a WWW-Authenticate header; the first scheme that is known, with Bearer before Basic. */
export function readChallenge(header: string): Challenge | undefined {
  const found: Challenge[] = []
  const parts = /(?:^|,\s*)([A-Za-z][A-Za-z0-9-]*)\s+(?=[A-Za-z][A-Za-z0-9_-]*\s*=)/g
  const starts = [...header.slice(0, 8192).matchAll(parts)]
  for (const [place, start] of starts.entries()) {
    const scheme = start[1]?.toLowerCase()
    if (scheme !== 'bearer' && scheme !== 'basic') continue
    const text = header.slice(start.index + start[0].length, starts[place + 1]?.index)
    found.push({ scheme, params: readParams(text) })
  }
  return found.find(({ scheme }) => scheme === 'bearer') ?? found[0]
}

function readParams(text: string): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [, name = '', quoted, bare] of text.matchAll(
    /([A-Za-z][A-Za-z0-9_-]*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/g,
  )) {
    params[name.toLowerCase()] ??= quoted === undefined ? (bare ?? '') : quoted.replace(/\\(.)/g, '$1')
  }
  return params
}

/** The address of the next page in a Link header; undefined on the last one. */
export function nextPage(header: string | null): string | undefined {
  for (const [, address, rest = ''] of (header ?? '').matchAll(/<([^>]*)>([^,<]*)/g)) {
    if (/;\s*rel\s*=\s*"?next"?/i.test(rest)) return address
  }
  return undefined
}
