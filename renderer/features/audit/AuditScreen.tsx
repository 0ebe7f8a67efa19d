import { Download, ShieldCheck } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import type { IpcResult } from '../../../shared/ipc.ts'
import { call, problemOf } from '../../app/bridge.ts'
import { useBusy, work } from '../../app/work.ts'
import { Age } from '../../ui/Age.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorText, type ShownProblem } from '../../ui/ErrorText.tsx'
import { toast } from '../../ui/Toast.tsx'
import { useFleet } from '../fleet/fleet.store.ts'
import styles from './Audit.module.css'

type Entry = IpcResult<'audit.console'>['entries'][number]
const pageSize = 100

/** What was done from this console: each entry is written before its act, and chained. */
export function AuditScreen() {
  const [entries, setEntries] = useState<readonly Entry[] | null>(null)
  const [more, setMore] = useState(false)
  const [problem, setProblem] = useState<ShownProblem | null>(null)
  const names = useFleet((state) => state.machines)
  const load = useCallback(async (before?: number) => {
    try {
      const page = await call('audit.console', { limit: pageSize, ...(before === undefined ? {} : { before }) })
      setEntries((known) => (before === undefined ? page.entries : [...(known ?? []), ...page.entries]))
      setMore(page.entries.length === pageSize)
    } catch (error) {
      setProblem(problemOf(error))
    }
  }, [])
  useEffect(() => void load(), [load])
  if (problem !== null) return <ErrorText problem={problem} />
  if (entries === null) return <div role="status" aria-label="Reading the audit" />
  return (
    <div className={styles.screen} data-testid="audit">
      <Tools />
      {entries.length === 0 && (
        <EmptyState title="Nothing yet" text="Everything that is changed from here will stand here." />
      )}
      <table className={styles.table}>
        <thead>
          <tr>
            <th>When</th>
            <th>Who</th>
            <th>What</th>
            <th>Machine</th>
            <th>Result</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.id}>
              <td title={entry.createdAt}>
                <Age at={entry.createdAt} />
              </td>
              <td>{entry.operator}</td>
              <td title={JSON.stringify(entry.details)}>{entry.action}</td>
              <td>{entry.sandboxId === null ? '—' : (names[entry.sandboxId]?.name ?? entry.sandboxId)}</td>
              <td data-result={entry.result} title={entry.errorMessage ?? undefined}>
                {entry.result}
                {entry.errorMessage !== null && <small> {entry.errorMessage}</small>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {more && <Button onClick={() => void load(entries.at(-1)?.id)}>Show older</Button>}
    </div>
  )
}

function Tools() {
  const checking = useBusy('audit-verify')
  const verify = () =>
    work('audit-verify', 'Checking the chain', async () => {
      const { sound, entries, broken } = await call('audit.verifyConsole', {})
      if (sound)
        toast({ title: 'The chain is sound', detail: `${entries} links, none changed, moved or missing.`, id: 'chain' })
      else toast({ title: 'The chain is broken', detail: broken?.reason ?? '', kind: 'problem', id: 'chain' })
    })
  const save = (format: 'csv' | 'json') =>
    work('audit-export', 'The export', async () => {
      const { file, entries } = await call('audit.export', { format })
      if (file !== null) toast({ title: `${entries} entries exported`, detail: file, id: 'export' })
    })
  return (
    <div className={styles.tools}>
      <Button
        icon={<ShieldCheck size={15} aria-hidden />}
        busy={checking}
        data-testid="audit-verify"
        onClick={() => void verify()}
      >
        Check the chain
      </Button>
      <Button icon={<Download size={15} aria-hidden />} onClick={() => void save('csv')}>
        Export CSV
      </Button>
      <Button icon={<Download size={15} aria-hidden />} onClick={() => void save('json')}>
        Export JSON
      </Button>
    </div>
  )
}
