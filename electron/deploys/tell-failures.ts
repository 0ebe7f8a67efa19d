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

/** Says which machines did not get their image, each once: what an agent has said itself is not said again. */
export class TellFailures {
  readonly #clock: Clock
  readonly #notify: (notice: Notice) => void
  /** The newest deploy of each machine whose failure its agent has told. */
  readonly #heard = new Map<string, number>()
  readonly #waiting = new Set<() => void>()

  constructor(clock: Clock, notify: (notice: Notice) => void) {
    this.#clock = clock
    this.#notify = notify
  }

  heard(machineId: string, event: AgentEvent): void {
    if (event.type !== 'deploy_finished' || (event.status !== 'failed' && event.status !== 'rolled_back')) return
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
    const cancel = this.#clock.after(eventMs, () => {
      this.#waiting.delete(cancel)
      const known = this.#heard.get(leg.machineId)
      if (known === undefined || known <= (leg.baseline ?? 0)) this.#tell(rollout, leg)
    })
    this.#waiting.add(cancel)
  }

  #tell({ tag }: Rollout, { machineId, name, state, detail }: Leg): void {
    const text = `${tag}: ${detail ?? state}`
    this.#notify({ machineId, machineName: name, text, place: machinePlace(machineId, 'deploys') })
  }
}
