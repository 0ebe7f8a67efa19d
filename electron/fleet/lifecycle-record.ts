import {
  canBecome,
  type KilledReason,
  type LifecycleState,
  type TransitionCause,
} from '../../shared/domain/lifecycle.ts'
import { type Clock, isoTime } from '../clock.ts'
import type { Log } from '../log.ts'
import type { MachineRecord, Transition } from '../store/machines.ts'
import type { Store } from '../store/store.ts'

export type MachineStore = Pick<Store['machines'], 'save' | 'change' | 'remove'>

export interface LifecycleDeps {
  store: MachineStore
  clock: Clock
  log: Log
  onTransition: (machineId: string, transition: Transition) => void
}

export interface Change {
  to: LifecycleState
  reason: string
  cause?: TransitionCause
  killedReason?: KilledReason
}

/** That a machine is no longer there, and why. */
export interface Ending {
  to: 'killed' | 'expired' | 'terminated'
  reason: string
  killedReason?: KilledReason
}

const dead: Partial<Record<LifecycleState, KilledReason>> = {
  killed: 'not_found',
  expired: 'expired',
  terminated: 'terminated',
}

/** Whether a machine in this state is only ever left by a person who wakes it. */
export function isDead(state: LifecycleState): boolean {
  return state in dead
}

/** A machine's kept record, and the only place where its state changes. */
export class LifecycleRecord {
  readonly #deps: LifecycleDeps
  #record: MachineRecord

  constructor(record: MachineRecord, deps: LifecycleDeps) {
    this.#record = record
    this.#deps = deps
  }

  get current(): Readonly<MachineRecord> {
    return this.#record
  }

  /** Keeps what was learned without touching the state. */
  note(known: Partial<Omit<MachineRecord, 'id' | 'state' | 'stateSince'>>, options: { save: boolean }): void {
    this.#record = { ...this.#record, ...known }
    if (options.save) this.#keep((store) => store.save(this.#record))
  }

  /** Changes the state if the table has that transition; refuses and logs it otherwise. */
  become({ to, reason, cause = 'observed', killedReason }: Change): boolean {
    const { id, state: from } = this.#record
    if (from === to) return true
    if (!canBecome(from, to, cause)) {
      this.#deps.log('warn', 'refused a transition that does not exist', { machine: id, from, to, cause, reason })
      return false
    }
    const at = isoTime(this.#deps.clock)
    const gone = dead[to]
    this.#record = {
      ...this.#record,
      state: to,
      stateSince: at,
      killedAt: gone === undefined ? null : at,
      killedReason: gone === undefined ? null : (killedReason ?? gone),
    }
    const transition = { at, from, to, reason }
    this.#keep((store) => store.change(this.#record, transition))
    this.#deps.log('info', 'state changed', { machine: id, from, to, reason })
    this.#deps.onTransition(id, transition)
    return true
  }

  /** It is no longer there. What ended before stays what it was, with the reason that is known now. */
  end({ to: wanted, reason, killedReason }: Ending): void {
    const { state } = this.#record
    if (isDead(state)) {
      const gone = killedReason ?? (wanted === 'terminated' ? 'manual' : 'not_found')
      return this.note({ killedReason: gone }, { save: true })
    }
    // A machine that never came up, or was lost before, cannot be shut down: it is simply gone.
    const to = canBecome(state, wanted, 'observed') ? wanted : 'killed'
    const why = killedReason ?? (to === 'killed' && wanted === 'terminated' ? 'manual' : undefined)
    this.become({ to, reason, ...(why && { killedReason: why }) })
  }

  /** What is kept is a cache: a full disk costs the next start something, and this run nothing. */
  #keep(write: (store: MachineStore) => void): void {
    try {
      write(this.#deps.store)
    } catch (error) {
      this.#deps.log('error', 'what is known of a machine could not be kept', {
        machine: this.#record.id,
        error: String(error),
      })
    }
  }
}
