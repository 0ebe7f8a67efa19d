import type { AgentEvent } from '../../shared/contract/index.ts'
import type { Leg, LegProgress, Rollout } from '../../shared/domain/rollout.ts'
import { hasEnded, isEnded, isUnderWay } from '../../shared/domain/rollout-states.ts'
import { Problem } from '../../shared/errors.ts'
import { type Clock, isoTime } from '../clock.ts'
import type { Log } from '../log.ts'
import type { RolloutStep } from '../store/rollouts.ts'
import type { Store } from '../store/store.ts'
import { type AskDeps, ask, callOff, check, findOut, type Machines, type Outcome, prove } from './ask-machine.ts'
import { type NewRollout, newRollout } from './new-rollout.ts'
import { apply, nextLegs, type RolloutEvent } from './rollout.ts'

export interface RolloutsDeps {
  machines: Machines
  store: Pick<Store, 'rollouts'>
  clock: Clock
  log: Log
  onChanged: (rollout: Rollout) => void
  onProgress: (progress: LegProgress) => void
  onEnded?: (rollout: Rollout) => void
}

/** A store that could not be written, such as on a full disk, is tried again after this. */
const againMs = 5000

/** Takes rollouts through their steps. Each one is on the disk before it is taken; a start finds them there. */
export class Rollouts {
  readonly #deps: RolloutsDeps
  readonly #open = new Map<number, Rollout>()
  readonly #progress = new Map<string, LegProgress>()
  /** The machines that somebody is busy with in this run. */
  readonly #tasks = new Set<string>()
  readonly #cancelled = new Set<string>()
  /** The ways to call off the next tries of rollouts that could not be stored, one for each. */
  readonly #again = new Map<number, () => void>()
  readonly #life = new AbortController()

  constructor(deps: RolloutsDeps) {
    this.#deps = deps
  }

  /** Takes up what an earlier run left: machines that were under way are looked for, and nothing new is begun. */
  start(): void {
    for (const rollout of this.#deps.store.rollouts.open()) {
      this.#open.set(rollout.id, rollout)
      this.#dispatch(rollout.id, { type: 'restarted' })
      this.#drive(rollout.id)
    }
  }

  /** Lets go of everything; the machines go on with what they were told. */
  stop(): void {
    this.#life.abort()
    for (const stop of this.#again.values()) stop()
    this.#again.clear()
  }

  active(): Rollout[] {
    return [...this.#open.values()]
  }

  progress(): LegProgress[] {
    return [...this.#progress.values()]
  }

  /** One that runs, or one of the past. */
  get(id: number): Rollout {
    const found = this.#open.get(id) ?? this.#deps.store.rollouts.get(id)
    if (found === undefined) throw new Problem('not-found', 'This console knows no such deploy.')
    return found
  }

  begin(wish: Omit<NewRollout, 'at'>): Rollout {
    if (wish.machines.length === 0) throw new Problem('invalid-params', 'Choose at least one machine.')
    this.#refuseBusy(wish.machines.map(({ machineId }) => machineId))
    const rollout = this.#deps.store.rollouts.add(newRollout({ ...wish, at: isoTime(this.#deps.clock) }))
    this.#open.set(rollout.id, rollout)
    this.#deps.onChanged(rollout)
    this.#drive(rollout.id)
    return this.get(rollout.id)
  }

  pause(id: number): Rollout {
    return this.#told(id, { type: 'pause' }, 'It does not run, so it cannot be paused.')
  }

  resume(id: number): Rollout {
    return this.#told(id, { type: 'resume' }, 'It is neither paused nor interrupted.')
  }

  cancel(id: number): Rollout {
    return this.#told(id, { type: 'cancel' }, 'It has ended already.')
  }

  /** Another try for machines that did not succeed; those that were lost are looked for first. */
  retry(id: number, machineIds: readonly string[], force: boolean): Rollout {
    const rollout = this.get(id)
    this.#refuseBusy(machineIds, id)
    this.#open.set(id, rollout)
    try {
      return this.#told(id, { type: 'retry', machineIds, force }, 'None of these machines can be tried again.')
    } finally {
      this.#forgetEnded(id)
    }
  }

  /** News from a machine: how far its deploy is. */
  heard(machineId: string, event: AgentEvent): void {
    if (event.type !== 'deploy_step') return
    for (const rollout of this.#open.values()) {
      const leg = legOf(rollout, machineId)
      if (leg?.state !== 'deploying' || event.deployId <= (leg.baseline ?? 0)) continue
      this.#tell(rollout.id, machineId, event.step, event.message, event.progress)
    }
  }

  #told(id: number, event: RolloutEvent, otherwise: string): Rollout {
    const before = this.get(id)
    if (!this.#open.has(id) || !this.#dispatch(id, event)) throw new Problem('conflict', otherwise)
    this.#drive(id)
    return this.#open.get(id) ?? this.#deps.store.rollouts.get(id) ?? before
  }

  #refuseBusy(machineIds: readonly string[], except?: number): void {
    for (const rollout of this.#open.values()) {
      const leg = rollout.legs.find(({ machineId, state }) => machineIds.includes(machineId) && !isEnded(state))
      if (leg === undefined || rollout.id === except) continue
      throw new Problem(
        'conflict',
        `${leg.name} belongs to the deploy of ${rollout.tag} that has not ended. Wait for it, or cancel it first.`,
        { rolloutId: rollout.id },
      )
    }
  }

  /** Stores what a piece of news makes of a rollout, then tells it; false when it changes nothing. */
  #dispatch(id: number, event: RolloutEvent): boolean {
    const before = this.#open.get(id)
    if (before === undefined) return false
    const at = isoTime(this.#deps.clock)
    const after = apply(before, event, at)
    const story = storyOf(before, after, at)
    if (story.length === 0) return false
    const kept = this.#deps.store.rollouts.save(before, after, story)
    this.#open.set(id, kept)
    for (const { machineId, state } of kept.legs) if (isEnded(state)) this.#progress.delete(keyOf(id, machineId))
    this.#deps.onChanged(kept)
    this.#forgetEnded(id)
    return true
  }

  #forgetEnded(id: number): void {
    const rollout = this.#open.get(id)
    if (rollout === undefined || !hasEnded(rollout.status)) return
    this.#open.delete(id)
    this.#deps.onEnded?.(rollout)
  }

  /** Begins what may be begun, and takes up what is under way and nobody is busy with. */
  #drive(id: number): void {
    if (this.#life.signal.aborted) return
    try {
      for (let next = this.#nextOf(id); next !== undefined; next = this.#nextOf(id)) {
        if (!this.#dispatch(id, { type: 'begin', machineId: next.machineId })) break
      }
    } catch (error) {
      this.#later(id, error)
    }
    const rollout = this.#open.get(id)
    if (rollout === undefined) return
    for (const leg of rollout.legs.filter(({ state }) => isUnderWay(state))) {
      if (rollout.stoppedBy === 'person' && leg.state === 'deploying') void this.#cancelOn(rollout, leg)
      const key = keyOf(id, leg.machineId)
      if (this.#tasks.has(key)) continue
      this.#tasks.add(key)
      void this.#run(id, leg.machineId)
        .finally(() => {
          this.#tasks.delete(key)
          this.#cancelled.delete(key)
        })
        .then(
          () => this.#drive(id),
          // Not at once: what cannot be stored would be asked of the machine without end.
          (error: unknown) => this.#later(id, error),
        )
    }
  }

  #nextOf(id: number): Leg | undefined {
    const rollout = this.#open.get(id)
    return rollout === undefined ? undefined : nextLegs(rollout)[0]
  }

  #later(id: number, error: unknown): void {
    this.#deps.log('error', 'a step of a deploy could not be stored, so it was not taken', { id, error: String(error) })
    if (this.#again.has(id) || this.#life.signal.aborted) return
    const stop = this.#deps.clock.after(againMs, () => {
      this.#again.delete(id)
      this.#drive(id)
    })
    this.#again.set(id, stop)
  }

  /** Takes one machine from where it stands to its end. */
  async #run(id: number, machineId: string): Promise<void> {
    const { signal } = this.#life
    const deps = this.#asking(id, machineId)
    const now = () => {
      const rollout = this.#open.get(id)
      const leg = rollout === undefined ? undefined : legOf(rollout, machineId)
      return rollout === undefined || leg === undefined || signal.aborted ? undefined : { rollout, leg }
    }
    let at = now()
    let mayHaveBeenAsked = true
    if (at?.leg.state === 'checking') {
      const found = await check(deps, at.rollout, at.leg)
      if (now() === undefined) return
      if ('facts' in found) this.#dispatch(id, { type: 'checked', machineId, facts: found.facts })
      else this.#take(id, machineId, found)
      at = now()
      mayHaveBeenAsked = false
    }
    if (at?.leg.state === 'deploying') {
      const outcome = await (mayHaveBeenAsked ? findOut : ask)(deps, at.rollout, at.leg)
      if (outcome === undefined || now() === undefined) return
      this.#take(id, machineId, outcome)
      at = now()
    }
    if (at?.leg.state === 'proving') {
      const outcome = await prove(deps, at.leg)
      if (outcome !== undefined && now() !== undefined) this.#take(id, machineId, outcome)
    }
  }

  #asking(id: number, machineId: string): AskDeps {
    const { machines, clock } = this.#deps
    const tell: AskDeps['tell'] = (step, message, progress) => this.#tell(id, machineId, step, message, progress)
    return { machines, clock, signal: this.#life.signal, tell }
  }

  #take(id: number, machineId: string, outcome: Outcome): void {
    if (outcome.type !== 'ended') this.#dispatch(id, { ...outcome, machineId })
    else this.#dispatch(id, { ...outcome, machineId, detail: outcome.detail === '' ? null : outcome.detail })
  }

  /** Asks the agent to stop and put back; how that ends is heard from the deploy itself. */
  async #cancelOn(rollout: Rollout, leg: Leg): Promise<void> {
    const key = keyOf(rollout.id, leg.machineId)
    if (this.#cancelled.has(key)) return
    this.#cancelled.add(key)
    try {
      await callOff(this.#asking(rollout.id, leg.machineId), rollout, leg)
    } catch (error) {
      // Past the point where it can be: it then ends by itself, one way or the other.
      this.#deps.log('warn', 'a deploy could not be cancelled', { machine: leg.machineId, error: String(error) })
    }
  }

  #tell(rolloutId: number, machineId: string, step: string, message: string, progress: number | null) {
    if (this.#life.signal.aborted) return
    const told: LegProgress = { rolloutId, machineId, step, message, progress }
    this.#progress.set(keyOf(rolloutId, machineId), told)
    this.#deps.onProgress(told)
  }
}

/** What changed, in words for the record. */
function storyOf(before: Rollout, after: Rollout, at: string): RolloutStep[] {
  const story: RolloutStep[] = []
  for (const [place, leg] of after.legs.entries()) {
    if (leg.state === before.legs[place]?.state) continue
    story.push({ at, machineId: leg.machineId, step: leg.state, detail: leg.detail })
  }
  if (after.status !== before.status || after.stoppedBy !== before.stoppedBy) {
    story.push({ at, machineId: null, step: after.status, detail: after.stoppedBy })
  }
  return story
}

function legOf(rollout: Rollout, machineId: string): Leg | undefined {
  return rollout.legs.find((leg) => leg.machineId === machineId)
}

const keyOf = (id: number, machineId: string) => `${id}:${machineId}`
