/** Which image tags an environment wants: `release-*` as in a shell, or `^2.3`, `~2.3.1`, `>=2`, `2.x` as with versions. */

/** A tag as Docker defines it, or a digest. */
export const tagShape = /^(?:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}|sha256:[0-9a-f]{64})$/

interface Version {
  numbers: [number, number, number]
  pre: string[]
}

export type TagPattern = { matches: (tag: string) => boolean } | { mistake: string }

const rangeShape =
  /^(\^|~|>=|>|<=|<|=)?\s*v?(\d{1,9})(?:\.(\d{1,9}|[xX*]))?(?:\.(\d{1,9}|[xX*]))?(?:-([0-9A-Za-z.-]+))?$/

/** Reads a pattern; one that cannot be read says what is wrong with it. */
export function readTagPattern(text: string): TagPattern {
  const pattern = text.trim()
  if (pattern === '') return { mistake: 'Say which tags, such as v* or ^2.3.' }
  if (pattern.length > 128) return { mistake: 'A pattern has 128 characters at most.' }
  const ranges = pattern.split(/\s+/)
  const isRange = /^(\^|~|>|<|=)/.test(pattern) || /^v?\d+\.[xX]$|^v?\d+\.\d+\.[xX]$/.test(pattern)
  if (isRange) {
    const tests = ranges.map(readRange)
    const bad = tests.indexOf(undefined)
    if (bad !== -1) return { mistake: `"${ranges[bad]}" is not a range of versions, such as ^2.3 or >=2.1.` }
    return { matches: (tag) => tests.every((one) => one?.(tag) === true) }
  }
  if (!/^[A-Za-z0-9_.*?-]+$/.test(pattern)) {
    return { mistake: 'A tag has letters, digits, dot, dash and underscore; * and ? stand for others.' }
  }
  return { matches: globMatcher(pattern) }
}

/** A glob without going back and forth more than once per star: a hostile tag cannot make it slow. */
function globMatcher(pattern: string): (tag: string) => boolean {
  return (tag) => {
    let [p, t, star, mark] = [0, 0, -1, 0]
    while (t < tag.length) {
      if (pattern[p] === '*') {
        star = p++
        mark = t
      } else if (pattern[p] === '?' || pattern[p] === tag[t]) {
        p++
        t++
      } else if (star !== -1) {
        p = star + 1
        t = ++mark
      } else return false
    }
    while (pattern[p] === '*') p++
    return p === pattern.length
  }
}

function readRange(text: string): ((tag: string) => boolean) | undefined {
  const found = rangeShape.exec(text)
  if (found === null) return undefined
  const [, sign = '', major = '0', minor, patch, pre] = found
  const given = [minor, patch].filter((part) => part !== undefined && /\d/.test(part)).length
  const number = (part: string | undefined) => (part === undefined || !/^\d+$/.test(part) ? 0 : Number(part))
  const low: Version = { numbers: [Number(major), number(minor), number(patch)], pre: pre?.split('.') ?? [] }
  const test = rangeTest(sign, low, given)
  return (tag) => {
    const version = readVersion(tag)
    if (version === undefined) return false
    // A release candidate is taken only by who named one of the same version.
    const asked = pre !== undefined && version.numbers.join('.') === low.numbers.join('.')
    return (version.pre.length === 0 || asked) && test(version)
  }
}

function rangeTest(sign: string, low: Version, given: number): (version: Version) => boolean {
  const [major, minor, patch] = low.numbers
  const below = (numbers: Version['numbers']) => (version: Version) => compareNumbers(version.numbers, numbers) < 0
  const from = (version: Version) => compareVersions(version, low) >= 0
  const ranges: Record<string, () => (version: Version) => boolean> = {
    '>=': () => () => true,
    '^': () =>
      below(
        major > 0 || given === 0 ? [major + 1, 0, 0] : minor > 0 || given === 1 ? [0, minor + 1, 0] : [0, 0, patch + 1],
      ),
    '~': () => below(given === 0 ? [major + 1, 0, 0] : [major, minor + 1, 0]),
  }
  if (sign === '>') return (version) => compareVersions(version, low) > 0
  if (sign === '<') return (version) => compareVersions(version, low) < 0
  if (sign === '<=') return (version) => compareVersions(version, low) <= 0
  const upper =
    ranges[sign]?.() ?? (given === 2 ? (version: Version) => compareVersions(version, low) === 0 : ranges['~']?.())
  return (version) => from(version) && upper?.(version) === true
}

/** `2.3.1`, `v2.3`, `2.4.0-rc.1`; undefined for what is no version. Build data after a plus cannot stand in a tag. */
export function readVersion(tag: string): Version | undefined {
  const found = /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:-([0-9A-Za-z.-]+))?$/.exec(tag)
  if (found === null) return undefined
  const [, major, minor = '0', patch = '0', pre] = found
  return { numbers: [Number(major), Number(minor), Number(patch)], pre: pre?.split('.') ?? [] }
}

/** Newest first: versions by their numbers, before whatever is none, which goes by its name. */
export function newestFirst(a: string, b: string): number {
  const [left, right] = [readVersion(a), readVersion(b)]
  if (left !== undefined && right !== undefined) return compareVersions(right, left) || (a < b ? 1 : -1)
  if (left !== undefined || right !== undefined) return left === undefined ? 1 : -1
  return b.localeCompare(a, 'en', { numeric: true })
}

function compareVersions(a: Version, b: Version): number {
  const numbers = compareNumbers(a.numbers, b.numbers)
  if (numbers !== 0) return numbers
  // A candidate comes before its release.
  if (a.pre.length === 0 || b.pre.length === 0) return b.pre.length - a.pre.length
  for (let place = 0; place < Math.max(a.pre.length, b.pre.length); place++) {
    const [left, right] = [a.pre[place], b.pre[place]]
    if (left === undefined || right === undefined) return left === undefined ? -1 : 1
    const [leftNumber, rightNumber] = [/^\d+$/.test(left), /^\d+$/.test(right)]
    if (leftNumber && rightNumber && Number(left) !== Number(right)) return Number(left) - Number(right)
    if (leftNumber !== rightNumber) return leftNumber ? -1 : 1
    if (left !== right) return left < right ? -1 : 1
  }
  return 0
}

function compareNumbers(a: Version['numbers'], b: Version['numbers']): number {
  for (let place = 0; place < 3; place++) {
    const difference = (a[place] ?? 0) - (b[place] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
