import { Ban } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { failedRequestTitle } from '../../../../shared/domain/timeline/titles.ts'
import { useTarget } from '../../../app/target.ts'
import { IconButton } from '../../../ui/IconButton.tsx'
import { SearchField } from '../../../ui/SearchField.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { useSort } from '../../../ui/useSort.ts'
import { useWide } from '../../../ui/useWide.ts'
import { aimedOf, useAimed } from '../aimed.ts'
import { useChanging } from '../changing.ts'
import bar from '../PanelBar.module.css'
import type { PanelProps } from '../panels.tsx'
import { useSnapshot } from '../sessions.ts'
import { networkOf } from './model.ts'
import styles from './Network.module.css'
import { usePattern } from './pattern.ts'
import { type Part, RequestDetail } from './RequestDetail.tsx'
import {
  durationOf,
  isFailure,
  isUnderWay,
  type NetworkKey,
  type NetworkRow,
  nameOf,
  networkOrder,
  outcomeOf,
  sizeText,
  timeText,
} from './rows.ts'
import { Waterfall } from './Waterfall.tsx'

const kinds: Readonly<Record<string, readonly string[]>> = {
  All: [],
  'Fetch/XHR': ['Fetch', 'XHR', 'EventSource'],
  Doc: ['Document'],
  JS: ['Script'],
  CSS: ['Stylesheet'],
  Img: ['Image'],
  WS: ['WebSocket', 'EventSource'],
}

/** What the page asked for, and what it got. */
export function NetworkPanel({ machine, session }: PanelProps) {
  const model = networkOf(session)
  const version = useChanging(model)
  const wide = useWide(1280)
  const [typed, setTyped] = useState('')
  const [kind, setKind] = useState('All')
  const [chosen, setChosen] = useState<string | null>(null)
  const [part, setPart] = useState<Part>('headers')
  const { phase } = useSnapshot(session)
  const aimed = useAimed(
    useTarget('network', machine.id),
    phase === 'open',
    () => model.lookBack(),
    (aim) => aimedOf(model.rows.filter(isFailure), titleOf, aim)?.key,
  )
  useEffect(() => {
    if (aimed !== null && aimed !== 'gone') setChosen(aimed)
  }, [aimed])
  const list = useRef<HTMLDivElement>(null)
  const close = () => {
    setChosen(null)
    // The keyboard goes back to where it came from.
    list.current?.querySelector<HTMLElement>('[role=grid]')?.focus()
  }
  const pattern = usePattern(typed)
  const test = pattern.kind === 'matches' ? pattern.test : null
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the rows; the pattern for its test
  const found = useMemo(() => {
    const types = kinds[kind] ?? []
    return model.rows.filter(
      (row) => (types.length === 0 || types.includes(row.type)) && (test === null || test(row.url)),
    )
  }, [model, version, typed, kind, pattern.kind])
  const { rows, sort, onSort } = useSort<NetworkRow, NetworkKey>(found, networkOrder)
  const span = useMemo(() => spanOf(found), [found])
  const row = chosen === null ? undefined : model.row(chosen)
  const narrow = row !== undefined
  const columns = useMemo(() => columnsFor(narrow, wide, span), [narrow, wide, span])
  const bytes = found.reduce((sum, { size }) => sum + (size ?? 0), 0)
  const failures = found.filter(isFailure).length
  return (
    <div className={bar.panel} data-testid="network-panel">
      <div className={bar.bar} role="toolbar" aria-label="Network">
        <IconButton
          label="Clear"
          icon={<Ban size={14} aria-hidden />}
          data-testid="network-clear"
          onClick={() => {
            model.clear()
            setChosen(null)
          }}
        />
        <SearchField
          label="Filter by address: text, or an expression between slashes"
          placeholder="Text, or /expression/"
          value={typed}
          onChange={setTyped}
          testId="network-filter"
        />
        <div className={bar.chips}>
          {Object.keys(kinds).map((name) => (
            <button
              key={name}
              type="button"
              className={bar.chip}
              aria-pressed={kind === name}
              onClick={() => setKind(name)}
            >
              {name}
            </button>
          ))}
        </div>
        <span className={bar.end} data-testid="network-sum">
          {pattern.kind === 'invalid' ? (
            <span className={styles.invalid} role="alert">
              {pattern.why}
            </span>
          ) : (
            `${aimed === 'gone' ? 'That request is no longer kept · ' : ''}${model.dropped > 0 ? `The oldest ${model.dropped} are no longer kept · ` : ''}${found.length} ${found.length === 1 ? 'request' : 'requests'} · ${sizeText(bytes)}${failures > 0 ? ` · ${failures} failed` : ''}`
          )}
        </span>
      </div>
      <div className={styles.split} data-open={row === undefined ? undefined : ''}>
        <div ref={list} className={styles.table}>
          <Table
            label="Requests"
            testId="network-table"
            columns={columns}
            rows={rows}
            rowId={({ key }) => key}
            marked={({ key }) => key === chosen}
            current={aimed === chosen ? aimed : null}
            sort={sort}
            onSort={onSort}
            onOpen={({ key }) => setChosen(key)}
            onActive={({ key }) => chosen !== null && setChosen(key)}
            empty={
              <p className={bar.empty}>
                {model.size === 0
                  ? 'Nothing was asked for yet. Reload the page to see all of it.'
                  : 'Nothing matches the filter.'}
              </p>
            }
          />
        </div>
        {row !== undefined && (
          <RequestDetail key={row.key} row={row} model={model} part={part} onPart={setPart} onClose={close} />
        )}
      </div>
    </div>
  )
}

const titleOf = ({ failed, ...row }: NetworkRow) => failedRequestTitle({ ...row, error: failed })

export interface Span {
  from: number
  to: number
}

/** From the first beginning to the last end, on the wall clock, which the agent's record has too. */
function spanOf(rows: readonly NetworkRow[]): Span {
  let from = Number.POSITIVE_INFINITY
  let to = 0
  for (const row of rows) {
    from = Math.min(from, row.at)
    to = Math.max(to, row.at + (durationOf(row) ?? 0))
  }
  return { from, to: Math.max(to, from + 1) }
}

function columnsFor(narrow: boolean, wide: boolean, span: Span): Column<NetworkRow, NetworkKey>[] {
  const name: Column<NetworkRow, NetworkKey> = {
    key: 'name',
    title: 'Name',
    width: 'minmax(160px, 2fr)',
    mono: true,
    cell: (row) => (
      <span className={styles.name} data-failed={isFailure(row) ? '' : undefined} title={row.url}>
        {nameOf(row.url)}
      </span>
    ),
  }
  const status: Column<NetworkRow, NetworkKey> = {
    key: 'status',
    title: 'Status',
    width: '112px',
    cell: (row) => (
      <span
        className={styles.status}
        data-failed={isFailure(row) ? '' : undefined}
        title={row.failed ?? (row.statusText || undefined)}
      >
        {outcomeOf(row)}
      </span>
    ),
  }
  if (narrow) return [name, status]
  return [
    name,
    { key: 'method', title: 'Method', width: '76px', quiet: true, cell: (row) => row.method },
    status,
    { key: 'type', title: 'Type', width: '96px', quiet: true, cell: (row) => row.type },
    {
      key: 'size',
      title: 'Size',
      width: '92px',
      quiet: true,
      cell: (row) => (row.cached !== null ? row.cached : row.size === null ? '' : sizeText(row.size)),
    },
    {
      key: 'time',
      title: 'Time',
      width: '76px',
      quiet: true,
      cell: (row) => {
        const ms = durationOf(row)
        return ms !== null ? timeText(ms) : isUnderWay(row) ? 'pending' : ''
      },
    },
    {
      key: 'waterfall',
      title: 'Waterfall',
      width: wide ? 'minmax(200px, 1.4fr)' : 'minmax(120px, 1fr)',
      plain: true,
      cell: (row) => <Waterfall row={row} span={span} />,
    },
  ]
}
