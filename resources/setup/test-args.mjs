// @ts-check
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { SetupFailure } from './failure.mjs'

export const projects = /** @type {const} */ (['unit', 'integration', 'e2e'])

export const usage = `Usage: npm test [-- [options] [path or name ...]]

  (nothing)          types, lint, build and every test
  path or name       only test files whose path holds it; if there are none, tests whose name holds it
  --project NAME     only this project: ${projects.join(', ')}
  -t NAME            only tests whose name holds it
  --help             this text`

/**
 * @typedef {object} TestPlan
 * @property {boolean} help
 * @property {boolean} everything  no choice was made, so types and lint are checked as well
 * @property {string[]} projects
 * @property {string[]} vitestArgs
 */

/**
 * @param {string[]} args
 * @param {string[]} files  every test file, relative to the top folder
 * @returns {TestPlan}
 */
export function planTests(args, files) {
  /** @type {string[]} */
  const chosen = []
  /** @type {string[]} */
  const words = []
  /** @type {string[]} */
  const names = []
  let help = false
  const rest = [...args]
  const value = (/** @type {string} */ option) => {
    const next = rest.shift()
    if (!next) throw wrong(`${option} needs a value.`)
    return next
  }
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--help' || arg === '-h') help = true
    else if (arg === '--project') chosen.push(value(arg))
    else if (arg.startsWith('--project=')) chosen.push(arg.slice('--project='.length))
    else if (arg === '-t') names.push(value(arg))
    else if (arg.startsWith('-')) throw wrong(`Unknown argument: ${arg}`)
    else words.push(arg.replace(/^\.\//, ''))
  }
  const unknown = chosen.find((name) => !projects.some((project) => project === name))
  if (unknown) throw wrong(`There is no project ${unknown}; there are ${projects.join(', ')}.`)

  const paths = words.filter((word) => files.some((file) => file.includes(word)))
  if (paths.length > 0 && paths.length < words.length) {
    throw wrong(`No test file has ${words.filter((word) => !paths.includes(word)).join(' or ')} in its path.`)
  }
  if (paths.length === 0) names.push(...words)
  const matching = files.filter((file) => paths.some((path) => file.includes(path)))
  return {
    help,
    everything: chosen.length + words.length + names.length === 0,
    projects: projects.filter((project) => {
      if (chosen.length > 0 && !chosen.includes(project)) return false
      return paths.length === 0 || matching.some((file) => projectOf(file) === project)
    }),
    vitestArgs: [...paths, ...(names.length > 0 ? ['-t', names.map(escapePattern).join('|')] : [])],
  }
}

/** @param {string} file @returns {typeof projects[number] | undefined} */
export function projectOf(file) {
  if (/^e2e\/.*\.e2e\.ts$/.test(file)) return 'e2e'
  if (/\.itest\.ts$/.test(file)) return 'integration'
  return /\.test\.tsx?$/.test(file) ? 'unit' : undefined
}

/** Every test file below the folders that have some. @param {string} root */
export function testFiles(root) {
  return ['shared', 'agent', 'electron', 'renderer', 'resources', 'e2e'].flatMap((top) => {
    try {
      return readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
        .map((path) => `${top}/${path}`)
        .filter((path) => projectOf(path) !== undefined)
    } catch {
      return []
    }
  })
}

/** @param {string} text */
const escapePattern = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** @param {string} message */
const wrong = (message) => new SetupFailure(message, { output: usage, exitCode: 2 })
