import { realpathSync, type Stats } from 'node:fs'
import os from 'node:os'
import { Problem } from '../../shared/errors.ts'

/**
 * Refuses to read what has no end or may never begin: a pipe that nobody writes to holds whoever reads it for ever, and
 * a device gives until the memory is full. The empty device is a usual way to name no file.
 */
export function refuseEndless(file: string, stats: Stats): void {
  if (stats.isFile() || stats.isDirectory() || realpathSync(file) === os.devNull) return
  throw new Problem('conflict', `${file} is not a plain file. Put a plain file there, or set another path.`)
}
