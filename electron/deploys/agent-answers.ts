import { unreachable } from '../../shared/client/unreachable.ts'
import type { DeployRecord } from '../../shared/contract/deploys.ts'
import type { Leg, Rollout } from '../../shared/domain/rollout.ts'
import type { Problem, ProblemCode } from '../../shared/errors.ts'
import type { LegEnd } from './rollout.ts'

/** What the answers of an agent mean for a rollout. Pure: what is asked, and when, stands elsewhere. */

export type Facts = Pick<Leg, 'agentDeployId' | 'digest' | 'previousTag' | 'previousDigest'>

export interface End {
  end: LegEnd
  detail: string
}

const noAnswer: readonly ProblemCode[] = [
  ...(['unreachable', 'timeout', 'stopping', 'cancelled', 'bad-answer', 'tunnel-setup'] as const),
  ...(['host-key-changed', 'host-key-unknown', 'ssh-auth-failed', 'no-keychain', 'unknown-machine'] as const),
]

/** Whether a machine that could not be looked at is out of reach, or did not want to. */
export function endOfCheck(problem: Problem): End {
  const end = noAnswer.includes(problem.code) ? 'unreachable' : 'refused'
  return { end, detail: `${sentence(problem.message)} Nothing was changed there.` }
}

export type Refusal =
  | End
  /** The agent may or may not have begun: its own list of deploys says so. `otherwise` is the end if it has not. */
  | { end: null; otherwise: End | null }

/** What a deploy that was asked for ended with, when the agent says no or nothing. */
export function endOfCall(problem: Problem): Refusal {
  const { code, message, extra } = problem
  if (extra['deployStatus'] === 'cancelled') return { end: 'cancelled', detail: message }
  if (code === 'deploy-failed') return { end: extra['restored'] === false ? 'broken' : 'failed', detail: message }
  if (code === 'timeout' && extra['workerId'] !== undefined) return { end: 'busy', detail: message }
  if (extra['deployStatus'] !== undefined) return { end: 'failed', detail: message }
  if (noAnswer.includes(code)) return { end: null, otherwise: null }
  const detail = `${sentence(message)} Nothing was changed there.`
  // It was asked under this key before and said no: it must not be asked a second time on a guess.
  if (code === 'conflict' && extra['auditId'] !== undefined) {
    const before = `The agent was asked before, and did not begin (entry ${String(extra['auditId'])} of its audit). Nothing was changed there.`
    return { end: null, otherwise: { end: 'refused', detail: before } }
  }
  if (code === 'internal') return { end: null, otherwise: { end: 'refused', detail } }
  return { end: 'refused', detail }
}

/** The deploy of this leg among the machine's own: the first of its kind after the newest that was there before. */
export function recordOf(rollout: Rollout, leg: Leg, deploys: readonly DeployRecord[]): DeployRecord | undefined {
  return deploys
    .filter(
      ({ id, kind, imageTag }) =>
        id > (leg.baseline ?? 0) && kind === rollout.kind && (kind === 'rollback' || imageTag === rollout.tag),
    )
    .sort((a, b) => a.id - b.id)[0]
}

export function factsOf(record: DeployRecord): Facts {
  const { id, digest, previousTag, previousDigest } = record
  return { agentDeployId: id, digest, previousTag, previousDigest }
}

/** How a deploy that the agent has ended came out; undefined while it runs. */
export function endOfRecord(record: DeployRecord): 'completed' | End | undefined {
  if (record.finishedAt === null) return undefined
  const detail = record.errorMessage ?? 'The agent does not say why.'
  if (record.status === 'completed') return 'completed'
  return { end: record.status === 'cancelled' ? 'cancelled' : 'failed', detail }
}

export function problemFrom(error: unknown): Problem {
  return unreachable(error)
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
