import { agentAuditTable } from './agent-audit.ts'
import { answersTable } from './answers.ts'
import { auditTable } from './audit.ts'
import { deploysTable } from './deploys.ts'
import { eventsTable } from './events.ts'
import { machinesTable } from './machines.ts'
import { metricsTable } from './metrics.ts'
import { type Connection, type OpenedDatabase, openDatabase } from './open.ts'
import { ownTakeoversTable } from './own-takeovers.ts'
import { rolloutsTable } from './rollouts.ts'
import { seenLogsTable } from './seen-logs.ts'
import { settingsTable } from './settings.ts'

/** A cache plus this operator's own history. Deleting the file costs no machine anything. */
export interface Store {
  readonly machines: ReturnType<typeof machinesTable>
  readonly settings: ReturnType<typeof settingsTable>
  readonly audit: ReturnType<typeof auditTable>
  readonly agentAudit: ReturnType<typeof agentAuditTable>
  readonly metrics: ReturnType<typeof metricsTable>
  readonly events: ReturnType<typeof eventsTable>
  readonly deploys: ReturnType<typeof deploysTable>
  readonly seenLogs: ReturnType<typeof seenLogsTable>
  readonly rollouts: ReturnType<typeof rolloutsTable>
  readonly answers: ReturnType<typeof answersTable>
  readonly ownTakeovers: ReturnType<typeof ownTakeoversTable>
  readonly connection: Connection
  /** For what was promised: on the disk before a write returns. */
  readonly durable: Connection
  readonly setAside: string | undefined
  close(): void
}

export function openStore(file: string, now?: () => Date): Store {
  return storeIn(openDatabase(file, now))
}

/** The store in a database that is open already. */
export function storeIn({ connection, durable, setAside, close }: OpenedDatabase): Store {
  const metrics = metricsTable(connection)
  const events = eventsTable(connection)
  const deploys = deploysTable(durable)
  return {
    machines: machinesTable(connection),
    settings: settingsTable(connection),
    audit: auditTable(durable),
    agentAudit: agentAuditTable(connection),
    events,
    seenLogs: seenLogsTable(connection),
    deploys,
    rollouts: rolloutsTable(durable, deploys),
    answers: answersTable(connection),
    ownTakeovers: ownTakeoversTable(connection),
    metrics,
    connection,
    durable,
    setAside,
    close() {
      metrics.flush()
      events.flush()
      close()
    },
  }
}
