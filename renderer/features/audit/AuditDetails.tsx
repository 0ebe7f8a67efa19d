import { X } from 'lucide-react'
import type { MergedEntry } from '../../../shared/ipc-audit.ts'
import { go } from '../../app/route.ts'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { useMachine } from '../fleet/fleet.store.ts'
import styles from './Audit.module.css'
import { useAudit } from './audit.store.ts'

/** One entry, with everything that was recorded. */
export function AuditDetails({ entry }: { entry: MergedEntry }) {
  const machine = useMachine(entry.machineId)
  const close = () => {
    useAudit.setState({ open: null })
    document.querySelector<HTMLElement>('[data-testid="audit-table"]')?.focus()
  }
  return (
    <aside className={styles.details} aria-label="Entry" data-testid="audit-details">
      <header>
        <h2>{entry.action}</h2>
        <CopyButton text={JSON.stringify(entry, null, 2)} label="Copy the entry" />
        <IconButton label="Close" icon={<X size={15} aria-hidden />} onClick={close} />
      </header>
      {machine !== undefined && (
        <Button onClick={() => go({ screen: 'machine', machineId: machine.id, tab: 'overview' })}>
          Open {machine.name}
        </Button>
      )}
      {entry.errorMessage !== null && <p className={styles.error}>{entry.errorMessage}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keyboard */}
      <pre tabIndex={0}>{JSON.stringify(entry, null, 2)}</pre>
    </aside>
  )
}
