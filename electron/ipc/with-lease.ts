import type { CallDefinition, SocketDefinition } from '../../shared/contract/define.ts'
import type { CallName, CallResult } from '../../shared/contract/index.ts'
import { Problem } from '../../shared/errors.ts'

type Params = Record<string, unknown>

/** A window says what it wants; the lease that allows it is added here and never shown to it. */
export function socketWithLease(definition: SocketDefinition, params: Params, leaseId: string | undefined): Params {
  if (!takesLease(definition, params)) return params
  const shape = definition.params.shape
  if ('role' in shape) {
    // The contract's default is the controller; for a window it is whoever only looks.
    const role = params['role'] ?? 'observer'
    return role === 'observer' ? { ...params, role } : { ...params, role, leaseId: required(leaseId) }
  }
  const wantsControl = 'mode' in shape ? params['mode'] === 'control' : leaseId !== undefined
  return wantsControl ? { ...params, leaseId: required(leaseId) } : params
}

/** The same for what a window says on an open stream, such as that its picture is to take keys from now on. */
export function messageWithLease(message: unknown, leaseId: string | undefined): unknown {
  if (typeof message !== 'object' || message === null) return message
  const said = message as Params
  if ('leaseId' in said) throw new Problem('invalid-params', 'A window does not hold leases: leave leaseId out.')
  const asksControl = said['type'] === 'mode' && said['mode'] === 'control'
  return asksControl && leaseId !== undefined ? { ...said, leaseId } : message
}

/**
 * The same for a call. Every call that takes a lease changes the page: a person in a window does that only while
 * they have control, so that nobody disturbs an engine, or another person, unseen.
 */
export function callWithLease(definition: CallDefinition, params: Params, leaseId: string | undefined): Params {
  if (!takesLease(definition, params)) return params
  if (isReading(definition, params)) return params
  return { ...params, leaseId: required(leaseId) }
}

/** Whoever only looks is not shown what a page keeps secret: a cookie's value is somebody's login. */
export function answerWithLease(name: CallName, answer: unknown, leaseId: string | undefined): unknown {
  if (name !== 'cookies.list' || leaseId !== undefined) return answer
  const { cookies } = answer as CallResult<'cookies.list'>
  return { cookies: cookies.map((cookie) => ({ ...cookie, value: '' })) }
}

function takesLease(definition: Pick<CallDefinition, 'params'>, params: Params): boolean {
  if (!('leaseId' in definition.params.shape)) return false
  if ('leaseId' in params) throw new Problem('invalid-params', 'A window does not hold leases: leave leaseId out.')
  return true
}

/** Scraping the page that is there goes nowhere. */
function isReading({ name }: CallDefinition, params: Params): boolean {
  return name === 'browser.scrape' && params['url'] === undefined
}

function required(leaseId: string | undefined): string {
  if (leaseId !== undefined) return leaseId
  throw new Problem('lease-gone', 'You do not have control of this browser. Take over first.')
}
