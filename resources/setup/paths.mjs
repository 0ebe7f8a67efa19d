// @ts-check
import { delimiter, dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The top folder of the project. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/** What set-up fetched or remembers; outside node_modules, so that `npm ci` does not take it away. */
export const runtimeDir = join(root, '.runtime')

/** A path inside the project. @param {string[]} parts */
export const inRoot = (...parts) => join(root, ...parts)

/**
 * PATH without any node_modules/.bin. Under `npm start` those come first, so `npm` would run on the very Node
 * that `npm ci` is about to delete.
 * @param {string} [path]
 */
export function machinePath(path = process.env.PATH ?? '') {
  return path
    .split(delimiter)
    .filter((entry) => !entry.replaceAll('\\', '/').replace(/\/$/, '').endsWith('node_modules/.bin'))
    .filter((entry) => !entry.startsWith(inRoot('node_modules') + sep))
    .join(delimiter)
}
