import type { AgentEvent } from '../../shared/contract/index.ts'
import type { TakeoverRequest } from '../../shared/contract/takeover.ts'
import type { Settings } from '../../shared/ipc.ts'
import type { Clock } from '../clock.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Notice } from '../notifications.ts'
import { machinePlace } from '../places.ts'

export interface TakeoverCallsDeps {
  fleet: Pick<Fleet, 'call'>
  settings: () => Pick<Settings, 'operator' | 'takeoverSound'>
  notify: (notice: Notice) => void
  /** Plays the tone, in one window. */
  playTone: () => void
  clock: Clock
}

/** A machine that is slower than this to say what is open is not waited for. */
const askMs = 10_000
/** Several machines that call in the same moment are one tone. */
const quietMs = 1000
/** Of a machine that cannot be asked, what is older than this is taken to be over. */
const staleMs = 5 * 60_000

/** Calls whoever is wanted: everyone for a new request, and the one it is handed on to; never for what is over. */
export class TakeoverCalls {
  readonly #deps: TakeoverCallsDeps
  #playedAt = Number.NEGATIVE_INFINITY

  constructor(deps: TakeoverCallsDeps) {
    this.#deps = deps
  }

  async heard(machine: { id: string; name: string }, event: AgentEvent, ageMs: number): Promise<void> {
    if (event.type !== 'takeover_request') return
    const { change, request } = event
    const { operator } = this.#deps.settings()
    const handedOn = change === 'handed_on' && request.assignedTo === operator
    if (change !== 'raised' && !handedOn) return
    if (!(await this.#isOpen(machine.id, request, ageMs))) return
    this.#call(machine, handedOn ? `Handed on to you: ${request.reason}` : request.reason)
  }

  /** A machine that sends no events was asked, and waits for a person since the last look. */
  found(machine: { id: string; name: string }): void {
    this.#call(machine, 'Its task waits for a person.')
  }

  #call({ id, name }: { id: string; name: string }, text: string): void {
    this.#deps.notify({ machineId: id, machineName: name, place: machinePlace(id), text })
    this.#sound()
  }

  /** An agent tells its old events again after a drop: what became of them since, only it knows. */
  async #isOpen(machineId: string, request: Pick<TakeoverRequest, 'id'>, ageMs: number): Promise<boolean> {
    try {
      const { requests } = await this.#deps.fleet.call(machineId, 'takeover.requests', {}, { timeoutMs: askMs })
      return requests.some(({ id, state }) => id === request.id && state === 'open')
    } catch {
      // Rather called for nothing than not called.
      return ageMs <= staleMs
    }
  }

  #sound(): void {
    const { settings, playTone, clock } = this.#deps
    if (!settings().takeoverSound || clock.now() - this.#playedAt < quietMs) return
    this.#playedAt = clock.now()
    playTone()
  }
}
