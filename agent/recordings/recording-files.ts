import {
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import type { recording } from '../../shared/contract/desktop.ts'
import { Problem } from '../../shared/errors.ts'

export type Recording = z.infer<typeof recording>

const noteSchema = z.object({
  id: z.string().regex(/^[A-Za-z0-9-]{1,64}$/),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  fps: z.number().int(),
  resolution: z.string(),
  failed: z.boolean(),
  endedBy: z.string().nullable(),
})
/** What is written down beside each file. */
export type Note = z.infer<typeof noteSchema>

/** The folder of recordings: for each a film and a note about it. */
export class RecordingFiles {
  readonly #dir: string

  constructor(dataDir: string) {
    this.#dir = path.join(dataDir, 'recordings')
  }

  film(id: string): string {
    return path.join(this.#dir, `${id}.mp4`)
  }

  /** Opened without following links: a film is a file in this folder, nothing else. */
  open(id: string): { fd: number; size: number; etag: string } {
    try {
      const fd = openSync(this.film(id), constants.O_RDONLY | constants.O_NOFOLLOW)
      const { size, mtimeMs } = statSync(this.film(id))
      return { fd, size, etag: `"${size.toString(16)}-${Math.round(mtimeMs).toString(16)}"` }
    } catch {
      throw new Problem('not-found', 'There is no such recording. GET /v1/desktop/recordings has all there are.')
    }
  }

  write(note: Note): void {
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 })
    const file = path.join(this.#dir, `${note.id}.json`)
    // Whole or not at all: a full disk must not leave half a note.
    writeFileSync(`${file}.new`, JSON.stringify(note), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }

  /** The notes, the newest first. */
  notes(): Note[] {
    let names: string[]
    try {
      names = readdirSync(this.#dir)
    } catch {
      return []
    }
    return names
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => {
        try {
          return [noteSchema.parse(JSON.parse(readFileSync(path.join(this.#dir, name), 'utf8')))]
        } catch {
          return []
        }
      })
      .sort((a, b) => b.startedAt.localeCompare(a.startedAt))
  }

  describe(note: Note, recording: boolean): Recording {
    const { failed, ...rest } = note
    const end = note.endedAt === null ? Date.now() : Date.parse(note.endedAt)
    return {
      ...rest,
      state: recording ? 'recording' : failed ? 'failed' : 'done',
      durationMs: Math.max(0, end - Date.parse(note.startedAt)),
      sizeBytes: this.#size(note.id),
    }
  }

  delete(id: string): void {
    for (const file of [this.film(id), path.join(this.#dir, `${id}.json`), path.join(this.#dir, `${id}.json.new`)])
      rmSync(file, { force: true })
  }

  /** When the film was last written to; undefined when there is none. */
  lastWritten(id: string): Date | undefined {
    return statSync(this.film(id), { throwIfNoEntry: false })?.mtime
  }

  #size(id: string): number {
    return statSync(this.film(id), { throwIfNoEntry: false })?.size ?? 0
  }
}
