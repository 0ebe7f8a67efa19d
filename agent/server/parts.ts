import type { AuditLog } from '../audit/audit.service.ts'
import type { Log } from '../log.ts'
import type { Addressed } from './guard.ts'
import type { Handlers, SocketHandlers } from './handlers.ts'
import type { Once } from './once.ts'
import type { SecretChecker } from './secrets.ts'
import type { Throttle } from './throttle.ts'
import type { Tickets } from './tickets.ts'

/** What the server counts for OpenMetrics. */
export interface Counters {
  requests: number
  problems: number
  unauthorized: number
  socketsOpened: number
  socketsOpen: number
}

export function createCounters(): Counters {
  return { requests: 0, problems: 0, unauthorized: 0, socketsOpened: 0, socketsOpen: 0 }
}

/** What requests and upgrades are answered with. */
export interface ServerParts {
  guard: (request: Addressed) => void
  checker: SecretChecker
  throttle: Throttle
  tickets: Tickets
  once: Once
  audit: AuditLog
  handlers: Handlers
  sockets: SocketHandlers
  counters: Counters
  stopping: () => boolean
  log: Log
}
