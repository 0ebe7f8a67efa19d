import type { AgentEvent } from '../../shared/contract/index.ts'
import type { Leg, Rollout } from '../../shared/domain/rollout.ts'
import type { Clock } from '../clock.ts'
import type { Notice } from '../notifications.ts'
import { machinePlace } from '../places.ts'

/** Ends that the console finds out by itself. */
const foundOut: readonly Leg['state'][] = ['unreachable', 'held', 'refused', 'changed', 'lost', 'unhealthy']
/** Ends that an agent reports as well, in better words, if its events reach this console. */
const reported: readonly Leg['state'][] = ['failed', 'broken', 'busy']
/** An agent's event may come a little after its answer. */
const eventMs = 5000

export interface TellFailuresDeps {
  clock: Clock
  notify: (notice: Notice) => void
  /** The ends of deploys that a machine has reported, to earlier runs of this console as well. */
  heardBefore: (machineId: string) => readonly Record<string, unknown>[]
}

/** Says which machines did not get their image, each once: what an agent has said itself is not said again. */
export class TellFailures {
  readonly #deps: TellFailuresDeps
  /** The newest deploy of each machine whose failure its agent has told. */
  readonly #heard = new Map<string, number>()
  readonly #waiting = new Set<() => void>()

  constructor(deps: TellFailuresDeps) {
    this.#deps = deps
  }

  heard(machineId: string, event: AgentEvent): void {
    if (event.type !== 'deploy_finished' || !isFailure(event.status)) return
    this.#heard.set(machineId, Math.max(event.deployId, this.#heard.get(machineId) ?? 0))
  }

  ended(rollout: Rollout): void {
    if (rollout.status !== 'failed') return
    for (const leg of rollout.legs) {
      if (foundOut.includes(leg.state)) this.#tell(rollout, leg)
      if (reported.includes(leg.state)) this.#tellUnlessHeard(rollout, leg)
    }
  }

  stop(): void {
    for (const cancel of this.#waiting) cancel()
    this.#waiting.clear()
  }

  #tellUnlessHeard(rollout: Rollout, leg: Leg): void {
    const cancel = this.#deps.clock.after(eventMs, () => {
      this.#waiting.delete(cancel)
      if (!this.#hasHeard(rollout, leg)) this.#tell(rollout, leg)
    })
    this.#waiting.add(cancel)
  }

  #hasHeard({ kind, tag }: Rollout, { machineId, baseline }: Leg): boolean {
    const before = baseline ?? 0
    if ((this.#heard.get(machineId) ?? 0) > before) return true
    return this.#deps
      .heardBefore(machineId)
      .some(
        ({ deployId, imageTag, status }) =>
          Number(deployId) > before && isFailure(status) && (kind === 'rollback' || imageTag === tag),
      )
  }

  #tell({ tag }: Rollout, { machineId, name, state, detail }: Leg): void {
    const text = `${tag}: ${detail ?? state}`
    this.#deps.notify({ machineId, machineName: name, text, place: machinePlace(machineId, 'deploys') })
  }
}

const isFailure = (status: unknown) => status === 'failed' || status === 'rolled_back'
