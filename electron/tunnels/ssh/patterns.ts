/** OpenSSH's wildcards: `*` is anything, `?` is one character. */
export function matchesPattern(pattern: string, text: string): boolean {
  const source = pattern
    .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replace(/\?/g, '.')
  return new RegExp(`^${source}$`, 's').test(text)
}

/** A list in which one match with `!` in front outweighs every other. */
export function matchesList(patterns: readonly string[], text: string): boolean {
  if (patterns.some((pattern) => pattern.startsWith('!') && matchesPattern(pattern.slice(1), text))) return false
  return patterns.some((pattern) => !pattern.startsWith('!') && matchesPattern(pattern, text))
}
