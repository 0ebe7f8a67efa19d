import { Problem } from '../../shared/errors.ts'
import type { Operation } from './operation.ts'

/** How Chromium says that the document is not there any more, or not there yet. */
const gone =
  /Cannot find (default )?(execution )?context|context was destroyed|Not attached to an active page|navigated or closed|No frame (for|with) given id|Could not find object with given id/i
const retryMs = 25

/** Whether a command failed because the page was on its way to another document. */
export function isMovingOn(error: unknown): boolean {
  return error instanceof Problem && error.code === 'cdp-error' && gone.test(error.message)
}

export function movingOn(): Problem {
  return new Problem('timeout', 'The page goes from document to document without a rest. Wait, or navigate elsewhere.')
}

/** Does what may be done again, until the page stays long enough for it. */
export async function onceItStays<Result>(operation: Operation, work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isMovingOn(error) || operation.signal.aborted) throw error
      operation.waitingFor(movingOn)
      await operation.pause(retryMs)
    }
  }
}
