// @ts-check
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** @param {string} text */
export const hashText = (text) => createHash('sha256').update(text).digest('hex')

/**
 * A hash over path, size and time of every file below the given paths: reads no content, so it stays fast.
 * Paths that do not exist count as absent.
 * @param {string} base
 * @param {string[]} paths  relative to base
 * @param {(path: string) => boolean} [wanted]
 */
export function hashTree(base, paths, wanted = () => true) {
  /** @type {string[]} */
  const lines = []
  const visit = (/** @type {string} */ path) => {
    const found = statSync(join(base, path), { throwIfNoEntry: false })
    if (found?.isDirectory()) {
      for (const name of readdirSync(join(base, path)).sort()) visit(`${path}/${name}`)
    } else if (found?.isFile() && wanted(path)) {
      lines.push(`${path}\t${found.size}\t${found.mtimeMs}`)
    }
  }
  for (const path of [...paths].sort()) visit(path)
  return hashText(lines.join('\n'))
}

/** @param {string} file @param {string} stamp */
export function matchesStamp(file, stamp) {
  try {
    return readFileSync(file, 'utf8').trim() === stamp
  } catch {
    return false
  }
}

/** @param {string} file @param {string} stamp */
export function writeStamp(file, stamp) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${stamp}\n`)
}
