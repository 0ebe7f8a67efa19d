import type { AgentEvent } from '../../shared/contract/index.ts'
import type { PastTakeover } from '../../shared/contract/takeover.ts'
import { Problem } from '../../shared/errors.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Log } from '../log.ts'
import type { OwnTakeover } from '../store/own-takeovers.ts'
import type { Store } from '../store/store.ts'

export interface OwnTakeoversDeps {
  store: Pick<Store, 'ownTakeovers'>
  fleet: Pick<Fleet, 'call' | 'has' | 'machine'>
  operator: () => string
  log: Log
}

const askMs = 10_000
/** What a machine is asked for, and what of all of them is shown. */
const asked = 50
const shown = 200

/** This operator's own history: kept here as it happens, so that it does not go with the machine it happened on. */
export class OwnTakeovers {
  readonly #deps: OwnTakeoversDeps

  constructor(deps: OwnTakeoversDeps) {
    this.#deps = deps
  }

  list(): OwnTakeover[] {
    return this.#deps.store.ownTakeovers.last(this.#deps.operator(), shown)
  }

  heard(machineId: string, event: AgentEvent): void {
    if (event.type !== 'human_takeover' || event.change !== 'ended' || event.operator !== this.#deps.operator()) return
    const { takeoverId, heldMs = null, outcome, note, handedBackTo, time, ...rest } = event
    // An older agent does not say which one it is.
    if (takeoverId === undefined) return void this.ask(machineId)
    const words = { outcome: outcome ?? '', note: note ?? '', handedBackTo: handedBackTo ?? 'none' }
    this.told(machineId, [{ ...rest, ...words, id: takeoverId, time, heldMs }])
  }

  /** Asks the machine for what it has; what cannot be had now is told at the next look. */
  async ask(machineId: string): Promise<void> {
    const { fleet, operator, log } = this.#deps
    try {
      const params = { operator: operator(), limit: asked }
      const { takeovers } = await fleet.call(machineId, 'takeover.history', params, { timeoutMs: askMs })
      this.told(machineId, takeovers)
    } catch (error) {
      const { code, message } = Problem.from(error)
      log('info', 'a machine did not tell its takeovers', { machine: machineId, code, message })
    }
  }

  /** What a machine says was taken over there, by whomever. */
  told(machineId: string, takeovers: readonly PastTakeover[]): void {
    const { fleet, store, operator, log } = this.#deps
    if (!fleet.has(machineId)) return
    const { agentId, name } = fleet.machine(machineId).record
    const own = takeovers.filter((one) => one.operator === operator() && !Number.isNaN(Date.parse(one.time)))
    if (agentId === null || own.length === 0) return
    try {
      store.ownTakeovers.save({ agentId, machineId, machineName: name }, own.map(bounded))
    } catch (error) {
      log('error', 'a takeover could not be kept', { machine: machineId, error: String(error) })
    }
  }

  /** Its takeovers stay, under the name it had last. */
  removed(machineId: string, name: string): void {
    this.#deps.store.ownTakeovers.rename(machineId, name)
  }
}

/** A machine's words, no longer than our own agents let anyone write them. */
function bounded(one: PastTakeover): PastTakeover {
  return {
    ...{ id: one.id, operator: one.operator, time: new Date(one.time).toISOString() },
    requestId: one.requestId?.slice(0, 100) ?? null,
    outcome: one.outcome.slice(0, 64),
    note: one.note.slice(0, 2000),
    handedBackTo: one.handedBackTo.slice(0, 64),
    ...{ heldMs: one.heldMs, requestToAcceptedMs: one.requestToAcceptedMs },
    ...{ acceptedToControlMs: one.acceptedToControlMs, handBackToActingMs: one.handBackToActingMs },
  }
}
