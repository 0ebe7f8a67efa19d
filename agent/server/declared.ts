import type { CallDefinition, SocketDefinition } from '../../shared/contract/define.ts'
import type { Problem, ProblemCode } from '../../shared/errors.ts'
import type { ServerParts } from './parts.ts'

/** What a handler of anything may end with. */
const anyHandler = new Set<ProblemCode>(['invalid-params', 'internal', 'stopping', 'cancelled'])

/** What a call or an upgrade can end with is in the contract; what is not is a mistake of ours, and is written down as one. */
export function checkDeclared(
  { log }: Pick<ServerParts, 'log'>,
  { name, problems }: Pick<CallDefinition | SocketDefinition, 'name' | 'problems'>,
  { code }: Problem,
): void {
  if (anyHandler.has(code) || problems.includes(code)) return
  log('error', 'a problem that the contract does not name', { call: name, code })
}
