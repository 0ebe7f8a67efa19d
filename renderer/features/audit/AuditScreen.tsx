import { Download, Radio, Search, ShieldCheck } from 'lucide-react'
import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import { isUp } from '../../../shared/domain/lifecycle.ts'
import type { MergedEntry } from '../../../shared/ipc-audit.ts'
import { keysOf } from '../../app/actions.ts'
import { useBusy } from '../../app/work.ts'
import { Age } from '../../ui/Age.tsx'
import { Button } from '../../ui/Button.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { Input } from '../../ui/Field.tsx'
import { FilterChip } from '../../ui/FilterChip.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { Select } from '../../ui/Select.tsx'
import { type Column, Table } from '../../ui/Table.tsx'
import { useWide } from '../../ui/useWide.ts'
import { useFleet } from '../fleet/fleet.store.ts'
import styles from './Audit.module.css'
import { AuditDetails } from './AuditDetails.tsx'
import {
  exportAudit,
  keyOf,
  loadMore,
  openAudit,
  spans,
  stopExport,
  stopLooking,
  toggleFollow,
  useAudit,
  verifyAll,
  want,
} from './audit.store.ts'
import { momentOf } from './moment.ts'
import { NothingHere } from './NothingHere.tsx'
import { Sources } from './Sources.tsx'
import { askable, machineOf, missingWords, sourceName } from './sources.ts'

type Key = 'at' | 'operator' | 'action' | 'machine' | 'source' | 'result' | 'took'

const results = {
  success: 'Success',
  failure: 'Failure',
  error: 'Error',
  pending: 'Pending',
  unknown: 'Unknown',
}

/** What everyone did: this console's own record and that of every machine, newest first. */
export function AuditScreen() {
  useEffect(openAudit, [])
  const { entries, problem, open, next } = useAudit()
  const machines = useFleet((state) => state.machines)
  const columns = useMemo(() => columnsOf(machines), [machines])
  const chosen = entries.find((entry) => keyOf(entry) === open)
  return (
    <div className={styles.screen} data-testid="audit">
      <AuditTools />
      <Freshness />
      {problem !== null && <ErrorText problem={problem} />}
      <div className={styles.both}>
        <Table<MergedEntry, Key>
          label="Audit"
          testId="audit-table"
          columns={columns}
          rows={entries}
          rowId={keyOf}
          marked={(entry) => keyOf(entry) === open}
          sort={null}
          onOpen={(entry) => useAudit.setState({ open: keyOf(entry) === open ? null : keyOf(entry) })}
          onEnd={next === null ? undefined : () => void loadMore()}
          empty={<NothingHere />}
        />
        {chosen !== undefined && <AuditDetails entry={chosen} />}
      </div>
      <Foot />
    </div>
  )
}

function Foot() {
  const { entries, phase, next } = useAudit()
  const looking = phase === 'looking' && entries.length > 0
  return (
    <div className={styles.foot}>
      <p role="status">
        {phase === 'loading'
          ? 'Reading the audit'
          : phase === 'more'
            ? 'Reading older entries'
            : phase === 'looking'
              ? `Looking further back: nothing more since ${momentOf(next?.at)}`
              : `${entries.length} entries${next === null ? ', to the beginning of what is at hand' : ' so far'}`}
      </p>
      {looking && (
        <Button variant="ghost" onClick={stopLooking}>
          Stop
        </Button>
      )}
    </div>
  )
}

function columnsOf(machines: Readonly<Record<string, { name: string }>>): readonly Column<MergedEntry, Key>[] {
  return [
    {
      key: 'at',
      title: 'When',
      width: 'minmax(212px, 0.9fr)',
      cell: ({ at }) => (
        <span className={styles.when}>
          <time dateTime={at} title={at}>
            {momentOf(at)}
          </time>
          <small>
            <Age at={at} form="bare" />
          </small>
        </span>
      ),
    },
    {
      key: 'operator',
      title: 'Who',
      width: 'minmax(80px, 0.8fr)',
      cell: ({ operator }) => <bdi>{operator ?? '—'}</bdi>,
    },
    {
      key: 'action',
      title: 'What',
      width: 'minmax(110px, 0.9fr)',
      mono: true,
      cell: ({ action }) => action,
    },
    {
      key: 'machine',
      title: 'Machine',
      width: 'minmax(100px, 1fr)',
      cell: (entry) => <bdi>{machineOf(entry, machines)}</bdi>,
    },
    {
      key: 'source',
      title: 'Recorded by',
      width: 'minmax(96px, 0.7fr)',
      quiet: true,
      cell: ({ source }) => (source === 'console' ? 'this console' : 'its agent'),
    },
    {
      key: 'result',
      title: 'Result',
      width: 'minmax(100px, 1.6fr)',
      cell: ({ result, errorMessage }) => (
        <span data-result={result} className={styles.result} title={errorMessage ?? undefined}>
          {result}
          {errorMessage !== null && <small> {errorMessage}</small>}
        </span>
      ),
    },
    {
      key: 'took',
      title: 'Took',
      width: '72px',
      quiet: true,
      cell: ({ durationMs }) => (durationMs === null ? '—' : formatTook(durationMs)),
    },
  ]
}

const formatTook = (ms: number) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`)

function AuditTools() {
  const { wanted, sources, actions, operators, following } = useAudit()
  const machines = useFleet((state) => state.machines)
  const checking = useBusy('audit-verify')
  const exporting = useBusy('audit-export')
  const wide = useWide(1180)
  const counts = Object.fromEntries(sources.map(({ source, entries }) => [source, entries]))
  const named = Object.fromEntries(
    sources.filter(({ entries }) => entries > 0).map(({ source }) => [source, sourceName(source, machines)]),
  )
  return (
    <div className={styles.tools}>
      <TextSearch />
      <FilterChip
        title="Source"
        options={named}
        counts={() => counts}
        chosen={wanted.sources}
        testId="audit-source"
        onChange={(chosen) => want({ sources: chosen })}
      />
      <FilterChip
        title="Action"
        options={Object.fromEntries(actions.map((action) => [action, action]))}
        chosen={wanted.actions}
        testId="audit-action"
        onChange={(chosen) => want({ actions: chosen })}
      />
      <FilterChip
        title="Operator"
        options={Object.fromEntries(operators.map((name) => [name, name]))}
        chosen={wanted.operators}
        testId="audit-operator"
        // One at a time: the latest choice stands.
        onChange={(chosen) =>
          want({ operators: chosen.filter((name) => !wanted.operators.includes(name)).slice(0, 1) })
        }
      />
      <FilterChip
        title="Result"
        options={results}
        chosen={wanted.results}
        testId="audit-result"
        onChange={(chosen) => want({ results: chosen })}
      />
      <div className={styles.span}>
        <Select label="Time" value={wanted.span} options={spans} onChange={(span) => want({ span })} />
      </div>
      <div className={styles.end}>
        <Button
          icon={<Radio size={15} aria-hidden />}
          aria-pressed={following}
          data-testid="audit-follow"
          aria-label={following ? 'Following' : 'Follow'}
          title={wide ? undefined : 'Follow'}
          onClick={toggleFollow}
        >
          {wide && (following ? 'Following' : 'Follow')}
        </Button>
        <Button
          icon={<ShieldCheck size={15} aria-hidden />}
          busy={checking}
          data-testid="audit-verify"
          aria-label="Check chains"
          title={wide ? undefined : 'Check chains'}
          onClick={() => void verifyAll(askable())}
        >
          {wide && 'Check chains'}
        </Button>
        <Menu
          trigger={
            <IconButton
              variant="default"
              label="Export"
              busy={exporting}
              icon={<Download size={15} aria-hidden />}
              data-testid="audit-export"
            />
          }
          entries={[
            { id: 'csv', title: 'Export as CSV…', keys: keysOf('audit.csv'), run: () => void exportAudit('csv') },
            { id: 'json', title: 'Export as JSON…', keys: keysOf('audit.json'), run: () => void exportAudit('json') },
          ]}
        />
      </div>
    </div>
  )
}

function TextSearch() {
  const [text, setText] = useState(useAudit.getState().wanted.text)
  const settled = useDeferredValue(text)
  useEffect(() => {
    if (settled === useAudit.getState().wanted.text) return
    // A long record is not read anew for every letter.
    const timer = setTimeout(() => want({ text: settled }), 150)
    return () => clearTimeout(timer)
  }, [settled])
  return (
    <div className={styles.find}>
      <Search size={14} aria-hidden />
      <Input
        type="search"
        placeholder="Words in entries"
        aria-label="Search the audit"
        data-testid="audit-search"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && setText('')}
      />
    </div>
  )
}

/** How true this is: what was asked just now, and what is a copy. */
function Freshness() {
  const { sources, missing, left } = useAudit()
  const exporting = useBusy('audit-export')
  const machines = useFleet((state) => state.machines)
  const stale = sources.filter(({ source }) => {
    const machine = machines[source]
    return source !== 'console' && (machine === undefined || !isUp(machine))
  })
  const kept = stale.filter(({ entries }) => entries > 0)
  const oldest = kept.map(({ refreshedAt }) => refreshedAt ?? '').sort()[0]
  return (
    <div className={styles.fresh}>
      <Sources />
      {left > 0 && <span>{left} machines still to be asked</span>}
      {kept.length > 0 && oldest !== undefined && (
        <span>
          {kept.length === 1 ? '1 machine is' : `${kept.length} machines are`} shown from the copy kept here, the oldest
          of <Age at={oldest} />
        </span>
      )}
      {missing.length > 0 && <span>{missingWords(missing, machines)}</span>}
      {exporting && (
        <span className={styles.exporting}>
          The export is being written
          <Button variant="ghost" data-testid="audit-export-stop" onClick={stopExport}>
            Stop
          </Button>
        </span>
      )}
    </div>
  )
}
