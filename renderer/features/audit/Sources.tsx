import { ShieldAlert, ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { isUp } from '../../../shared/domain/lifecycle.ts'
import { Age } from '../../ui/Age.tsx'
import { Button } from '../../ui/Button.tsx'
import { Popover } from '../../ui/Popover.tsx'
import { useFleet } from '../fleet/fleet.store.ts'
import styles from './Audit.module.css'
import { type Checked, useAudit, verifySource } from './audit.store.ts'
import { consoleSource, sourceName } from './sources.ts'

/** Where the entries come from: how many are at hand, how old the copy is, and whether each chain holds. */
export function Sources() {
  const [open, setOpen] = useState(false)
  const { sources, verdicts } = useAudit()
  const machines = useFleet((state) => state.machines)
  const warned = sources.filter(({ source }) => machines[source]?.auditWarning != null)
  const broken = Object.values(verdicts).filter((one) => one.state === 'done' && !one.sound).length + warned.length
  return (
    <Popover
      title="Sources"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button
          variant="ghost"
          data-testid="audit-sources"
          icon={broken > 0 ? <ShieldAlert size={15} aria-hidden /> : <ShieldCheck size={15} aria-hidden />}
        >
          {sources.length === 1 ? '1 source' : `${sources.length} sources`}
          {broken > 0 && `, ${broken} broken`}
        </Button>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keyboard */}
      <ul className={styles.sources} tabIndex={0} aria-label="Sources">
        {sources.map(({ source, entries, refreshedAt, complete }) => {
          const machine = machines[source]
          const asks = source === consoleSource || (machine !== undefined && isUp(machine))
          return (
            <li key={source} data-testid="audit-source-row">
              <bdi>{sourceName(source, machines)}</bdi>
              <small>
                {entries} {complete ? 'entries' : 'of its entries at hand'}
                {source !== consoleSource && (
                  <>
                    , asked <Age at={refreshedAt} />
                  </>
                )}
              </small>
              <VerdictText checked={verdicts[source]} warning={machine?.auditWarning ?? null} />
              {asks ? (
                <Button
                  variant="ghost"
                  busy={verdicts[source]?.state === 'checking'}
                  aria-label={`Check the chain of ${sourceName(source, machines)}`}
                  onClick={() => void verifySource(source)}
                >
                  Check
                </Button>
              ) : (
                <small>not reachable</small>
              )}
            </li>
          )
        })}
      </ul>
    </Popover>
  )
}

function VerdictText({ checked, warning }: { checked: Checked | undefined; warning: string | null }) {
  if (warning !== null) return <p className={styles.error}>{warning}</p>
  if (checked?.state === 'failed') return <p className={styles.error}>{checked.problem.detail}</p>
  if (checked?.state !== 'done') return null
  if (checked.sound) return <p className={styles.sound}>Sound: {checked.entries} links</p>
  return <p className={styles.error}>Broken: {checked.broken?.reason ?? 'the chain does not hold'}</p>
}
