import type { AuditCursor, auditCalls, MergedEntry } from '../../shared/ipc-audit.ts'
import type { AgentAudits } from '../fleet/agent-audits.ts'
import { exportMerged } from '../store/export-audit.ts'
import type { Store } from '../store/store.ts'
import type { IpcHandlers } from './dispatch.ts'

export interface AuditHandlerDeps {
  store: Store
  agentAudits: AgentAudits
  chooseFile: (suggested: string) => Promise<string | undefined>
}

/** Everyone's audit. */
export function auditHandlers(deps: AuditHandlerDeps): Pick<IpcHandlers, keyof typeof auditCalls> {
  const { store, agentAudits } = deps
  const exports = new Set<AbortController>()
  return {
    'audit.query': ({ filter, before, limit }) => agentAudits.query(filter, before, limit),
    'audit.refresh': ({ most }) => agentAudits.refresh(most),
    'audit.sources': () => ({ sources: agentAudits.sources(), ...store.agentAudit.words() }),
    'audit.exportMerged': async ({ format, filter }) => {
      const file = await deps.chooseFile(`pilothouse-audit.${format}`)
      if (file === undefined) return { file: null, entries: 0, missing: [], stopped: false }
      const missing = new Set<string>()
      const stop = new AbortController()
      exports.add(stop)
      async function* pages(): AsyncGenerator<readonly MergedEntry[]> {
        let before: AuditCursor | undefined
        while (!stop.signal.aborted) {
          const page = await agentAudits.query(filter, before, 500)
          for (const source of page.missing) missing.add(source)
          yield page.entries
          if (page.next === null) return
          before = page.next
        }
      }
      try {
        const entries = await exportMerged(file, format, pages())
        return { file, entries, missing: [...missing], stopped: stop.signal.aborted }
      } finally {
        exports.delete(stop)
      }
    },
    'audit.stopExport': () => {
      for (const one of exports) one.abort()
      return null
    },
  }
}
