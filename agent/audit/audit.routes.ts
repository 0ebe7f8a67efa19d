import type { Handlers } from '../server/handlers.ts'
import type { AuditLog } from './audit.service.ts'

export function auditRoutes(audit: AuditLog): Pick<Handlers, 'audit.list' | 'audit.verify' | 'audit.echo'> {
  return {
    'audit.list': (params) => ({ ...audit.list(params), page: params.page, pageSize: params.pageSize }),
    'audit.verify': () => audit.verify(),
    // What the console says stands in the intent of this very call, and so in the chain.
    'audit.echo': ({ consoleId, seen }) => ({
      entries: audit.size,
      head: audit.head,
      hashThen: audit.hashAt(seen),
      consoleThen: audit.echoBefore(consoleId),
    }),
  }
}
