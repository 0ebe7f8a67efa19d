/**
 * A `.env` file that can be changed without disturbing anything else in it. The file is kept as the text it
 * is; only the line of a changed key is written anew.
 *
 * How a line is read: `export` before the key is allowed; single quotes are literal; double quotes know
 * \n \r \t \\ \" \$ and \`; both may run over several lines; without quotes the value ends at white space
 * with a `#` behind it. A line that is none of this is kept and has no value.
 */

interface Assignment {
  kind: 'assignment'
  /** Everything before the value: indentation, `export`, key, `=` and the space around it. */
  before: string
  key: string
  value: string
  /** Everything after it: space, a comment, the line's end. */
  after: string
  /** The value as it stands in the file. */
  written: string
}

interface Other {
  kind: 'other'
  text: string
}

export interface EnvFile {
  readonly lines: readonly (Assignment | Other)[]
}

const assignmentStart = /^([ \t]*(?:export[ \t]+)?)([A-Za-z_][A-Za-z0-9_.-]*)([ \t]*=[ \t]*)/
const afterValue = /^[ \t]*(?:#[^\r\n]*)?(?:\r\n|\n|\r|$)/
const wholeLine = /^[^\r\n]*(?:\r\n|\n|\r|$)/
const bom = '\ufeff'

export function parseEnvFile(text: string): EnvFile {
  const lines: (Assignment | Other)[] = []
  let rest = text
  if (rest.startsWith(bom)) {
    lines.push({ kind: 'other', text: bom })
    rest = rest.slice(1)
  }
  while (rest !== '') {
    const line = readAssignment(rest) ?? { kind: 'other' as const, text: wholeLine.exec(rest)?.[0] ?? rest }
    lines.push(line)
    rest = rest.slice(textOf(line).length)
  }
  return { lines }
}

export function writeEnvFile(file: EnvFile): string {
  return file.lines.map(textOf).join('')
}

/** Every key with its value. A key that stands twice has its last value. */
export function envVars(file: EnvFile): Map<string, string> {
  const vars = new Map<string, string>()
  for (const line of file.lines) if (line.kind === 'assignment') vars.set(line.key, line.value)
  return vars
}

/** Keys that stand more than once, for saying so. */
export function duplicateKeys(file: EnvFile): string[] {
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const line of file.lines) {
    if (line.kind !== 'assignment') continue
    if (seen.has(line.key)) twice.add(line.key)
    seen.add(line.key)
  }
  return [...twice]
}

/**
 * Sets a key where it stands (the last place, which is the one that counts), or at the end. Each way of
 * writing it is read back before it is taken: an unclosed quote further up would otherwise pair with a
 * quote of ours and swallow what stands between.
 */
export function setEnvVar(file: EnvFile, key: string, value: string): EnvFile {
  if (!isEnvKey(key)) throw new RangeError(`"${key}" cannot be the name of an environment variable`)
  if (value.includes('\0')) throw new RangeError('an environment variable cannot hold a NUL character')
  const before = envVars(file)
  if (before.get(key) === value) return file
  const wanted = new Map(before).set(key, value)
  for (const written of quotings(value)) {
    for (const candidate of placings(file, key, value, written)) if (reads(candidate, wanted)) return candidate
  }
  throw new RangeError(`"${key}" cannot be written: a line of the file has a quote that is not closed`)
}

/** The same for many at once: reading the file back for each of a thousand takes seconds. */
export function setEnvVars(file: EnvFile, vars: ReadonlyMap<string, string>): EnvFile {
  const before = envVars(file)
  const changed = [...vars].filter(([key, value]) => before.get(key) !== value)
  if (changed.every(([key, value]) => isEnvKey(key) && !value.includes('\0'))) {
    const candidate = placedAtOnce(file, changed)
    if (reads(candidate, new Map([...before, ...changed]))) return candidate
  }
  return changed.reduce((written, [key, value]) => setEnvVar(written, key, value), file)
}

/** Each in the way and in the place that come first. */
function placedAtOnce(file: EnvFile, vars: readonly (readonly [string, string])[]): EnvFile {
  const eol = lineEnd(file)
  const lines = [...file.lines]
  const places = new Map(lines.flatMap((line, index) => (line.kind === 'assignment' ? [[line.key, index]] : [])))
  const added: Assignment[] = []
  for (const [key, value] of vars) {
    const [written = ''] = quotings(value)
    const index = places.get(key) ?? -1
    const existing = lines[index]
    if (existing?.kind === 'assignment') lines[index] = { ...existing, value, written }
    else added.push({ kind: 'assignment', before: `${key}=`, key, value, written, after: eol })
  }
  return { lines: [...lines, ...(added.length === 0 ? [] : missingEnd(file, eol)), ...added] }
}

/** The end of the file's last line, where that has none. */
function missingEnd(file: EnvFile, eol: string): Other[] {
  const text = writeEnvFile(file)
  const unfinished = text !== '' && text !== bom && !/[\r\n]$/.test(text)
  return unfinished ? [{ kind: 'other', text: eol }] : []
}

/** In place or at the end; failing that, before the first line with an open quote. */
function* placings(file: EnvFile, key: string, value: string, written: string): Generator<EnvFile> {
  const eol = lineEnd(file)
  const added: Assignment = { kind: 'assignment', before: `${key}=`, key, value, written, after: eol }
  const index = file.lines.findLastIndex((line) => line.kind === 'assignment' && line.key === key)
  const existing = file.lines[index]
  if (existing?.kind === 'assignment') {
    yield { lines: file.lines.with(index, { ...existing, value, written }) }
  } else {
    yield { lines: [...file.lines, ...missingEnd(file, eol), added] }
  }
  const rest = without(file, [key]).lines
  const broken = rest.findIndex((line) => line.kind === 'other' && assignmentStart.test(line.text))
  if (broken !== -1) yield { lines: rest.toSpliced(broken, 0, added) }
}

/** Removes every line that sets the key; refuses where that would change another, as behind a quote that is not closed. */
export function deleteEnvVar(file: EnvFile, key: string): EnvFile {
  const wanted = envVars(file)
  wanted.delete(key)
  const changed = without(file, [key])
  if (!reads(changed, wanted))
    throw new RangeError(`"${key}" cannot be removed: a line of the file has a quote that is not closed`)
  return changed
}

/** The same for many at once. */
export function deleteEnvVars(file: EnvFile, keys: readonly string[]): EnvFile {
  const wanted = envVars(file)
  for (const key of keys) wanted.delete(key)
  const changed = without(file, keys)
  return reads(changed, wanted) ? changed : keys.reduce(deleteEnvVar, file)
}

function without(file: EnvFile, keys: readonly string[]): EnvFile {
  const gone = new Set(keys)
  return { lines: file.lines.filter((line) => line.kind !== 'assignment' || !gone.has(line.key)) }
}

/** Whether a file that is written and read again has exactly these. */
function reads(file: EnvFile, wanted: ReadonlyMap<string, string>): boolean {
  const read = envVars(parseEnvFile(writeEnvFile(file)))
  return read.size === wanted.size && [...wanted].every(([name, text]) => read.get(name) === text)
}

/** `__proto__` is a name that no object of ours can hold as one of its own. */
export function isEnvKey(key: string): boolean {
  return key !== '__proto__' && /^[A-Za-z_][A-Za-z0-9_.-]*$/.test(key) && key.length <= 256
}

function textOf(line: Assignment | Other): string {
  return line.kind === 'other' ? line.text : line.before + line.written + line.after
}

function readAssignment(text: string): Assignment | undefined {
  const start = assignmentStart.exec(text)
  if (start === null) return undefined
  const [before, , key = ''] = start
  const rest = text.slice(before.length)
  const read = readQuoted(rest) ?? readPlain(rest, /[ \t]$/.test(before))
  if (read === undefined) return undefined
  const after = afterValue.exec(rest.slice(read.written.length))?.[0]
  return after === undefined ? undefined : { kind: 'assignment', before, key, ...read, after }
}

function readQuoted(text: string): { value: string; written: string } | undefined {
  const mark = text[0]
  if (mark !== "'" && mark !== '"') return undefined
  let end = 1
  while (end < text.length && text[end] !== mark) end += mark === '"' && text[end] === '\\' ? 2 : 1
  if (end >= text.length) return undefined
  const inner = text.slice(1, end)
  return { value: mark === '"' ? unescaped(inner) : inner, written: text.slice(0, end + 1) }
}

/** A `#` begins a comment only behind a blank: `COLOUR=#fff` is a colour, as shells and Docker have it. */
function readPlain(text: string, afterBlank: boolean): { value: string; written: string } | undefined {
  // An opening quote without its end: not ours to guess.
  if (/^['"]/.test(text)) return undefined
  const line = /^[^\r\n]*/.exec(text)?.[0] ?? ''
  const value = line.replace(afterBlank ? /(^|[ \t])#.*$/ : /[ \t]#.*$/, '').trimEnd()
  return { value, written: value }
}

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', '\\': '\\', '"': '"', $: '$', '`': '`' }

function unescaped(text: string): string {
  return text.replace(/\\([\s\S])/g, (whole, letter: string) => escapes[letter] ?? whole)
}

/** The ways to write a value, best first: plain where nobody, a shell included, could misread it; literal; escaped. */
function quotings(value: string): string[] {
  const ways: string[] = []
  if (/^[A-Za-z0-9_.,:/@%+=^?!*-]+$/.test(value)) ways.push(value)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be escaped
  if (!/['\r\u0000-\u0008\u000b-\u001f\u007f]/.test(value)) ways.push(`'${value}'`)
  const escaped = value
    .replace(/[\\"$`]/g, '\\$&')
    .replace(/\n/g, '\\n')
    .replace(/\r/g, '\\r')
  return [...ways, `"${escaped}"`]
}

function lineEnd(file: EnvFile): string {
  return /\r\n/.test(writeEnvFile(file)) ? '\r\n' : '\n'
}
