import type { LifecycleState } from '../../shared/domain/lifecycle.ts'
import { Problem } from '../../shared/errors.ts'
import { type Clock, sleep } from '../clock.ts'
import type { MachinePower, PowerTruth } from '../power/machine-power.ts'
import type { Observation } from '../providers/provider.ts'
import { circuitAfter, type NotAlive, retryWaitsMs, type Verdict } from './verification.ts'

/** What the machine and its provider together say. `quiet`: off as expected, with nobody else to ask. */
export type Finding = Verdict | { kind: 'off'; observation: Observation } | { kind: 'quiet' }

export interface FindOut {
  ask: () => Promise<Verdict>
  power: Pick<MachinePower, 'observe'>
  state: () => LifecycleState
  /** Counts a failed call; says how many there were in a row. */
  failed: () => number
  /** Another try follows. */
  waiting: (problem: Problem, words: string) => void
  /** Until then a machine that is being started may be silent. */
  patientUntil: () => number
  clock: Clock
  signal: AbortSignal
}

/** The provider's word may be this old while the agent is silent. */
const powerFreshMs = 5000
/** Between two looks at a machine that boots. */
const bootLookMs = 2000

/** Asks the agent, and where that is silent the provider, until it is clear. Undefined when it was broken off. */
export async function findOut(options: FindOut): Promise<Finding | undefined> {
  const { ask, power, state, clock, signal } = options
  if (state() === 'paused') {
    const truth = await power.observe(powerFreshMs)
    if (signal.aborted) return undefined
    if (truth.kind === 'off' || truth.kind === 'gone') return truth
  }
  for (let tried = 0; ; tried++) {
    const verdict = await ask()
    if (signal.aborted) return undefined
    if (verdict.kind === 'alive' || verdict.kind === 'gone') return verdict
    let found: NotAlive = verdict
    if (verdict.kind === 'transient') {
      const truth = await power.observe(powerFreshMs)
      if (signal.aborted) return undefined
      if (truth.kind === 'gone') return truth
      if (truth.kind === 'off' && state() !== 'starting') return truth
      found = { ...verdict, problem: explain(verdict.problem, truth) }
      if (['starting', 'paused'].includes(state()) && clock.now() < options.patientUntil()) {
        tried = -1
        options.waiting(found.problem, 'booting')
        await sleep(clock, bootLookMs, signal)
        if (signal.aborted) return undefined
        continue
      }
      if (truth.kind === 'none' && state() === 'paused') return { kind: 'quiet' }
    }
    const failures = options.failed()
    // With an open circuit there is one probe, without the further tries.
    const wait = failures >= circuitAfter ? undefined : retryWaitsMs[tried]
    if (found.kind !== 'transient' || wait === undefined) return found
    options.waiting(found.problem, `no answer, try ${tried + 2} of ${retryWaitsMs.length + 1}`)
    await sleep(clock, found.retryAfterMs ?? wait, signal)
    if (signal.aborted) return undefined
  }
}

/** Which link is broken: a silent agent on an instance that runs is not the same as a silent AWS. */
function explain(problem: Problem, truth: PowerTruth): Problem {
  const words =
    truth.kind === 'on'
      ? `EC2 says that the instance ${truth.observation.state === 'starting' ? 'is starting' : 'runs'}, but its agent does not answer: ${problem.message}`
      : truth.kind === 'unknown'
        ? `${problem.message} EC2 could not be asked either: ${truth.problem.message}`
        : undefined
  if (words === undefined) return problem
  return new Problem(problem.code, words, problem.extra, { cause: problem.cause })
}
