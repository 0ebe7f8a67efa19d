import { z } from 'zod'
import { unfinishedEnrollment } from '../../shared/ipc-power.ts'
import type { Store } from '../store/store.ts'

const installedSchema = z.object({
  platform: z.enum(['linux', 'darwin']),
  hadUser: z.boolean(),
  hadState: z.boolean(),
  // Consoles before 0.1.0 took the whole folder away.
  hadConfig: z.boolean().default(false),
})

/** One that began and has not ended. It is written before the first change on the machine. */
const kept = unfinishedEnrollment.extend({ installed: installedSchema })
export type Unfinished = z.infer<typeof kept>

const unfinishedKey = 'enrolling'
const enrolledKey = (machineId: string) => `enrolled:${machineId}`

/** What this console put onto which machine, and what it has begun. No secret is among it. */
export class EnrollmentBook {
  readonly #settings: Store['settings']

  constructor(settings: Store['settings']) {
    this.#settings = settings
  }

  unfinished(): Unfinished[] {
    const found = z.array(z.unknown()).safeParse(this.#settings.get(unfinishedKey))
    return (found.data ?? []).flatMap((one) => kept.safeParse(one).data ?? [])
  }

  begun(one: Unfinished): void {
    this.#settings.set(unfinishedKey, [...this.#others(one.enrollId), one])
  }

  ended(enrollId: string): void {
    this.#settings.set(unfinishedKey, this.#others(enrollId))
  }

  installedOn(machineId: string): Unfinished['installed'] | undefined {
    return installedSchema.safeParse(this.#settings.get(enrolledKey(machineId))).data
  }

  enrolled(machineId: string, installed: Unfinished['installed']): void {
    this.#settings.set(enrolledKey(machineId), installed)
  }

  forget(machineId: string): void {
    this.#settings.set(enrolledKey(machineId), null)
  }

  #others(enrollId: string): Unfinished[] {
    return this.unfinished().filter((one) => one.enrollId !== enrollId)
  }
}
