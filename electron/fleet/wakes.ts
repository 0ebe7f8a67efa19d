import type { MachineView } from '../../shared/domain/machine.ts'
import { Problem } from '../../shared/errors.ts'
import type { Clock } from '../clock.ts'
import type { Machine } from './machine.ts'
import { type WakeStep, wakeMachine } from './wake.ts'

export interface WakesDeps {
  clock: Clock
  onWakeStep?: (machineId: string, step: WakeStep, detail: string) => void
}

/** The machines that people wake just now: each once, with its steps told, until it runs or nobody waits for it. */
export class Wakes {
  readonly #deps: WakesDeps
  readonly #waking = new Map<string, { abort: AbortController; since: string; step: WakeStep }>()

  constructor(deps: WakesDeps) {
    this.#deps = deps
  }

  async wake(machine: Machine): Promise<MachineView> {
    const { id, name } = machine.record
    if (this.#waking.has(id)) throw new Problem('conflict', `${name} is being woken already.`)
    const waking = { abort: new AbortController(), since: new Date().toISOString(), step: 'switch-on' as WakeStep }
    this.#waking.set(id, waking)
    const tell = (step: WakeStep, detail = '') => {
      waking.step = step
      this.#deps.onWakeStep?.(id, step, detail)
    }
    try {
      await wakeMachine(machine, this.#deps.clock, { signal: waking.abort.signal, onStep: tell })
      if (machine.record.state !== 'running') throw problemOf(machine)
      tell('done')
      return machine.view()
    } catch (error) {
      tell('failed', Problem.from(error).message)
      throw error
    } finally {
      this.#waking.delete(id)
    }
  }

  /** For windows that were not there when it began. */
  get active(): { machineId: string; since: string; step: WakeStep }[] {
    return [...this.#waking].map(([machineId, { since, step }]) => ({ machineId, since, step }))
  }

  /** Nobody waits for it any more. What was switched on stays on, and is followed as any machine is. */
  cancel(machine: Machine): void {
    const waking = this.#waking.get(machine.record.id)
    if (waking === undefined) return
    waking.abort.abort()
    machine.stop()
    machine.keep()
  }
}

/** Why it is not running, for whoever wanted it to. */
export function problemOf(machine: Machine): Problem {
  const problem = machine.view().problem
  return new Problem('unreachable', problem?.detail ?? 'The machine could not be verified.', {
    reason: problem?.code ?? 'unknown',
  })
}
