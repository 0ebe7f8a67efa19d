import { unreachable } from '../../shared/client/unreachable.ts'
import type { MachinePower } from '../power/machine-power.ts'
import { type Finding, findOut } from './find-out.ts'
import type { LifecycleRecord } from './lifecycle-record.ts'
import type { MachineConnection } from './machine-connection.ts'
import type { MachineDeps } from './machine-deps.ts'
import type { MachineKnown } from './machine-known.ts'
import { isLost } from './sandbox-watch.ts'
import { classify, type Verdict } from './verification.ts'

export interface ChecksParts {
  lifecycle: LifecycleRecord
  known: MachineKnown
  connection: MachineConnection
  power: () => MachinePower
  /** Ends a check that nobody needs any more. */
  signal: () => AbortSignal
  conclude: (finding: Finding) => void
  changed: () => void
}

/** Finds out how a machine is: one check at a time, with its tries and its patience. What follows from it is another's matter. */
export class Checks {
  readonly #deps: Pick<MachineDeps, 'clock' | 'onVerified'>
  readonly #parts: ChecksParts
  #underWay: Promise<boolean> | undefined
  #patientUntil = 0

  constructor(deps: Pick<MachineDeps, 'clock' | 'onVerified'>, parts: ChecksParts) {
    this.#deps = deps
    this.#parts = parts
  }

  get underWay(): boolean {
    return this.#underWay !== undefined
  }

  /** For so long, silence of a machine that is being started proves nothing. */
  expectBoot(ms: number): void {
    this.#patientUntil = this.#deps.clock.now() + ms
  }

  /** One check at a time: a second caller waits for the first one's result. */
  async run(signal?: AbortSignal): Promise<void> {
    const { lifecycle } = this.#parts
    while (!isLost(lifecycle.current) && !signal?.aborted) {
      this.#underWay ??= this.#check().finally(() => {
        this.#underWay = undefined
      })
      // One that was broken off, because its machine was let go of, has no result to share.
      if (await this.#underWay) return
    }
  }

  /** False when it was broken off. */
  async #check(): Promise<boolean> {
    const { lifecycle, known, power, signal, conclude, changed } = this.#parts
    const finding = await findOut({
      ask: () => this.#ask(),
      power: power(),
      state: () => lifecycle.current.state,
      failed: () => {
        const failures = lifecycle.current.verificationFailures + 1
        lifecycle.note({ verificationFailures: failures }, { save: false })
        return failures
      },
      waiting: (problem, words) => {
        known.connected = false
        known.problem = problem
        known.checking = words
        changed()
      },
      patientUntil: () => this.#patientUntil,
      clock: this.#deps.clock,
      signal: signal(),
    })
    if (finding === undefined) return false
    conclude(finding)
    return true
  }

  async #ask(): Promise<Verdict> {
    const { lifecycle, connection } = this.#parts
    const { tunnel, agentId } = lifecycle.current
    const verdict = await connection.verify(tunnel, agentId).catch((error: unknown) => classify(unreachable(error)))
    this.#deps.onVerified(verdict.kind === 'alive')
    return verdict
  }
}
