// @ts-check
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { runScript } from './failure.mjs'
import { inRoot, root } from './paths.mjs'

export const licencesFile = inRoot('out', 'licences.json')

/** Where each bundle begins. */
export const entries = [
  inRoot('electron', 'main.ts'),
  inRoot('electron', 'preload.ts'),
  inRoot('renderer', 'main.tsx'),
  inRoot('agent', 'main.ts'),
]

/** Comes with the console without being imported by it. */
const alsoBundled = ['electron', 'node']
/** Of packages without a file of their own: what their licence says, in short, is in their package.json. */
const textNames = /^(licen[cs]e|copying|notice|ofl)([.-].*)?$/i

const imports =
  /^\s*(?:import|export) (?!type )[^'"]*?['"]([^'"]+)['"]|(?:import|new URL)\(\s*['"]([^'"]+)['"]|@import\s+(?:url\()?['"]([^'"]+)['"]/gm

/**
 * What is imported by name on the way from where a bundle begins: everything that can be in it. What is imported for
 * its types alone brings nothing along.
 * @param {readonly string[]} entries
 * @returns {Set<string>}
 */
export function importedPackages(entries) {
  /** @type {Set<string>} */
  const found = new Set()
  const todo = [...entries]
  const seen = new Set(todo)
  for (let file = todo.pop(); file !== undefined; file = todo.pop()) {
    if (!/\.(tsx?|css)$/.test(file) || !existsSync(file)) continue
    for (const [, one, two, three] of readFileSync(file, 'utf8').matchAll(imports)) {
      const imported = one ?? two ?? three ?? ''
      if (imported.startsWith('.')) {
        const next = path.resolve(path.dirname(file), imported)
        if (!seen.has(next)) todo.push(next)
        seen.add(next)
        continue
      }
      const name = imported
        .split('/')
        .slice(0, imported.startsWith('@') ? 2 : 1)
        .join('/')
      if (!imported.startsWith('node:') && !builtinModules.includes(name)) found.add(name)
    }
  }
  return found
}

/** @typedef {{ name: string, version: string, licence: string, text: string }} Licence */

/**
 * A package and all it needs, as they are installed.
 * @param {Iterable<string>} names
 * @param {string} [from]
 * @returns {Licence[]}
 */
export function licencesOf(names, from = root) {
  /** @type {Map<string, Licence>} */
  const found = new Map()
  const todo = [...names].map((name) => ({ name, from }))
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const folder = folderOf(next.name, next.from)
    if (folder === undefined || found.has(folder)) continue
    const about = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
    found.set(folder, {
      name: about.name,
      version: about.version,
      licence: licenceOf(about),
      text: textOf(folder, about),
    })
    for (const needed of Object.keys(about.dependencies ?? {})) todo.push({ name: needed, from: folder })
  }
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name) || a.version.localeCompare(b.version))
}

/** As Node looks for it: in the nearest node_modules upwards. @param {string} name @param {string} from */
function folderOf(name, from) {
  for (let place = from; ; place = path.dirname(place)) {
    const folder = path.join(place, 'node_modules', name)
    if (existsSync(path.join(folder, 'package.json'))) return folder
    if (place === path.dirname(place)) return undefined
  }
}

/** @param {{ license?: unknown, licenses?: { type?: string }[] }} about */
function licenceOf({ license, licenses }) {
  if (typeof license === 'string') return license
  if (license !== null && typeof license === 'object' && 'type' in license) return String(license.type)
  return (Array.isArray(licenses) ? licenses.map(({ type }) => type).join(' or ') : '') || 'not named'
}

/** @param {string} folder @param {{ name: string, author?: unknown, homepage?: string, license?: unknown }} about */
function textOf(folder, about) {
  const texts = readdirSync(folder)
    .filter((name) => textNames.test(name))
    .sort()
    .map((name) => readFileSync(path.join(folder, name), 'utf8').trim())
  if (texts.length > 0) return texts.join('\n\n')
  const author = typeof about.author === 'string' ? about.author : ''
  return `${about.name} comes without a text of its licence. Its package names: ${licenceOf(about)}.${author === '' ? '' : `\nAuthor: ${author}`}${about.homepage === undefined ? '' : `\n${about.homepage}`}`
}

/** Writes what the console shows under About: each package once, each text once. */
export function writeLicences() {
  const packages = licencesOf([...importedPackages(entries), ...alsoBundled])
  const texts = [...new Set(packages.map(({ text }) => text))]
  mkdirSync(path.dirname(licencesFile), { recursive: true })
  const list = packages.map(({ text, ...rest }) => ({ ...rest, text: texts.indexOf(text) }))
  writeFileSync(licencesFile, JSON.stringify({ packages: list, texts }))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await runScript(async () => writeLicences())
