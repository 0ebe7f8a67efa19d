import { randomBytes } from 'node:crypto'
import { mkdirSync, statfsSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '../../shared/errors.ts'
import type { Screens } from '../desktop/screens.ts'
import type { Log } from '../log.ts'
import { installCommand } from '../machine/programs.ts'
import { findProgram } from '../processes/find-program.ts'
import { type CaredProcess, spawnCared } from '../processes/spawn-cared.ts'
import { ffmpegArgs, filmBytes } from './ffmpeg.ts'
import { type Note, type Recording, RecordingFiles } from './recording-files.ts'

export interface RecordingLimits {
  maxMegabytes: number
  maxMinutes: number
  maxRecordings: number
}

/** Less than this left on the disk, and the database would be the next to suffer. */
const spareBytes = 64 * 1024 * 1024
/** ffmpeg opens the display and writes its first bytes within this, or says why not. */
const firstBytesMs = 5000
/** How often the disk is looked at while a film grows. */
const diskLookMs = 2000

interface Running {
  note: Note
  ffmpeg: CaredProcess
  /** Why it is being ended; ffmpeg does so by itself when it reaches a limit. */
  reason: string | null
  ended: Promise<void>
  /** Lets the display change its size again: ffmpeg films what it was at the start, and ends when that is gone. */
  letSizeGo: () => void
}

/** Films of the display, one at a time. */
export class RecordingsService {
  readonly files: RecordingFiles
  readonly #screens: Screens
  readonly #options: { dataDir: string; log: Log; limits: RecordingLimits }
  #running: Running | null = null
  #starting = false

  constructor(screens: Screens, options: { dataDir: string; log: Log; limits: RecordingLimits }) {
    this.files = new RecordingFiles(options.dataDir)
    this.#screens = screens
    this.#options = options
    screens.onEnd(() => void this.#end('the browser ended'))
    this.#closeLeftovers()
  }

  async start(fps: number): Promise<Recording> {
    if (this.#running !== null || this.#starting)
      throw new Problem('conflict', 'A recording runs already. Stop it first.')
    this.#screens.require()
    const program = findProgram(['ffmpeg'])
    if (program === undefined) {
      const command = installCommand({ apt: ['ffmpeg'], dnf: ['ffmpeg-free'], apk: ['ffmpeg'] })
      throw new Problem(
        'install-required',
        `Recording needs ffmpeg. ${command === null ? 'Install it.' : `Run: ${command}`}`,
      )
    }
    this.#refuseFull()
    this.#starting = true
    const letSizeGo = this.#screens.holdSize()
    try {
      const { display, resolution } = this.#screens.require()
      const note: Note = {
        id: `${new Date()
          .toISOString()
          .replace(/[^0-9]/g, '')
          .slice(0, 14)}-${randomBytes(4).toString('hex')}`,
        startedAt: new Date().toISOString(),
        endedAt: null,
        fps,
        resolution: `${resolution.width}x${resolution.height}`,
        failed: false,
        endedBy: null,
      }
      storing(() => this.files.write(note))
      const ffmpeg = await spawnCared({
        name: 'ffmpeg',
        program,
        args: ffmpegArgs({ ...note, ...this.#options.limits, display: display.name, film: this.files.film(note.id) }),
        env: { PATH: process.env['PATH'], ...display.env },
        dataDir: this.#options.dataDir,
      })
      const running: Running = { note, ffmpeg, reason: null, ended: Promise.resolve(), letSizeGo }
      running.ended = ffmpeg.exited.then((exit) => this.#ended(running, exit.code))
      this.#running = running
      await this.#firstBytes(running)
      void this.#watchDisk(running)
      return this.files.describe(note, true)
    } catch (error) {
      letSizeGo()
      throw error
    } finally {
      this.#starting = false
    }
  }

  async stop(): Promise<Recording> {
    const running = this.#running
    if (running === null) throw new Problem('conflict', 'No recording runs. Start one first.')
    await this.#end('stopped')
    return this.files.describe(running.note, false)
  }

  list(): Recording[] {
    return this.files.notes().map((note) => this.files.describe(note, note.id === this.#running?.note.id))
  }

  delete(id: string): void {
    if (id === this.#running?.note.id) throw new Problem('conflict', 'This recording still runs. Stop it first.')
    if (!this.files.notes().some((note) => note.id === id))
      throw new Problem('not-found', 'There is no such recording. GET /v1/desktop/recordings has all there are.')
    this.files.delete(id)
  }

  async close(): Promise<void> {
    await this.#end('the agent is stopping')
  }

  /** ffmpeg closes its file when it is asked to end. */
  async #end(reason: string): Promise<void> {
    const running = this.#running
    if (running === null) return
    running.reason ??= reason
    await running.ffmpeg.end()
    await running.ended
  }

  #ended(running: Running, code: number | null): void {
    const { note, ffmpeg } = running
    running.letSizeGo()
    const words = ffmpeg.lastLines()
    const full = /no space left/i.test(words)
    note.endedAt = new Date().toISOString()
    const reason = running.reason ?? (code === 0 && this.#reachedLimit(note) ? 'a limit' : null)
    note.failed = full || reason === null
    note.endedBy = full ? 'the disk is full' : (reason ?? `ffmpeg: ${words || 'it ended by itself'}`)
    try {
      this.files.write(note)
    } catch (error) {
      this.#options.log('warn', 'the note of a recording could not be written', { reason: (error as Error).message })
    }
    if (this.#running === running) this.#running = null
    void ffmpeg.end()
  }

  #reachedLimit(note: Note): boolean {
    const { maxMegabytes, maxMinutes } = this.#options.limits
    const { durationMs, sizeBytes } = this.files.describe(note, false)
    // It ends with the last picture before its time is over.
    return durationMs >= maxMinutes * 60_000 - 1000 / note.fps || sizeBytes >= filmBytes(maxMegabytes)
  }

  async #firstBytes(running: Running): Promise<void> {
    const deadline = Date.now() + firstBytesMs
    while (Date.now() < deadline && this.#running === running) {
      if (this.files.describe(running.note, true).sizeBytes > 0) return
      await sleep(20)
    }
    if (this.#running === running) return
    const { note } = running
    const full = note.endedBy === 'the disk is full'
    this.files.delete(note.id)
    throw new Problem(full ? 'storage-full' : 'conflict', `The recording did not start: ${note.endedBy}`)
  }

  async #watchDisk(running: Running): Promise<void> {
    while (this.#running === running) {
      await sleep(diskLookMs, undefined, { ref: false })
      if (this.#running === running && this.#freeBytes() < spareBytes / 2) await this.#end('the disk is nearly full')
    }
  }

  #refuseFull(): void {
    const { maxRecordings } = this.#options.limits
    if (this.files.notes().length >= maxRecordings)
      throw new Problem('storage-full', `There are ${maxRecordings} recordings, which is the limit. Delete some first.`)
    if (this.#freeBytes() < spareBytes)
      throw new Problem('storage-full', 'There is too little room on the disk to record. Delete something first.')
  }

  #freeBytes(): number {
    const dir = path.dirname(this.files.film('x'))
    storing(() => mkdirSync(dir, { recursive: true, mode: 0o700 }))
    const { bavail, bsize } = statfsSync(dir)
    return bavail * bsize
  }

  /** What an agent that was killed was recording has ended with it, and can be played up to there. */
  #closeLeftovers(): void {
    for (const note of this.files.notes()) {
      if (note.endedAt !== null) continue
      note.endedAt = (this.files.lastWritten(note.id) ?? new Date(note.startedAt)).toISOString()
      note.endedBy = 'the agent ended'
      try {
        this.files.write(note)
      } catch {
        // On a full disk the note stays as it was, and is looked at again at the next start.
      }
    }
  }
}

function storing(work: () => void): void {
  try {
    work()
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error
    throw new Problem('storage-full', 'The disk is full. Delete something first.')
  }
}
