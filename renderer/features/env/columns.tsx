import { Eye, Pencil, Trash2, Undo2 } from 'lucide-react'
import { Badge } from '../../ui/Badge.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import type { Column } from '../../ui/Table.tsx'
import tab from '../machine/Tab.module.css'
import styles from './Env.module.css'
import { type EnvColumn, type EnvRow, shortened } from './rows.ts'

interface ColumnDeps {
  why: string | undefined
  fromCache: boolean
  canReveal: boolean
  onEdit: (key: string) => void
  onReveal: (key: string) => void
  onRemove: (key: string) => void
  onUndo: (key: string) => void
}

/** The columns of a machine's variables, with what can be done to each. */
export function envColumns(deps: ColumnDeps): Column<EnvRow, EnvColumn>[] {
  const { why, fromCache, canReveal } = deps
  return [
    {
      key: 'key',
      title: 'Key',
      width: 'minmax(180px, 1fr)',
      mono: true,
      cell: (row) => (
        <>
          {row.key}{' '}
          {row.change !== null && (
            <Badge tone={row.change === 'removed' ? 'broken' : row.change === 'added' ? 'up' : 'engine'}>
              {row.change}
            </Badge>
          )}
          {row.double && (
            <Badge tone="unknown" title="It stands twice in the file: the last one counts.">
              twice
            </Badge>
          )}
        </>
      ),
    },
    {
      key: 'value',
      title: 'Value',
      width: 'minmax(200px, 2fr)',
      cell: (row) => <Value row={row} fromCache={fromCache} />,
    },
    {
      key: 'fingerprint',
      title: 'Fingerprint',
      width: '140px',
      mono: true,
      quiet: true,
      cell: (row) => row.fingerprint,
    },
    {
      key: 'tools',
      title: 'What can be done',
      width: '112px',
      sortable: false,
      cell: (row) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: a press on a tool is not a press on the row
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys are the buttons' own
        <div className={tab.rowTools} onClick={(event) => event.stopPropagation()}>
          {row.sensitive && row.change === null && (
            <IconButton
              label={why ?? (canReveal ? `Reveal ${row.key}` : 'This machine does not reveal values')}
              icon={<Eye size={15} aria-hidden />}
              disabled={why !== undefined || !canReveal}
              data-testid={`env-reveal-${row.key}`}
              onClick={() => deps.onReveal(row.key)}
            />
          )}
          <IconButton
            label={why ?? `Edit ${row.key}`}
            icon={<Pencil size={15} aria-hidden />}
            disabled={why !== undefined}
            data-testid={`env-edit-${row.key}`}
            onClick={() => deps.onEdit(row.key)}
          />
          {row.change === null ? (
            <IconButton
              label={why ?? `Delete ${row.key}`}
              icon={<Trash2 size={15} aria-hidden />}
              disabled={why !== undefined}
              data-testid={`env-delete-${row.key}`}
              onClick={() => deps.onRemove(row.key)}
            />
          ) : (
            <IconButton
              label={`Undo the change of ${row.key}`}
              icon={<Undo2 size={15} aria-hidden />}
              onClick={() => deps.onUndo(row.key)}
            />
          )}
        </div>
      ),
    },
  ]
}

function Value({ row, fromCache }: { row: EnvRow; fromCache: boolean }) {
  if (row.revealed !== null && row.change === null) return <span className={styles.revealed}>{row.revealed}</span>
  if (row.sensitive)
    return (
      <span className={styles.hidden}>
        <span aria-hidden>••••••••</span>
        <span className="visually-hidden">{row.change === null ? 'hidden' : 'a new value, hidden'}</span>
      </span>
    )
  if (fromCache && row.change === null) return <span className={styles.hidden}>not kept here</span>
  return (
    <span className={styles.value} title={shortened(row.value, 2000)}>
      {row.value === '' ? (
        <span className={styles.hidden}>empty</span>
      ) : (
        shortened(row.value, 300).replaceAll('\n', '⏎')
      )}
    </span>
  )
}
