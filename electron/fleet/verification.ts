import type { AgentClient } from '../../shared/client/client.ts'
import { unreachable } from '../../shared/client/unreachable.ts'
import type { CallResult } from '../../shared/contract/index.ts'
import { Problem } from '../../shared/errors.ts'
import type { Ended } from '../providers/provider.ts'

/** What asking a machine "are you there, and are you you?" came to. */
export type Verdict =
  | { kind: 'alive'; status: CallResult<'machine.status'>; roundTripMs: number }
  | { kind: 'gone'; problem: Problem; ended?: Ended | undefined }
  | NotAlive

/** Why it cannot be said: `transient` is worth another try, `configuration` needs a person. */
export interface NotAlive {
  kind: 'transient' | 'configuration' | 'unclear'
  problem: Problem
  /** The agent said how long to wait. */
  retryAfterMs?: number
}

/** Tries after the first failure, as lifecycle.md says: three, after these waits. */
export const retryWaitsMs = [1000, 2000, 4000] as const
/** So many failed calls in a row open the circuit: no call for a while, then one probe. */
export const circuitAfter = 5
export const circuitOpenMs = 30_000
/** A health check proves a machine alive within this, or it failed. */
export const verifyLimitMs = 5000

/** One call that does work and needs the secret, and an identity that matches what was recorded. */
export async function verifyOnce(
  client: Pick<AgentClient, 'call'>,
  recordedId: string | null,
  now: () => number = () => performance.now(),
): Promise<Verdict> {
  const started = now()
  try {
    const status = await client.call('machine.status', {}, { timeoutMs: verifyLimitMs })
    if (recordedId !== null && status.agentId !== recordedId) {
      return {
        kind: 'gone',
        problem: new Problem(
          'not-found',
          'Another agent answers at this address: the machine that was here is gone. Wake it to take the new one as its successor.',
        ),
      }
    }
    return { kind: 'alive', status, roundTripMs: now() - started }
  } catch (error) {
    return classify(unreachable(error))
  }
}

/** Sorts a failed call by what can be done about it. */
export function classify(problem: Problem): NotAlive {
  switch (problem.code) {
    case 'unreachable':
    case 'timeout':
    case 'stopping':
      return { kind: 'transient', problem }
    case 'too-many-requests':
      return { kind: 'transient', problem, ...retryAfter(problem) }
    case 'no-keychain':
    case 'host-key-changed':
    case 'host-key-unknown':
    case 'ssh-auth-failed':
    case 'tunnel-setup':
      return { kind: 'configuration', problem }
    default:
      if (problem.status === 401) {
        return {
          kind: 'configuration',
          problem: new Problem('unauthorized', 'The agent refuses this secret. Fix the credentials of this machine.'),
        }
      }
      if (problem.code === 'forbidden' || problem.status === 403) {
        return { kind: 'configuration', problem: explainRefusal(problem) }
      }
      return { kind: 'unclear', problem }
  }
}

function explainRefusal(problem: Problem): Problem {
  if (problem.code === 'forbidden') return problem
  return new Problem(problem.code, `The agent refuses this console: ${problem.message}`)
}

function retryAfter(problem: Problem): { retryAfterMs?: number } {
  const seconds = problem.extra['retryAfter'] ?? problem.extra['retryAfterSeconds']
  const ms = problem.extra['retryAfterMs'] ?? (typeof seconds === 'number' ? seconds * 1000 : undefined)
  // A minute at most: a compromised agent must not be able to silence its own verification.
  return typeof ms === 'number' && ms >= 0 ? { retryAfterMs: Math.min(ms, 60_000) } : {}
}
