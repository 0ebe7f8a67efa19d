import fs from 'node:fs/promises'
import path from 'node:path'
import SSHConfig, { type Line } from 'ssh-config'
import { Problem } from '../../../shared/errors.ts'

/** One setting, and the conditions (Host and Match lines) under which it holds. */
export interface Directive {
  name: string
  values: string[]
  conditions: readonly Condition[]
}

export type Condition =
  | { kind: 'host'; patterns: string[] }
  /** A criterion that is not understood, or that would run a program, never holds. */
  | { kind: 'match'; criteria: readonly { name: string; patterns: string[]; negated: boolean }[] }

/** As deep as OpenSSH follows an Include. */
const maxDepth = 16

/** All settings of a configuration file and what it includes, in order. A file that is not there has none. */
export async function readConfigFile(file: string, home: string, depth = 0): Promise<Directive[]> {
  if (depth > maxDepth) throw new Problem('tunnel-setup', `${file}: too many Include lines inside each other.`)
  let text: string
  try {
    text = await fs.readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return []
    throw new Problem('tunnel-setup', `${file} cannot be read: ${String(error)}`)
  }
  let lines: readonly Line[]
  try {
    lines = SSHConfig.parse(text)
  } catch (error) {
    throw new Problem('tunnel-setup', `${file} cannot be understood: ${String(error)}. Mend the file.`)
  }
  return flatten(lines, [], { folder: path.dirname(file), home, depth })
}

async function flatten(
  lines: readonly Line[],
  conditions: readonly Condition[],
  place: { folder: string; home: string; depth: number },
): Promise<Directive[]> {
  const found: Directive[] = []
  for (const line of lines) {
    if (!('param' in line)) continue
    const name = line.param.toLowerCase()
    if ('config' in line) {
      const condition: Condition =
        name === 'host' ? { kind: 'host', patterns: valuesOf(line.value) } : matchOf(valuesOf(line.value))
      found.push(...(await flatten(line.config, [...conditions, condition], place)))
    } else if (name === 'include') {
      for (const pattern of valuesOf(line.value)) {
        for (const file of await included(pattern, place.folder, place.home)) {
          const inner = await readConfigFile(file, place.home, place.depth + 1)
          found.push(...inner.map((one) => ({ ...one, conditions: [...conditions, ...one.conditions] })))
        }
      }
    } else found.push({ name, values: valuesOf(line.value), conditions })
  }
  return found
}

function valuesOf(value: string | readonly { val: string }[]): string[] {
  return typeof value === 'string' ? [value] : value.map(({ val }) => val)
}

/** `Match host a,b user c` as its criteria; `all`, `final` and `canonical` take no value. */
function matchOf(words: readonly string[]): Condition {
  const criteria: { name: string; patterns: string[]; negated: boolean }[] = []
  const rest = words.flatMap((word) => word.split(/\s+/)).filter((word) => word !== '')
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? ''
    const [, bang = '', name = '', value] = /^(!?)([^=]+)(?:=(.*))?$/.exec(word) ?? []
    const plain = ['all', 'final', 'canonical'].includes(name.toLowerCase())
    const patterns = plain ? [] : (value ?? rest[++at] ?? '').split(',')
    criteria.push({ name: name.toLowerCase(), patterns, negated: bang !== '' })
  }
  return { kind: 'match', criteria }
}

/** Relative names are in the user's own SSH folder; wildcards come in the order of the alphabet. */
async function included(pattern: string, folder: string, home: string): Promise<string[]> {
  const full = path.resolve(folder, pattern.replace(/^~(?=\/|$)/, home))
  if (!/[*?[]/.test(full)) return [full]
  const files: string[] = []
  for await (const file of fs.glob(full)) files.push(file)
  return files.sort()
}
