import { Camera } from 'lucide-react'
import { memo, type ReactNode, useMemo } from 'react'
import { StateDot } from '../../ui/StateDot.tsx'
import { type Column, Table } from '../../ui/Table.tsx'
import { formatDuration } from '../../ui/time.ts'
import type { Shape, Tone } from '../../ui/tone.ts'
import { kindName, type Placed } from './lanes.ts'
import { exactTime } from './scale.ts'
import styles from './Timeline.module.css'

type Key = 'dot' | 'at' | 'kind' | 'what' | 'who' | 'took' | 'picture'

interface EntryListProps {
  label: string
  rows: readonly Placed[]
  /** Columns that are missed first make room for the entry that is looked at. */
  narrow: boolean
  selected: string | null
  /** The newest stays in sight. */
  following: boolean
  onSelect: (placed: Placed) => void
  onOpen: (placed: Placed) => void
  empty: ReactNode
}

/** The same as the drawing, in words and in time order: what a screen reader reads. */
export const EntryList = memo(function EntryList({
  label,
  rows,
  narrow,
  selected,
  following,
  onSelect,
  onOpen,
  empty,
}: EntryListProps) {
  const columns = useMemo(() => columnsOf(narrow), [narrow])
  return (
    <Table
      label={label}
      testId="timeline-list"
      columns={columns}
      rows={rows}
      rowId={idOf}
      marked={(row) => row.entry.key === selected}
      current={selected ?? (following ? rows.at(-1)?.entry.key : null) ?? null}
      sort={null}
      onPick={onSelect}
      onOpen={onOpen}
      empty={empty}
    />
  )
})

const idOf = (row: Placed) => row.entry.key

export function shapeOf(tone: Tone): Shape {
  if (tone === 'broken' || tone === 'expired' || tone === 'unknown') return 'diamond'
  return tone === 'off' ? 'square' : 'round'
}

export function tookText({ entry, start, end }: Placed): string {
  if (entry.running) return 'goes on'
  return end > start ? formatDuration(end - start) : ''
}

function columnsOf(narrow: boolean): Column<Placed, Key>[] {
  const all: (Column<Placed, Key> | false)[] = [
    {
      ...{ key: 'dot', title: 'State', width: '32px', sortable: false, plain: true },
      cell: ({ tone, entry }) => (
        <span className={styles.dot}>
          <StateDot tone={tone} shape={shapeOf(tone)} pulsing={entry.running} />
        </span>
      ),
    },
    { key: 'at', title: 'When', width: '152px', mono: true, quiet: true, cell: ({ start }) => exactTime(start) },
    { key: 'kind', title: 'Kind', width: '118px', quiet: true, cell: ({ entry }) => kindName(entry.kind) },
    {
      ...{ key: 'what', title: 'What', width: 'minmax(160px, 1fr)' },
      cell: ({ entry }) => (
        <>
          {entry.title}
          {entry.count > 1 && <b className={styles.count}>×{entry.count.toLocaleString('en')}</b>}
        </>
      ),
    },
    !narrow && { key: 'who', title: 'Who', width: '110px', quiet: true, cell: ({ entry }) => entry.who ?? '' },
    { key: 'took', title: 'Took', width: '84px', quiet: true, cell: tookText },
    {
      ...{ key: 'picture', title: 'Picture', width: '62px', quiet: true },
      cell: ({ entry }) => entry.picture !== null && <Camera size={14} aria-label="has a picture" role="img" />,
    },
  ]
  return all.filter((column) => column !== false)
}
