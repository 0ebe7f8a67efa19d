import type { KeptPicture } from '../../shared/ipc-pictures.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Vault } from '../vault/vault.ts'
import { keptMs, PictureFolder } from './picture-folder.ts'
import { PictureKey } from './picture-key.ts'
import { seal, unseal } from './sealed.ts'

/** A page that moves is not written for every movement. */
export const writeEveryMs = 30_000
/** After the start, when the windows have what they asked for. */
const tidyAfterMs = 90_000

export interface LastPicturesDeps {
  folder: string
  vault: Pick<Vault, 'state' | 'get' | 'set' | 'delete'>
  clock: Clock
  log: Log
  has: (machineId: string) => boolean
  machineIds: () => Iterable<string>
}

/** The last picture of each machine, sealed on the disk: what a panel stands over in the next run, and offline. */
export class LastPictures {
  readonly #deps: LastPicturesDeps
  readonly #folder: PictureFolder
  readonly #key: PictureKey
  /** What is newer than the disk. */
  readonly #unwritten = new Map<string, KeptPicture>()
  readonly #writtenAt = new Map<string, number>()
  #cancelWrite: (() => void) | undefined
  #cancelTidy: () => void
  /** One thing at a time: a file is not removed while it is being written. */
  #turn: Promise<unknown> = Promise.resolve()
  #ended = false

  constructor(deps: LastPicturesDeps) {
    this.#deps = deps
    this.#folder = new PictureFolder(deps.folder)
    this.#key = new PictureKey(deps.vault, deps.clock)
    this.#cancelTidy = deps.clock.after(tidyAfterMs, () => void this.#tidy())
  }

  /** Written at once when the last was some time ago, otherwise when it will have been, or when the console ends. */
  keep(machineId: string, { at, jpeg }: KeptPicture): void {
    const picture = { at: Math.min(at, this.#deps.clock.now()), jpeg }
    const other = this.#unwritten.get(machineId)
    // Two windows may show the same machine.
    if (this.#ended || !this.#deps.has(machineId) || (other !== undefined && other.at > picture.at)) return
    this.#unwritten.set(machineId, picture)
    this.#writeDue()
  }

  async last(machineId: string): Promise<KeptPicture | null> {
    const unwritten = this.#unwritten.get(machineId)
    if (unwritten !== undefined) return unwritten
    return this.#inTurn(async () => {
      const file = await this.#folder.read(machineId)
      // Whoever has nothing to open is not asked for the key.
      const key = file === undefined ? undefined : await this.#key.kept()
      const picture = file === undefined || key === undefined ? undefined : unseal(file, machineId, key)
      return picture !== undefined && this.#deps.clock.now() - picture.at <= keptMs ? picture : null
    })
  }

  /** Whether the kept key opens what is kept with it. */
  async opens(): Promise<boolean> {
    return (await this.#key.kept()) !== undefined
  }

  forget(machineId: string): Promise<void> {
    this.#unwritten.delete(machineId)
    this.#writtenAt.delete(machineId)
    return this.#inTurn(() => this.#folder.remove(machineId))
  }

  /** The key goes with them: what a disk does not let go of cannot be read any more. */
  clear(): Promise<void> {
    this.#unwritten.clear()
    this.#writtenAt.clear()
    return this.#inTurn(async () => {
      await this.#folder.removeAll()
      await this.#key.forget()
    })
  }

  size(): Promise<{ rows: number; bytes: number }> {
    return this.#inTurn(() => this.#folder.size())
  }

  /** Takes none any more: everything is being cleared. */
  async clearForGood(): Promise<void> {
    this.#ended = true
    await this.clear()
  }

  /** Writes what has not been written, and takes none any more. */
  async close(): Promise<void> {
    this.#ended = true
    this.#cancelTidy()
    this.#cancelWrite?.()
    await this.#write([...this.#unwritten.keys()])
  }

  #writeDue(): void {
    const now = this.#deps.clock.now()
    const dueAt = (id: string) => (this.#writtenAt.get(id) ?? Number.NEGATIVE_INFINITY) + writeEveryMs
    const waiting = [...this.#unwritten.keys()]
    const due = waiting.filter((id) => dueAt(id) <= now)
    for (const id of due) this.#writtenAt.set(id, now)
    if (due.length > 0) void this.#write(due)
    const later = waiting.filter((id) => !due.includes(id)).map(dueAt)
    if (later.length === 0 || this.#cancelWrite !== undefined) return
    this.#cancelWrite = this.#deps.clock.after(Math.min(...later) - now, () => {
      this.#cancelWrite = undefined
      this.#writeDue()
    })
  }

  #write(machineIds: readonly string[]): Promise<void> {
    if (machineIds.length === 0) return this.#inTurn(async () => {})
    return this.#inTurn(async () => {
      try {
        const found = await this.#key.keptOrNew()
        // Nobody has the key of what was there before.
        if (found?.isNew === true) await this.#folder.removeAll()
        for (const id of machineIds) {
          const picture = this.#unwritten.get(id)
          if (picture === undefined) continue
          if (found !== undefined && this.#deps.has(id)) await this.#folder.write(id, seal(picture, id, found.key))
          if (this.#unwritten.get(id) === picture) this.#unwritten.delete(id)
        }
        if (found !== undefined) await this.#folder.tidy(this.#deps.machineIds(), this.#deps.clock.now())
      } catch (error) {
        for (const id of machineIds) this.#unwritten.delete(id)
        this.#deps.log('warn', 'the last pictures could not be kept', { error: String(error) })
      }
    })
  }

  async #tidy(): Promise<void> {
    const { machineIds, clock, log } = this.#deps
    await this.#inTurn(() => this.#folder.tidy(machineIds(), clock.now())).catch((error: unknown) =>
      log('warn', 'the last pictures could not be tidied', { error: String(error) }),
    )
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const next = this.#turn.then(work)
    this.#turn = next.catch(() => {})
    return next
  }
}
