import type { DeployStep } from '../../shared/contract/deploys.ts'
import { Problem } from '../../shared/errors.ts'
import { Unhealthy } from './await-health.ts'
import type { EndStatus, StoredDeploy } from './deploy-store.ts'
import { sentence } from './fetch-image.ts'

/** Why a deploy stops short without anything being wrong with it. */
export class Cancelled extends Error {}
export class AgentStops extends Error {}
/** An earlier agent ended in the middle. */
export class Interrupted extends Error {
  constructor(step: DeployStep) {
    super(`The agent ended during the step "${step}".`)
  }
}

/** As many of a container's last lines as fit into a sentence that a person reads. */
const saidLines = 10
const saidChars = 2000

/** Why a deploy did not succeed, with the container's own last words where it had some. */
export function describeFailure(why: unknown): string {
  if (why instanceof Unhealthy) {
    const lines = why.lastLines.slice(-saidLines).join('\n').slice(-saidChars)
    return lines === '' ? `${why.message} It wrote nothing.` : `${why.message} Its last lines:\n${lines}\n`
  }
  // Another sentence comes behind it.
  return sentence(why instanceof Error ? why.message : String(why))
}

/** How a deploy that did not succeed is told and recorded, after what was has been put back as far as it could be. */
export function concludeUndo(
  { imageTag, plan }: StoredDeploy,
  why: unknown,
  touched: boolean,
  notes: readonly string[],
): { status: EndStatus; message: string } {
  const refused = why instanceof Problem && why.code === 'timeout'
  const status = why instanceof Cancelled ? 'cancelled' : touched && !refused ? 'rolled_back' : 'failed'
  const reason = why instanceof Cancelled ? `The deploy of ${imageTag} was cancelled.` : describeFailure(why)
  // Behind a container's last lines it begins a line of its own.
  return { status, message: `${reason}${reason.endsWith('\n') ? '' : ' '}${whatRunsNow()}` }

  function whatRunsNow(): string {
    if (notes.length > 0) return notes.join(' ')
    if (!touched) return 'Nothing was changed.'
    const ranBefore = plan.instances.some(({ wasAlive }) => wasAlive)
    return ranBefore ? 'What ran before runs again.' : 'Nothing ran before, and nothing runs now.'
  }
}

/** The answer to whoever asked for the deploy. */
export function failure(why: unknown, detail: string, extra: Record<string, unknown>): Problem {
  if (why instanceof Cancelled) return new Problem('conflict', detail, extra)
  if (why instanceof Problem && ['timeout', 'conflict', 'install-required'].includes(why.code)) {
    return new Problem(why.code, detail, { ...why.extra, ...extra }, { cause: why })
  }
  const lastLines = (why as { lastLines?: unknown } | null)?.lastLines
  const more = lastLines === undefined ? {} : { lastLines }
  return new Problem('deploy-failed', detail, { ...extra, ...more }, { cause: why })
}

export function interrupted(imageTag: string): Problem {
  return new Problem('stopping', `The agent stops. It takes up the deploy of ${imageTag} again when it is back.`)
}

export const finishedLater = 'is deployed; the agent had been restarted in the middle'
