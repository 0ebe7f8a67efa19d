import { statSync } from 'node:fs'

/** Whether there is a folder of that name, here and now. */
export function isFolder(name: string): boolean {
  try {
    return statSync(name).isDirectory()
  } catch {
    return false
  }
}
