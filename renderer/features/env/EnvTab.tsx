import { ClipboardPaste, Plus, Scale, SearchX, Variable } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Table } from '../../ui/Table.tsx'
import { useSort } from '../../ui/useSort.ts'
import { Waiting } from '../../ui/Waiting.tsx'
import { Freshness } from '../machine/Freshness.tsx'
import { whyNot } from '../machine/reach.ts'
import tab from '../machine/Tab.module.css'
import { useKnown } from '../machine/useKnown.ts'
import { StateStrip } from '../state/StateStrip.tsx'
import { envColumns } from './columns.tsx'
import { DraftBar } from './DraftBar.tsx'
import { isEmpty, removeKey, undo } from './draft.ts'
import { EditVariable } from './EditVariable.tsx'
import { changeDraft, useDraft } from './env.store.ts'
import { ImportEnv } from './ImportEnv.tsx'
import { compareEnv } from './operations.ts'
import { RevealVariable } from './RevealVariable.tsx'
import { ReviewEnv } from './ReviewEnv.tsx'
import { type Env, type EnvColumn, type EnvRow, envSorts, rowsOf } from './rows.ts'

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
  const { rows, sort, onSort } = useSort<EnvRow, EnvColumn>(found, envSorts)
  const close = () => setOpen({ kind: 'none' })
  const columns = useMemo(
    () =>
      envColumns({
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
        <Waiting
          label={`Reading the variables of ${machine.name}`}
          wayOut={{ title: 'Stop waiting', run: known.giveUp }}
        />
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
