import { accessSync, constants, statSync } from 'node:fs'
import path from 'node:path'

/** The full path of the first of `names` that can be run, looked for in `searchPath` as a shell would. */
export function findProgram(names: readonly string[], searchPath = process.env['PATH'] ?? ''): string | undefined {
  for (const name of names) {
    const places = path.isAbsolute(name) ? [name] : searchPath.split(path.delimiter).map((dir) => path.join(dir, name))
    const found = places.find((place) => path.isAbsolute(place) && canRun(place))
    if (found !== undefined) return found
  }
  return undefined
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
