import { ClipboardPaste, Eye, Pencil, Plus, Scale, SearchX, Trash2, Undo2, Variable } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { CallResult } from '../../../shared/contract/index.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { type Column, Table } from '../../ui/Table.tsx'
import { useSort } from '../../ui/useSort.ts'
import { Freshness } from '../machine/Freshness.tsx'
import { whyNot } from '../machine/reach.ts'
import tab from '../machine/Tab.module.css'
import { useKnown } from '../machine/useKnown.ts'
import { StateStrip } from '../state/StateStrip.tsx'
import { diffOf, type EnvDraft, isEmpty, isRedacted, removeKey, undo } from './draft.ts'
import { EditVariable } from './EditVariable.tsx'
import styles from './Env.module.css'
import { changeDraft, dropDraft, useDraft } from './env.store.ts'
import { ImportEnv } from './ImportEnv.tsx'
import { compareEnv } from './operations.ts'
import { RevealVariable } from './RevealVariable.tsx'
import { ReviewEnv } from './ReviewEnv.tsx'

type Env = CallResult<'env.get'>
type Key = 'key' | 'value' | 'fingerprint' | 'tools'

interface Row {
  key: string
  value: string
  sensitive: boolean
  fingerprint: string
  double: boolean
  change: 'added' | 'changed' | 'removed' | null
  /** Shown for a while, after someone asked for it and the machine has written that down. */
  revealed: string | null
}

type Open = { kind: 'none' } | { kind: 'add' | 'import' | 'review' } | { kind: 'edit' | 'reveal'; key: string }

/** The variables beside the services of a machine. Nothing is written before its diff was shown. */
export function EnvTab({ machine }: { machine: MachineView }) {
  const known = useKnown(machine, 'env.get', {})
  const draft = useDraft(machine.id)
  const [query, setQuery] = useState('')
  const [open, setOpen] = useState<Open>({ kind: 'none' })
  const [revealed, setRevealed] = useState<Readonly<Record<string, string>>>({})
  const why = whyNot(machine)
  const env = known.value
  const fromCache = known.from === 'cache'
  const found = useMemo(() => (env === null ? [] : rowsOf(env, draft, revealed, query)), [env, draft, revealed, query])
  const { rows, sort, onSort } = useSort<Row, Key>(found, sorts)
  const close = () => setOpen({ kind: 'none' })
  const columns = useMemo(
    () =>
      columnsOf({
        why,
        fromCache,
        canReveal: env?.revealAllowed === true,
        onEdit: (key) => setOpen({ kind: 'edit', key }),
        onReveal: (key) => setOpen({ kind: 'reveal', key }),
        onRemove: (key) => env !== null && changeDraft(machine.id, (now) => removeKey(now, env, key)),
        onUndo: (key) => changeDraft(machine.id, (now) => undo(now, key)),
      }),
    [why, fromCache, env, machine.id],
  )
  return (
    <div className={tab.tab} data-testid="env-tab">
      <StateStrip machine={machine} />
      <div className={tab.tools}>
        <SearchField
          label="Search variables"
          placeholder="Key or value"
          value={query}
          onChange={setQuery}
          testId="env-search"
        />
        <Button
          icon={<Plus size={15} aria-hidden />}
          disabled={why !== undefined || env === null}
          title={why}
          data-testid="env-add"
          onClick={() => setOpen({ kind: 'add' })}
        >
          Add
        </Button>
        <Button
          icon={<ClipboardPaste size={15} aria-hidden />}
          disabled={why !== undefined || env === null}
          title={why}
          data-testid="env-import"
          onClick={() => setOpen({ kind: 'import' })}
        >
          Import
        </Button>
        <Button
          icon={<Scale size={15} aria-hidden />}
          data-testid="env-compare"
          onClick={() => compareEnv([machine.id])}
        >
          Compare
        </Button>
        <span className={tab.end}>
          <Freshness known={known} why={why} />
        </span>
      </div>
      {known.problem !== null && <ErrorText problem={known.problem} />}
      {known.loading ? (
        <div className={tab.waiting} role="status" aria-label="Reading the variables" />
      ) : (
        <Table
          label={`Variables of ${machine.name}`}
          testId="env-table"
          columns={columns}
          rows={rows}
          rowId={(row) => row.key}
          marked={(row) => row.change !== null}
          sort={sort}
          onSort={onSort}
          onOpen={(row) => why === undefined && row.change !== 'removed' && setOpen({ kind: 'edit', key: row.key })}
          empty={<Nothing env={env} query={query} />}
        />
      )}
      {env !== null && !isEmpty(draft) && (
        <DraftBar draft={draft} env={env} machine={machine} onReview={() => setOpen({ kind: 'review' })} />
      )}
      {fromCache && env !== null && (
        <p className={tab.note}>
          Only the names and fingerprints of variables are kept on this computer, never their values.
        </p>
      )}
      {env !== null && (
        <>
          <EditVariable machine={machine} env={env} draft={draft} editing={open} onClose={close} />
          <ImportEnv
            machine={machine}
            env={env}
            draft={draft}
            open={open.kind === 'import'}
            onClose={close}
            onReview={() => setOpen({ kind: 'review' })}
          />
          <ReviewEnv
            machine={machine}
            env={env}
            draft={draft}
            open={open.kind === 'review' && !isEmpty(draft)}
            onClose={close}
            reload={known.reload}
          />
          <RevealVariable
            machine={machine}
            name={open.kind === 'reveal' ? open.key : null}
            onClose={close}
            onShown={(key, value) => setRevealed((now) => ({ ...now, [key]: value }))}
            onHidden={(key) =>
              setRevealed((now) => Object.fromEntries(Object.entries(now).filter(([name]) => name !== key)))
            }
          />
        </>
      )}
    </div>
  )
}

const sorts: Partial<Record<Key, (row: Row) => string>> = {
  key: (row) => row.key,
  value: (row) => (row.sensitive ? '' : row.value),
  fingerprint: (row) => row.fingerprint,
}

function rowsOf(env: Env, draft: EnvDraft, revealed: Readonly<Record<string, string>>, query: string): Row[] {
  const words = query.trim().toLowerCase()
  const added = Object.keys(draft.set).filter((key) => env.fingerprints[key] === undefined)
  return [...Object.keys(env.vars), ...added]
    .map<Row>((key) => {
      const set = draft.set[key]
      const there = env.fingerprints[key] !== undefined
      return {
        key,
        value: set ?? env.vars[key] ?? '',
        sensitive: isRedacted(env, key),
        fingerprint: env.fingerprints[key] ?? '',
        double: env.duplicateKeys.includes(key),
        change: draft.remove.includes(key) ? 'removed' : set === undefined ? null : there ? 'changed' : 'added',
        revealed: revealed[key] ?? null,
      }
    })
    .filter(
      ({ key, value, sensitive }) =>
        key.toLowerCase().includes(words) || (!sensitive && value.toLowerCase().includes(words)),
    )
}

interface ColumnDeps {
  why: string | undefined
  fromCache: boolean
  canReveal: boolean
  onEdit: (key: string) => void
  onReveal: (key: string) => void
  onRemove: (key: string) => void
  onUndo: (key: string) => void
}

function columnsOf(deps: ColumnDeps): Column<Row, Key>[] {
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
          {row.double && <Badge tone="unknown">stands twice, the last counts</Badge>}
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

function Value({ row, fromCache }: { row: Row; fromCache: boolean }) {
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
    <span className={styles.value} title={row.value}>
      {row.value === '' ? <span className={styles.hidden}>empty</span> : row.value.replaceAll('\n', '⏎')}
    </span>
  )
}

function Nothing({ env, query }: { env: Env | null; query: string }) {
  if (env === null)
    return (
      <EmptyState
        icon={<Variable size={26} aria-hidden />}
        title="Nothing is known of its variables"
        text="This console has not seen them yet. They appear once the machine has answered."
      />
    )
  if (query !== '') return <EmptyState icon={<SearchX size={26} aria-hidden />} title="No variable matches" />
  return (
    <EmptyState
      icon={<Variable size={26} aria-hidden />}
      title="No variables yet"
      text="The services run with an empty env file. Add one, or import a file."
    />
  )
}

function DraftBar({
  draft,
  env,
  machine,
  onReview,
}: {
  draft: EnvDraft
  env: Env
  machine: MachineView
  onReview: () => void
}) {
  const diff = diffOf(draft, env)
  const count = (kind: string) => diff.filter((row) => row.kind === kind).length
  const parts = (['added', 'changed', 'removed'] as const)
    .map((kind) => [count(kind), kind] as const)
    .filter(([number]) => number > 0)
    .map(([number, kind]) => `${number} ${kind}`)
  return (
    <div className={styles.draftBar} role="status" data-testid="env-draft">
      <p>
        Not saved yet: {parts.join(', ') || 'nothing that differs'}.
        {diff.some(({ overtaken }) => overtaken) && ' Someone else has changed some of it meanwhile.'}
      </p>
      <Button variant="ghost" data-testid="env-discard" onClick={() => dropDraft(machine.id)}>
        Discard
      </Button>
      <Button variant="primary" data-testid="env-review" onClick={onReview}>
        Review and save
      </Button>
    </div>
  )
}
