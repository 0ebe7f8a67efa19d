import { Boxes, CircleStop, SearchX, Timer } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Progress } from '../../ui/Progress.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Select } from '../../ui/Select.tsx'
import { Table } from '../../ui/Table.tsx'
import { useSort } from '../../ui/useSort.ts'
import { useWide } from '../../ui/useWide.ts'
import tab from '../machine/Tab.module.css'
import { cancelBulk, useBulk } from './bulk.store.ts'
import { type WorkerColumn, workerColumns, workerSorts } from './columns.tsx'
import { drainAll, drainable, idle, stopAllIdle } from './operations.ts'
import styles from './Workers.module.css'
import type { WorkerRow } from './workers.store.ts'

const statuses = {
  all: 'Any status',
  busy: 'Busy',
  idle: 'Idle',
  draining: 'Draining',
  running: 'Silent',
  stopped: 'Stopped',
} as const

interface WorkersTableProps {
  label: string
  rows: readonly WorkerRow[]
  /** Of the whole fleet: each row says which machine it is on. */
  fleet?: boolean
  onOpen: (row: WorkerRow) => void
  tools?: ReactNode
  end?: ReactNode
  /** What stands where there are no workers at all. */
  empty: ReactNode
}

/** Workers, what can be found among them, and what can be done to many of them. */
export function WorkersTable({ label, rows, fleet = false, onOpen, tools, end, empty }: WorkersTableProps) {
  const wide = useWide(1180)
  const [query, setQuery] = useState('')
  const [status, setStatus] = useState<keyof typeof statuses>('all')
  const found = useMemo(() => filtered(rows, query, status), [rows, query, status])
  const sorted = useSort<WorkerRow, WorkerColumn>(found, workerSorts)
  const columns = useMemo(() => workerColumns({ fleet, wide }), [fleet, wide])
  const busy = useBulk((state) => state.bulk !== null)
  const canDrain = drainable(found).length
  const canStop = idle(found).length
  return (
    <>
      <div className={tab.tools}>
        <SearchField
          label="Search workers"
          placeholder={fleet ? 'Worker, machine, job, image' : 'Worker, job, image'}
          value={query}
          onChange={setQuery}
          testId="workers-search"
        />
        <div>
          <Select label="Status" value={status} options={statuses} onChange={setStatus} />
        </div>
        {tools}
        <Button
          icon={<Timer size={15} aria-hidden />}
          disabled={canDrain === 0 || busy}
          title={canDrain === 0 ? 'No worker here can be drained now.' : undefined}
          data-testid="workers-drain-all"
          onClick={() => drainAll(found)}
        >
          Drain all
        </Button>
        <Button
          icon={<CircleStop size={15} aria-hidden />}
          disabled={canStop === 0 || busy}
          title={canStop === 0 ? 'No worker here is idle.' : undefined}
          data-testid="workers-stop-idle"
          onClick={() => stopAllIdle(found)}
        >
          Stop all idle
        </Button>
        <span className={tab.end}>{end}</span>
      </div>
      <BulkProgress />
      <Table
        label={label}
        testId="workers-table"
        columns={columns}
        rows={sorted.rows}
        rowId={(row) => row.id}
        sort={sorted.sort}
        onSort={sorted.onSort}
        onOpen={onOpen}
        empty={
          rows.length === 0 ? (
            empty
          ) : (
            <EmptyState
              icon={<SearchX size={26} aria-hidden />}
              title="No worker matches"
              action={
                <Button
                  onClick={() => {
                    setQuery('')
                    setStatus('all')
                  }}
                >
                  Show all workers
                </Button>
              }
            />
          )
        }
      />
    </>
  )
}

export function filtered(rows: readonly WorkerRow[], query: string, status: string): readonly WorkerRow[] {
  const words = query.trim().toLowerCase()
  return rows.filter(
    ({ machine, worker }) =>
      (status === 'all' || worker.status === status) &&
      (words === '' ||
        [machine.name, worker.workerId, worker.image, worker.currentJob ?? '', worker.status].some((text) =>
          text.toLowerCase().includes(words),
        )),
  )
}

function BulkProgress() {
  const bulk = useBulk((state) => state.bulk)
  if (bulk === null) return null
  return (
    <div className={styles.bulk}>
      <Progress
        label={`${bulk.title}: ${bulk.done} of ${bulk.total}`}
        since={bulk.since}
        wayOut={{ title: 'Leave the rest', run: cancelBulk }}
      />
    </div>
  )
}

export const noWorkersIcon = <Boxes size={26} aria-hidden />
