import type { z } from 'zod'

type Issue = z.core.$ZodIssue

/** What a schema expects, as a person says it. */
const kinds: Record<string, string> = {
  ...{ string: 'a text', number: 'a number', int: 'a whole number', boolean: 'true or false' },
  ...{ object: 'an object', record: 'an object', array: 'a list', null: 'null' },
}
const formats: Record<string, string> = {
  datetime: 'must be a time such as 2026-01-31T14:03:00Z',
  url: 'must be an address such as https://example.org/',
}
/** What is counted where it is not the number itself. */
const counted: Record<string, readonly [one: string, many: string]> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
}

/** What zod says by itself; all else was written for whoever reads it. */
const zodsOwn = /^(?:Invalid |Too (?:small|big): )/

/** One of zod's findings as the rest of a sentence that begins with the key: what to send instead. */
export function issueWords(issue: Issue): string {
  if (!zodsOwn.test(issue.message)) return issue.message
  switch (issue.code) {
    case 'invalid_type': {
      const kind = kinds[issue.expected]
      if (kind === undefined) return issue.message
      // The value itself is not kept in a finding, for it may be a secret.
      return issue.message.endsWith('received undefined') ? `missing, it takes ${kind}` : `must be ${kind}`
    }
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty'
      return bound(issue.origin, issue.minimum, 'more') ?? issue.message
    case 'too_big':
      return bound(issue.origin, issue.maximum, 'less') ?? issue.message
    case 'invalid_value':
      return `must be ${list(issue.values)}`
    case 'invalid_key':
      return issue.issues[0] === undefined ? issue.message : issueWords(issue.issues[0])
    case 'invalid_format':
      return formats[issue.format] ?? issue.message
    case 'invalid_union':
      return unionWords(issue)
    default:
      return issue.message
  }
}

function bound(origin: string, limit: number | bigint, side: 'more' | 'less'): string | undefined {
  if (origin === 'number' || origin === 'int') return `must be ${limit} or ${side}`
  const [one, many] = counted[origin] ?? []
  if (one === undefined) return undefined
  return `must have ${limit} ${Number(limit) === 1 ? one : many} or ${side}`
}

function unionWords(issue: Extract<Issue, { code: 'invalid_union' }>): string {
  if ('options' in issue && issue.options !== undefined) return `must be ${list(issue.options)}`
  const wanted = issue.errors.map(([first]) => (first?.code === 'invalid_type' ? kinds[first.expected] : undefined))
  return wanted.length > 0 && wanted.every((kind) => kind !== undefined)
    ? `must be ${wanted.join(' or ')}`
    : issue.message
}

function list(values: readonly unknown[]): string {
  const names = values.map((value) => (typeof value === 'string' ? JSON.stringify(value) : String(value)))
  return names.length === 1 ? (names[0] ?? '') : `one of ${names.join(', ')}`
}
