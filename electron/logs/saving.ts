import { randomUUID } from 'node:crypto'
import fs from 'node:fs/promises'
import { Problem } from '../../shared/errors.ts'
import type { Caller } from '../ipc/dispatch.ts'

interface Saving {
  file: string
  part: string
  handle: fs.FileHandle
  bytes: number
  stopWatching: () => void
}

/** Files that a window writes part by part. Each is complete under its name, or not there. */
export class Savings {
  readonly #chooseFile: (suggested: string) => Promise<string | undefined>
  readonly #open = new Map<string, Saving>()

  constructor(chooseFile: (suggested: string) => Promise<string | undefined>) {
    this.#chooseFile = chooseFile
  }

  async begin(suggested: string, caller: Caller): Promise<string | null> {
    const file = await this.#chooseFile(suggested)
    if (file === undefined) return null
    const saveId = randomUUID()
    const part = `${file}.${saveId.slice(0, 8)}.part`
    const handle = await fs.open(part, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
      throw new Problem(
        'conflict',
        `The file cannot be written there: ${error.code ?? error.message}. Choose another place.`,
      )
    })
    const stopWatching = caller.onGone(() => void this.end(saveId, false).catch(() => {}))
    this.#open.set(saveId, { file, part, handle, bytes: 0, stopWatching })
    return saveId
  }

  async append(saveId: string, text: string): Promise<void> {
    const saving = this.#find(saveId)
    try {
      const { bytesWritten } = await saving.handle.write(text)
      saving.bytes += bytesWritten
    } catch (error) {
      await this.end(saveId, false)
      const code = (error as NodeJS.ErrnoException).code ?? String(error)
      throw new Problem('conflict', `The file could not be written: ${code}. Nothing was saved.`)
    }
  }

  async end(saveId: string, keep: boolean): Promise<{ file: string; bytes: number }> {
    const { file, part, handle, bytes, stopWatching } = this.#find(saveId)
    this.#open.delete(saveId)
    stopWatching()
    await handle.close()
    if (keep) await fs.rename(part, file)
    else await fs.rm(part, { force: true })
    return { file, bytes }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((saveId) => this.end(saveId, false).catch(() => {})))
  }

  #find(saveId: string): Saving {
    const saving = this.#open.get(saveId)
    if (saving === undefined) throw new Problem('not-found', 'That download has ended. Begin it again.')
    return saving
  }
}
