import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { onProcessEnd } from './process-end.ts'

/** A fresh folder, short enough for Unix sockets inside it, and the way to be rid of it; gone at the latest with this process. */
export function freshFolder(name: string): { folder: string; remove: () => void } {
  const folder = mkdtempSync(path.join(os.tmpdir(), `ph-${name}-`))
  const erase = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  const forget = onProcessEnd(erase)
  return {
    folder,
    remove() {
      forget()
      erase()
    },
  }
}
