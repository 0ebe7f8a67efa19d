import fs from 'node:fs'
import path from 'node:path'

/**
 * A folder and those above it; `setting` is what chose it. Level by level, because Node's own way never ends where a
 * folder takes no new ones but says that it is not there itself, as those of /proc do.
 */
export function makeFolder(folder: string, mode: number, setting: string): void {
  try {
    make(path.resolve(folder), mode)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`The folder ${folder} cannot be made: ${why}. Set ${setting} to another.`)
  }
}

function make(folder: string, mode: number): void {
  if (fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return
  const above = path.dirname(folder)
  if (above !== folder) make(above, mode)
  try {
    fs.mkdirSync(folder, { mode })
  } catch (error) {
    // Somebody else's, made meanwhile.
    if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}
