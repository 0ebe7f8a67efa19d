import { CircleStop, Ellipsis, Octagon, Play, Timer } from 'lucide-react'
import { go } from '../../app/route.ts'
import { useBusy } from '../../app/work.ts'
import { StateBadge } from '../../ui/Badge.tsx'
import { useNow } from '../../ui/clock.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu, type MenuEntry } from '../../ui/Menu.tsx'
import type { Column } from '../../ui/Table.tsx'
import { formatAge } from '../../ui/time.ts'
import { whyNot } from '../machine/reach.ts'
import tab from '../machine/Tab.module.css'
import { truths, whyNoDrain, workerLook } from './look.ts'
import { drainWorker, startWorker, stopWorker, stopWorkerNow, workerKey } from './operations.ts'
import styles from './Workers.module.css'
import type { WorkerRow } from './workers.store.ts'

export type WorkerColumn =
  | 'machine'
  | 'worker'
  | 'status'
  | 'job'
  | 'jobs'
  | 'uptime'
  | 'container'
  | 'server'
  | 'image'
  | 'tools'

export const workerSorts: Partial<Record<WorkerColumn, (row: WorkerRow) => string | number | null>> = {
  machine: ({ machine }) => machine.name,
  worker: ({ worker }) => worker.workerId,
  status: ({ worker }) => worker.status,
  job: ({ worker }) => worker.currentJob,
  jobs: ({ worker }) => worker.activeJobs,
  uptime: ({ worker }) => (worker.status === 'stopped' ? null : worker.uptime - Date.parse(worker.seenAt)),
  container: ({ worker }) => truths(worker.status).container,
  server: ({ worker }) => truths(worker.status).server,
  image: ({ worker }) => worker.image,
}

/** The columns of a machine's workers, or of the fleet's. */
export function workerColumns({ fleet, wide }: { fleet: boolean; wide: boolean }): Column<WorkerRow, WorkerColumn>[] {
  const machine: Column<WorkerRow, WorkerColumn> = {
    key: 'machine',
    title: 'Machine',
    width: 'minmax(110px, 1fr)',
    cell: ({ machine }) => (
      <button
        type="button"
        className={styles.link}
        onClick={(event) => {
          event.stopPropagation()
          go({ screen: 'machine', machineId: machine.id, tab: 'workers' })
        }}
      >
        {machine.name}
      </button>
    ),
  }
  const all: (Column<WorkerRow, WorkerColumn> | false)[] = [
    fleet && machine,
    {
      key: 'worker',
      title: 'Worker',
      width: 'minmax(140px, 1.2fr)',
      mono: true,
      cell: ({ worker }) => worker.workerId,
    },
    {
      key: 'status',
      title: 'Status',
      width: '112px',
      cell: ({ worker, live }) => {
        const look = workerLook(worker.status)
        return <StateBadge look={{ ...look, hollow: !live }}>{look.word}</StateBadge>
      },
    },
    {
      key: 'job',
      title: 'Current job',
      width: 'minmax(120px, 1.4fr)',
      mono: true,
      cell: ({ worker }) => worker.currentJob ?? (worker.activeJobs > 0 ? 'not named' : '–'),
    },
    { key: 'jobs', title: 'Jobs', width: '60px', cell: ({ worker }) => worker.activeJobs },
    {
      key: 'uptime',
      title: 'Up for',
      width: '80px',
      quiet: true,
      cell: ({ worker, live }) => <Uptime worker={worker} live={live} />,
    },
    wide && {
      key: 'container',
      title: 'Container',
      width: '90px',
      quiet: true,
      cell: ({ worker }) => truths(worker.status).container,
    },
    wide && {
      key: 'server',
      title: 'Status server',
      width: '120px',
      quiet: true,
      cell: ({ worker }) => (
        <span data-silent={worker.status === 'running' ? '' : undefined} className={styles.server}>
          {truths(worker.status).server}
        </span>
      ),
    },
    wide && {
      key: 'image',
      title: 'Image',
      width: 'minmax(120px, 1fr)',
      mono: true,
      quiet: true,
      cell: ({ worker }) => <span title={worker.image}>{worker.image}</span>,
    },
    { key: 'tools', title: 'What can be done', width: '76px', sortable: false, cell: (row) => <Tools row={row} /> },
  ]
  return all.filter((column) => column !== false)
}

function Uptime({ worker, live }: Pick<WorkerRow, 'worker' | 'live'>) {
  const now = useNow()
  if (worker.status === 'stopped') return <>–</>
  // Of a machine that is silent nobody knows whether it still counts.
  return <>{formatAge(worker.uptime + (live ? now - Date.parse(worker.seenAt) : 0))}</>
}

function Tools({ row }: { row: WorkerRow }) {
  const busy = useBusy(workerKey(row))
  const { machine, worker } = row
  const why = whyNot(machine)
  const noDrain = why ?? whyNoDrain(worker.status)
  const stopped = worker.status === 'stopped'
  const entries: MenuEntry[] = [
    {
      id: 'worker.stop',
      title: 'Stop…',
      icon: <CircleStop size={15} aria-hidden />,
      run: () => stopWorker(row),
    },
    {
      id: 'worker.stop-now',
      title: 'Stop at once…',
      icon: <Octagon size={15} aria-hidden />,
      danger: true,
      run: () => stopWorkerNow(row),
    },
  ]
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a press on a tool is not a press on the row
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys are the buttons' own
    <div className={tab.rowTools} onClick={(event) => event.stopPropagation()}>
      {stopped ? (
        <IconButton
          label={why ?? `Start ${worker.workerId} again`}
          icon={<Play size={15} aria-hidden />}
          disabled={why !== undefined}
          busy={busy}
          data-testid={`worker-start-${worker.workerId}`}
          onClick={() => void startWorker(machine, { workerId: worker.workerId, maxConcurrentJobs: 1 })}
        />
      ) : (
        <IconButton
          label={noDrain ?? `Drain ${worker.workerId}`}
          icon={<Timer size={15} aria-hidden />}
          disabled={noDrain !== undefined}
          busy={busy}
          data-testid={`worker-drain-${worker.workerId}`}
          onClick={() => drainWorker(row)}
        />
      )}
      {stopped || why !== undefined ? (
        // What can be done first stands in one line in all rows.
        <span className={styles.noMore} />
      ) : (
        <Menu
          trigger={
            <IconButton
              label={`More for ${worker.workerId}`}
              icon={<Ellipsis size={15} aria-hidden />}
              data-testid={`worker-more-${worker.workerId}`}
            />
          }
          entries={entries}
        />
      )}
    </div>
  )
}
