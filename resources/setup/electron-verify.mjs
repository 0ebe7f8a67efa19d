// @ts-check
import { createHash } from 'node:crypto'
import { createReadStream, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** @typedef {Record<string, string>} Manifest  path inside the folder → SHA-256 */

/**
 * Compares a folder with the list of what it must hold. Anything else is a problem: a file that is missing, changed
 * or not on the list, and whatever is not a plain file, for a link could point anywhere.
 * @param {string} folder
 * @param {Manifest} manifest
 * @returns {Promise<string[]>} the problems; none means the folder is exactly as listed
 */
export async function verifyFolder(folder, manifest) {
  const { files, problems } = listFiles(folder)
  for (const path of files) if (!Object.hasOwn(manifest, path)) problems.push(`${path} is not on the list`)
  for (const [path, expected] of Object.entries(manifest)) {
    if (!files.includes(path)) problems.push(`${path} is missing`)
    else if ((await sha256(join(folder, path))) !== expected) problems.push(`${path} was changed`)
  }
  return problems
}

/**
 * Size and times of every file: equal to the snapshot of a verified folder means nobody touched it since.
 * @param {string} folder
 * @returns {string}
 */
export function snapshot(folder) {
  const { files, problems } = listFiles(folder)
  const lines = files.map((path) => {
    // The change time as well: unlike the other, nobody can set it back.
    const { size, mtimeMs, ctimeMs } = lstatSync(join(folder, path))
    return `${path} ${size} ${mtimeMs} ${ctimeMs}`
  })
  return [...problems, ...lines].sort().join('\n')
}

/** @param {string} folder */
function listFiles(folder) {
  /** @type {string[]} */
  const files = []
  /** @type {string[]} */
  const problems = []
  const visit = (/** @type {string} */ below) => {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      const path = below ? `${below}/${entry.name}` : entry.name
      if (entry.isDirectory()) visit(path)
      else if (entry.isFile()) files.push(path)
      else problems.push(`${path} is not a plain file`)
    }
  }
  visit('')
  return { files, problems }
}

/** @param {string} file */
async function sha256(file) {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}
