import { Problem } from '../../shared/errors.ts'
import { type KeptCall, keptCalls } from '../../shared/ipc-machine.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Fleet } from './fleet.ts'

export interface GatheringDeps {
  fleet: Pick<Fleet, 'call' | 'has' | 'view'>
  answered: (machineId: string, name: KeptCall, answer: unknown) => void
  /** What else is asked of a machine when it is its turn. */
  alsoAsk?: (machineId: string) => Promise<void>
  clock: Clock
  log: Log
}

/** After a machine has connected, and between two machines: a thousand of them must not be asked in one moment. */
const settleMs = 2000
const betweenMs = 150
/** Enough for what a person looks at offline. */
const pageSize = 100
/** These need Docker; a machine without it is not asked. */
const ofDocker: ReadonlySet<KeptCall> = new Set(['workers.list', 'containers.list'])

/** Asks each machine, once it is there, for what its tabs show, so that it is known when the machine is not. */
export class Gathering {
  readonly #deps: GatheringDeps
  readonly #waiting = new Map<string, Set<KeptCall>>()
  #cancel: (() => void) | undefined
  #stopped = false

  constructor(deps: GatheringDeps) {
    this.#deps = deps
  }

  /** Wants those answers of that machine soon; all of them unless told otherwise. */
  want(machineId: string, calls: readonly KeptCall[] = keptCalls): void {
    const wanted = this.#waiting.get(machineId) ?? new Set()
    for (const call of calls) wanted.add(call)
    this.#waiting.set(machineId, wanted)
    this.#later(settleMs)
  }

  stop(): void {
    this.#stopped = true
    this.#cancel?.()
  }

  #later(ms: number): void {
    if (this.#stopped) return
    this.#cancel ??= this.#deps.clock.after(ms, () => void this.#next())
  }

  async #next(): Promise<void> {
    const [machineId, wanted] = this.#waiting.entries().next().value ?? []
    if (machineId !== undefined && wanted !== undefined) {
      this.#waiting.delete(machineId)
      await this.#ask(machineId, wanted)
    }
    this.#cancel = undefined
    if (this.#waiting.size > 0) this.#later(betweenMs)
  }

  async #ask(machineId: string, wanted: ReadonlySet<KeptCall>): Promise<void> {
    const { fleet, answered, log } = this.#deps
    for (const name of wanted) {
      if (this.#stopped || !fleet.has(machineId)) return
      const { links, capabilities } = fleet.view(machineId)
      if (links.agent.state !== 'up') return
      if (ofDocker.has(name) && capabilities['docker']?.available !== true) continue
      try {
        const params = paramsOf(name)
        answered(machineId, name, await fleet.call(machineId, name, params, { timeoutMs: 15_000 }))
      } catch (error) {
        const { code, message } = Problem.from(error)
        log('info', 'a machine was not asked for everything', { machine: machineId, call: name, code, message })
        if (code === 'unreachable' || code === 'timeout') return
      }
    }
    await this.#deps.alsoAsk?.(machineId)
  }
}

function paramsOf(name: KeptCall): Record<string, number> {
  if (name === 'timeline.list') return { limit: pageSize }
  return name === 'audit.list' || name === 'deploys.list' ? { pageSize } : {}
}
