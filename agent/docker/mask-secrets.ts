import { isSensitiveEnvKey } from '../../shared/domain/redaction.ts'

/** A shorter value stands in many words that are not it: it is masked only where it stands alone. */
const tellingLength = 4

/** What a container wrote, without the sensitive values of its own variables, however it quoted them. */
export function maskSecrets(lines: readonly string[], env: ReadonlyMap<string, string>): string[] {
  const secrets = [...env].flatMap(([key, value]) => (isSensitiveEnvKey(key) ? formsOf(value) : []))
  if (secrets.length === 0) return [...lines]
  // The longest first: one may be a part of another.
  const patterns = [...new Set(secrets)].sort((a, b) => b.length - a.length).map(patternOf)
  const all = new RegExp(patterns.join('|'), 'gu')
  return lines.map((line) => line.replace(all, '***'))
}

/** As it is, as it stands in JSON and in addresses, line by line, and the password of an address alone. */
function formsOf(value: string): string[] {
  const password = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:([^/\s@]+)@/i.exec(value)?.[1] ?? ''
  return [...value.split(/\r?\n/), password]
    .map((part) => part.trim())
    .flatMap((part) => [part, JSON.stringify(part).slice(1, -1), encodeURIComponent(part.toWellFormed())])
    .filter((part) => part !== '')
}

function patternOf(secret: string): string {
  const literal = secret.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return secret.length < tellingLength ? `(?<![\\p{L}\\p{N}_])${literal}(?![\\p{L}\\p{N}_])` : literal
}
