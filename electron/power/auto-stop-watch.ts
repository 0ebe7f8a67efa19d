import type { AgentClient } from '../../shared/client/client.ts'
import { isUp } from '../../shared/domain/lifecycle.ts'
import { Problem } from '../../shared/errors.ts'
import { type Clock, isoTime } from '../clock.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Machine } from '../fleet/machine.ts'
import type { Log } from '../log.ts'
import type { Store } from '../store/store.ts'
import { busyReason, type IdleFacts, keepUpMs } from './auto-stop.ts'

export interface AutoStopDeps {
  fleet: Fleet
  audit: Pick<Store['audit'], 'begin' | 'finish' | 'record'>
  clock: Clock
  log: Log
  onWarning: (warning: { machineId: string; name: string; stopsAt: string; reason: string }) => void
}

/** Minutes count here: a closer look would only keep the machines busy. */
const lookMs = 30_000
/** Who decides when nobody does. */
const decider = 'auto-stop'

/** Looks at every machine that may be stopped when idle, warns, and stops it. Each decision is in the audit. */
export class AutoStopWatch {
  readonly #deps: AutoStopDeps
  #cancel: (() => void) | undefined

  constructor(deps: AutoStopDeps) {
    this.#deps = deps
  }

  start(): void {
    this.#cancel = this.#deps.clock.after(lookMs, () => {
      void this.look().finally(() => {
        if (this.#cancel !== undefined) this.start()
      })
    })
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  async look(): Promise<void> {
    const watched = [...this.#deps.fleet.machines()].filter(
      ({ record, power }) => record.autoStopEnabled && isUp(record) && power.provider?.stop !== undefined,
    )
    await Promise.all(watched.map((machine) => this.#lookAt(machine)))
  }

  /** A person wants it up for another hour. */
  keepUp(machine: Machine): void {
    const keepUpUntil = new Date(this.#deps.clock.now() + keepUpMs).toISOString()
    machine.autoStop.reset()
    machine.configure({ keepUpUntil })
  }

  async #lookAt(machine: Machine): Promise<void> {
    const { id, name, autoStopEnabled, idleMinutes, keepUpUntil } = machine.record
    const facts = await this.#facts(machine)
    // It may have been stopped, or changed, while it was asked.
    if (!isUp(machine.record)) return
    const decision = machine.autoStop.look({
      enabled: autoStopEnabled,
      idleMinutes,
      keepUntil: keepUpUntil === null ? undefined : Date.parse(keepUpUntil),
      busy: busyReason(facts),
      now: this.#deps.clock.now(),
    })
    if (decision.kind === 'warn') {
      const stopsAt = new Date(decision.stopsAt).toISOString()
      this.#deps.audit.record(this.#intent(id, 'auto_stop_warning', { reason: decision.reason, stopsAt }), {
        ...{ result: 'success', errorMessage: null, durationMs: 0 },
      })
      this.#deps.onWarning({ machineId: id, name, stopsAt, reason: decision.reason })
      machine.configure({})
    } else if (decision.kind === 'stop') {
      await this.#stop(machine, decision.reason)
    }
  }

  async #stop(machine: Machine, reason: string): Promise<void> {
    const { id } = machine.record
    const started = this.#deps.clock.now()
    const entry = this.#deps.audit.begin(this.#intent(id, 'stop', { by: decider, reason }))
    const finish = (result: 'success' | 'failure', errorMessage: string | null) =>
      this.#deps.audit.finish(entry, {
        ...{ result, errorMessage, at: isoTime(this.#deps.clock), durationMs: this.#deps.clock.now() - started },
      })
    try {
      await this.#deps.fleet.powerOff(id, `stopped by itself: ${reason}`)
      finish('success', null)
    } catch (error) {
      const problem = Problem.from(error)
      finish('failure', problem.message)
      // Counted anew, so that a machine that cannot be stopped is not asked every half minute.
      machine.autoStop.reset()
      this.#deps.log('warn', 'a machine could not be stopped', { machine: id, problem: problem.toWire() })
    }
  }

  /** Undefined when it cannot be told: a machine is never stopped on a guess. */
  async #facts(machine: Machine): Promise<IdleFacts | undefined> {
    try {
      const client = machine.client()
      const [health, inWorkers, ownJobs] = await Promise.all([
        client.call('machine.health', {}, { timeoutMs: 10_000 }),
        workerJobs(client),
        agentJobs(client),
      ])
      return {
        activeJobs: inWorkers + ownJobs,
        openTerminals: health.openTerminals ?? 0,
        leaseHolder: machine.leaseHolder,
        deploying: health.currentDeploy !== null,
      }
    } catch (error) {
      this.#deps.log('warn', 'whether a machine is idle could not be told', {
        machine: machine.record.id,
        error: String(error),
      })
      return undefined
    }
  }

  #intent(sandboxId: string, action: string, details: Record<string, unknown>) {
    return { sandboxId, operator: decider, action, details, createdAt: isoTime(this.#deps.clock) }
  }
}

/** What the agent itself does: a job application, or one operation of an engine. */
async function agentJobs(client: AgentClient): Promise<number> {
  try {
    const [{ jobs }, engine] = await Promise.all([
      client.call('jobs.list', { limit: 1 }, { timeoutMs: 10_000 }),
      client.call('engine.get', {}, { timeoutMs: 10_000 }),
    ])
    return jobs[0]?.state === 'running' || engine.runId !== null ? 1 : 0
  } catch (error) {
    // An older agent has neither.
    if (error instanceof Problem && error.code === 'not-supported') return 0
    throw error
  }
}

/** A worker that runs but does not say what it does may be in the middle of something. */
async function workerJobs(client: AgentClient): Promise<number> {
  try {
    const workers = await client.call('workers.list', {}, { timeoutMs: 10_000 })
    return workers.reduce((sum, worker) => sum + Math.max(worker.activeJobs, worker.status === 'running' ? 1 : 0), 0)
  } catch (error) {
    // Without Docker there are no workers.
    if (error instanceof Problem && error.code === 'install-required') return 0
    throw error
  }
}
