import { mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import type { CallResultIn } from '../../shared/contract/index.ts'
import { Problem } from '../../shared/errors.ts'

/** A person picks from them: more is no list to pick from. */
const mostFiles = 200

/** The plain files at the top of the folder, the newest first. */
export function uploadFiles(folder: string): CallResultIn<'browser.uploads'> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const found = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap(({ name }) => {
      const stat = statSync(path.join(folder, name), { throwIfNoEntry: false })
      return stat === undefined ? [] : [{ path: name, sizeBytes: stat.size, modifiedAt: stat.mtime.toISOString() }]
    })
    .sort((a, b) => (a.modifiedAt < b.modifiedAt ? 1 : -1))
  return { folder: realpathSync(folder), files: found.slice(0, mostFiles), more: found.length > mostFiles }
}

/** The real path of a file that may be uploaded: inside the folder, links followed, a plain file. */
export function uploadPath(folder: string, given: string): string {
  if (given.includes('\0')) throw new Problem('forbidden', 'A path has no NUL characters. Give the name of the file.')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const root = realpathSync(folder)
  const asked = path.resolve(root, given)
  // Asked first about the name alone, so that nothing outside can be told to exist or not.
  if (!isInside(root, asked) && !isInside(path.resolve(folder), asked)) throw outside(folder)
  let real: string
  try {
    real = realpathSync(asked)
  } catch {
    throw new Problem('not-found', `There is no such file in ${folder}. Put it there first.`)
  }
  if (!isInside(root, real)) throw outside(folder)
  if (!statSync(real).isFile()) throw new Problem('forbidden', 'That is not a plain file. Give the path of one.')
  return real
}

function isInside(root: string, file: string): boolean {
  const relative = path.relative(root, file)
  return relative !== '' && relative.split(path.sep)[0] !== '..' && !path.isAbsolute(relative)
}

function outside(folder: string): Problem {
  return new Problem('forbidden', `Only files inside ${folder} may be uploaded. Put it there first.`)
}
