import type { CallName, CallParams, CallResult } from '../../shared/contract/index.ts'
import type { Leg, Rollout } from '../../shared/domain/rollout.ts'
import { type Clock, sleep } from '../clock.ts'
import { endOfCall, endOfCheck, endOfRecord, type Facts, factsOf, problemFrom, recordOf } from './agent-answers.ts'
import type { LegEnd } from './rollout.ts'

/** The part of the fleet that a deploy needs. */
export interface Machines {
  has(id: string): boolean
  call<Name extends CallName>(
    id: string,
    name: Name,
    params: CallParams<Name>,
    options?: { timeoutMs?: number; idempotencyKey?: string; signal?: AbortSignal },
  ): Promise<CallResult<Name>>
}

export interface AskDeps {
  machines: Machines
  clock: Clock
  signal: AbortSignal
  tell: (step: string, message: string, progress: number | null) => void
}

export type Outcome =
  | { type: 'deployed'; facts: Facts }
  | { type: 'notBegun' }
  | { type: 'ended'; end: LegEnd; detail: string; facts?: Facts }

const lookMs = 15_000
/** A deploy waits for jobs to end: the agent's own limits are the ones that count. */
const callLimitMs = 6 * 60 * 60_000
/** A machine that is silent for so long in the middle of a deploy is called lost. It is looked for again on request. */
export const lostMs = 10 * 60_000
const proveMs = 60_000
const soonMs = 1000
const laterMs = 4000

/** Looks whether the machine can be deployed to now, and what is deployed there. Changes nothing. */
export async function check(
  { machines, tell }: AskDeps,
  rollout: Rollout,
  leg: Leg,
): Promise<{ facts: Partial<Leg> } | Extract<Outcome, { type: 'ended' }>> {
  tell('check', 'Looking at the machine', null)
  const ended = (end: LegEnd, detail: string) => ({ type: 'ended' as const, end, detail })
  if (!machines.has(leg.machineId)) return ended('unreachable', 'The machine was removed from this console.')
  const ask = <Name extends CallName>(name: Name, params: CallParams<Name>) =>
    machines.call(leg.machineId, name, params, { timeoutMs: lookMs })
  try {
    const [health, takeover, { deploys }] = await Promise.all([
      ask('machine.health', {}),
      ask('takeover.get', {}),
      ask('deploys.list', { pageSize: 50 }),
    ])
    const { lease } = takeover
    if (lease !== null) {
      const why = `${lease.operator} has control of its browser. Nothing was changed there.`
      return ended('held', why)
    }
    if (health.currentDeploy !== null) {
      const why = `${health.currentDeploy.imageTag} is being deployed there by someone else. Nothing was changed by this deploy.`
      return ended('refused', why)
    }
    const deployed = deploys.find(({ status }) => status === 'completed')
    if (rollout.kind === 'rollback' && deployed?.id !== leg.undoes) {
      const now = deployed === undefined ? 'Nothing is deployed there' : `${deployed.imageTag} was deployed there since`
      return ended('changed', `${now}, so there is nothing of this deploy to take back. Nothing was changed there.`)
    }
    const baseline = Math.max(0, ...deploys.map(({ id }) => id))
    return { facts: { baseline, previousTag: deployed?.imageTag ?? null, previousDigest: deployed?.digest ?? null } }
  } catch (error) {
    const { end, detail } = endOfCheck(problemFrom(error))
    return ended(end, detail)
  }
}

/** Asks the agent to deploy, under a key that it runs once, and finds out how that went. */
export async function ask(deps: AskDeps, rollout: Rollout, leg: Leg): Promise<Outcome | undefined> {
  const options = { timeoutMs: callLimitMs, idempotencyKey: `${rollout.key}:${leg.machineId}:${leg.attempt}` }
  const { machines } = deps
  try {
    if (rollout.kind === 'rollback')
      await machines.call(leg.machineId, 'deploys.rollback', { force: leg.force }, options)
    else await machines.call(leg.machineId, 'deploys.deploy', { image_tag: rollout.tag, force: leg.force }, options)
    // The answer does not carry what a rollback needs to know; the machine's own list does.
    return await findOut(deps, rollout, leg)
  } catch (error) {
    const refusal = endOfCall(problemFrom(error))
    if (refusal.end !== null) return { type: 'ended', ...refusal }
    const found = await findOut(deps, rollout, leg)
    return found?.type === 'notBegun' && refusal.otherwise !== null ? { type: 'ended', ...refusal.otherwise } : found
  }
}

/** What became of a deploy that may have been asked for, from the machine's own record; undefined when told to stop. */
export async function findOut(deps: AskDeps, rollout: Rollout, leg: Leg): Promise<Outcome | undefined> {
  const { machines, clock, signal, tell } = deps
  let heardAt = clock.now()
  let silence = ''
  for (let look = 0; !signal.aborted; look++) {
    if (!machines.has(leg.machineId)) return lost('The machine was removed from this console in the middle of it.')
    try {
      const [{ deploys }, health] = await Promise.all([
        machines.call(leg.machineId, 'deploys.list', { pageSize: 50 }, { timeoutMs: lookMs }),
        machines.call(leg.machineId, 'machine.health', {}, { timeoutMs: lookMs }),
      ])
      const record = recordOf(rollout, leg, deploys)
      const end = record === undefined ? undefined : endOfRecord(record)
      if (record !== undefined && end !== undefined) {
        const facts = factsOf(record)
        return end === 'completed' ? { type: 'deployed', facts } : { type: 'ended', ...end, facts }
      }
      if (record === undefined && health.currentDeploy === null) return { type: 'notBegun' }
      if (look === 0 || silence !== '') tell(record?.step ?? 'check', 'Under way on the machine', null)
      silence = ''
      heardAt = clock.now()
    } catch (error) {
      silence = problemFrom(error).message
      tell('reconnect', silence, null)
      if (clock.now() - heardAt >= lostMs) return lost(silence)
    }
    await sleep(clock, look < 30 ? soonMs : laterMs, signal)
  }
  return undefined

  function lost(why: string): Outcome {
    return { type: 'ended', end: 'lost', detail: `${why} Its agent ends the deploy by itself when it is back.` }
  }
}

/** Tells the agent to stop and put back what was, if it is this deploy that it is busy with and no one else's. */
export async function callOff({ machines, clock, signal }: AskDeps, rollout: Rollout, leg: Leg): Promise<void> {
  for (let look = 0; look < 30 && !signal.aborted; look++) {
    const { deploys } = await machines.call(leg.machineId, 'deploys.list', { pageSize: 50 }, { timeoutMs: lookMs })
    const record = recordOf(rollout, leg, deploys)
    if (record !== undefined && record.finishedAt !== null) return
    if (record !== undefined) {
      await machines.call(leg.machineId, 'deploys.cancel', {}, { timeoutMs: callLimitMs })
      return
    }
    // The agent writes its record a moment after it was asked.
    await sleep(clock, soonMs, signal)
  }
}

/** Whether the machine as a whole is well with what it has now. */
export async function prove({ machines, clock, signal, tell }: AskDeps, leg: Leg): Promise<Outcome | undefined> {
  const until = clock.now() + proveMs
  tell('prove', 'Asking the machine whether it is well', 1)
  let why = ''
  while (!signal.aborted) {
    try {
      if (!machines.has(leg.machineId)) throw new Error('The machine was removed from this console.')
      const health = await machines.call(leg.machineId, 'machine.health', {}, { timeoutMs: lookMs })
      if (health.status !== 'error' && health.currentDeploy === null) {
        return { type: 'ended', end: 'completed', detail: '' }
      }
      why = 'It says that something is wrong: look at its Overview.'
    } catch (error) {
      why = problemFrom(error).message
    }
    if (clock.now() >= until) {
      return { type: 'ended', end: 'unhealthy', detail: `The image was deployed and its services were healthy. ${why}` }
    }
    await sleep(clock, soonMs, signal)
  }
  return undefined
}
