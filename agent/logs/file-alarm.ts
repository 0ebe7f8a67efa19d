import { type FSWatcher, watch } from 'node:fs'
import type fs from 'node:fs/promises'
import path from 'node:path'

/** While a file grows it is looked at this often: many lines are read at once, and none waits long. */
const busyMs = 8
/** After so many looks in vain it is watched instead. A watched file that grows would ring for every line. */
const busyLooks = 6
/** Watching can miss what happens on a network file system. */
const lookAnywayMs = 1000
/** Where no watch is to be had. */
const unwatchedMs = 50
/** Enough to see that a file was emptied and written anew: the first line of a log never changes. */
const fingerprintBytes = 96

/** For someone who cannot wait for the next look; there is none where a log comes as it likes. */
export interface Nudge {
  look: (() => void) | undefined
}

/** Says when a file should be looked at again. */
export class FileAlarm {
  readonly #file: string
  readonly #signal: AbortSignal
  #watcher: FSWatcher | undefined
  #looksInVain = 0
  #rung = false
  #ring: () => void = () => {}
  #fingerprint: Buffer | undefined

  constructor(file: string, signal: AbortSignal, nudge?: Nudge) {
    this.#file = file
    this.#signal = signal
    signal.addEventListener('abort', this.#onRing, { once: true })
    if (nudge !== undefined) nudge.look = this.#onRing
  }

  readonly #onRing = () => {
    this.#rung = true
    this.#ring()
  }

  /** `grew`: whether the last look found something. */
  async wait(grew: boolean): Promise<void> {
    this.#looksInVain = grew ? 0 : this.#looksInVain + 1
    if (this.#signal.aborted) return
    if (this.#looksInVain < busyLooks) {
      this.#unwatch()
      return this.#sleep(busyMs)
    }
    // The first time there is one more look, for what came before the watch.
    if (this.#watcher === undefined && this.#watch()) return
    if (!this.#rung) await this.#sleep(this.#watcher === undefined ? unwatchedMs : lookAnywayMs)
    this.#rung = false
  }

  /** What the file began with, when it was emptied since the last look, even if it has grown again since. */
  async emptied(handle: fs.FileHandle, offset: number): Promise<Buffer | undefined> {
    const buffer = Buffer.alloc(fingerprintBytes)
    const { bytesRead } = await handle.read(buffer, 0, fingerprintBytes, 0)
    const before = this.#fingerprint
    const now = buffer.subarray(0, bytesRead)
    this.#fingerprint = now
    if ((await handle.stat()).size < offset) return before ?? Buffer.alloc(0)
    const goesOn = before === undefined || before.length > now.length || now.subarray(0, before.length).equals(before)
    return goesOn ? undefined : before
  }

  /** Another file is looked at from now on. */
  forget(): void {
    this.#fingerprint = undefined
  }

  stop(): void {
    this.#signal.removeEventListener('abort', this.#onRing)
    this.#unwatch()
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#ring = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** The folder is watched, not the file: that goes on when the file is replaced. */
  #watch(): boolean {
    const name = path.basename(this.#file)
    try {
      const watcher = watch(path.dirname(this.#file), { persistent: false }, (_event, changed) => {
        if (changed === null || changed === name) this.#onRing()
      })
      watcher.on('error', () => this.#unwatch())
      this.#watcher = watcher
      this.#rung = false
      return true
    } catch {
      return false
    }
  }

  #unwatch(): void {
    this.#watcher?.close()
    this.#watcher = undefined
  }
}
