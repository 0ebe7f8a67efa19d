import { CircleStop, Container, Play, RotateCw, ScrollText, SearchX } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { ContainerView } from '../../../shared/contract/docker.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { useBusy } from '../../app/work.ts'
import { Badge, StateBadge } from '../../ui/Badge.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { type Column, Table } from '../../ui/Table.tsx'
import { useSort } from '../../ui/useSort.ts'
import { useWide } from '../../ui/useWide.ts'
import { Waiting } from '../../ui/Waiting.tsx'
import { Freshness } from '../machine/Freshness.tsx'
import { formatMegabytes } from '../machine/figures.ts'
import { whyNot } from '../machine/reach.ts'
import tab from '../machine/Tab.module.css'
import { useKnown } from '../machine/useKnown.ts'
import { StateStrip } from '../state/StateStrip.tsx'
import { ContainerLoad } from './ContainerLoad.tsx'
import { containerLook, portsText, serviceOf } from './containers.ts'
import { containerKey, restartContainer, showContainerLogs, startContainer, stopContainer } from './operations.ts'
import { type Load, useLoads } from './useLoads.ts'

type Key = 'name' | 'state' | 'image' | 'ports' | 'status' | 'cpu' | 'memory' | 'tools'

interface Row {
  container: ContainerView
  load: Load | undefined
  live: boolean
}

const sorts: Partial<Record<Key, (row: Row) => string | number | null>> = {
  name: ({ container }) => container.name,
  state: ({ container }) => container.state,
  image: ({ container }) => container.image,
  status: ({ container }) => container.status,
  cpu: ({ load }) => load?.cpuPercent ?? null,
  memory: ({ load }) => load?.memoryMb ?? null,
}

/** The containers of a machine, the fleet's own and others. */
export function ContainersTab({ machine }: { machine: MachineView }) {
  const known = useKnown(
    machine,
    'containers.list',
    {},
    { events: ['worker', 'deploy_step', 'deploy_finished', 'health'], everyMs: 10_000 },
  )
  const loads = useLoads(machine)
  const wide = useWide(1180)
  const [query, setQuery] = useState('')
  const [chosen, setChosen] = useState<string | null>(null)
  const why = whyNot(machine)
  const live = known.from === 'machine'
  const found = useMemo(() => {
    const words = query.trim().toLowerCase()
    return (known.value ?? [])
      .filter(({ name, image, state }) => [name, image, state].some((text) => text.toLowerCase().includes(words)))
      .map<Row>((container) => ({ container, load: loads[container.id], live }))
  }, [known.value, loads, live, query])
  const { rows, sort, onSort } = useSort<Row, Key>(found, sorts)
  const { reload } = known
  const pick = ({ container }: Row) => setChosen(container.name)
  // By name: a container that is replaced is the same one to whoever watches it.
  const shown = rows.find(({ container }) => container.name === chosen) ?? rows[0]
  const columns = useMemo(() => columnsOf({ machine, why, wide, reload }), [machine, why, wide, reload])
  return (
    <div className={tab.tab} data-testid="containers-tab">
      <StateStrip machine={machine} />
      <div className={tab.tools}>
        <SearchField
          label="Search containers"
          placeholder="Name, image, state"
          value={query}
          onChange={setQuery}
          testId="containers-search"
        />
        <span className={tab.end}>
          <Freshness known={known} why={why} />
        </span>
      </div>
      {known.problem !== null && <ErrorText problem={known.problem} />}
      {known.loading ? (
        <Waiting
          label={`Reading the containers of ${machine.name}`}
          wayOut={{ title: 'Stop waiting', run: known.giveUp }}
        />
      ) : (
        <Table
          label={`Containers of ${machine.name}`}
          testId="containers-table"
          columns={columns}
          rows={rows}
          rowId={({ container }) => container.id}
          sort={sort}
          onSort={onSort}
          onOpen={({ container }) => showContainerLogs(machine, container)}
          onPick={pick}
          marked={({ container }) => container.name === shown?.container.name}
          empty={
            query === '' ? (
              <EmptyState
                icon={<Container size={26} aria-hidden />}
                title={known.value === null ? 'Nothing is known of its containers' : 'No containers'}
                text={
                  known.value === null
                    ? 'This console has not seen them yet, or Docker is not there.'
                    : 'Nothing has been deployed to this machine yet.'
                }
              />
            ) : (
              <EmptyState icon={<SearchX size={26} aria-hidden />} title="No container matches" />
            )
          }
        />
      )}
      {shown !== undefined && <ContainerLoad machine={machine} name={shown.container.name} load={shown.load} />}
    </div>
  )
}

interface ColumnDeps {
  machine: MachineView
  why: string | undefined
  wide: boolean
  reload: () => Promise<void>
}

function columnsOf({ machine, why, wide, reload }: ColumnDeps): Column<Row, Key>[] {
  const all: (Column<Row, Key> | false)[] = [
    {
      key: 'name',
      title: 'Name',
      width: 'minmax(170px, 1.4fr)',
      cell: ({ container }) => {
        const service = serviceOf(container)
        return (
          <>
            <strong>{container.name}</strong> {wide && service !== null && <Badge tone="off">{service}</Badge>}
          </>
        )
      },
    },
    {
      key: 'state',
      title: 'State',
      width: '112px',
      cell: ({ container, live }) => {
        const look = containerLook(container.state)
        return <StateBadge look={{ ...look, hollow: !live }}>{look.word}</StateBadge>
      },
    },
    {
      key: 'status',
      title: 'Since',
      width: 'minmax(118px, 0.8fr)',
      quiet: true,
      cell: ({ container }) => container.status,
    },
    {
      key: 'cpu',
      title: 'CPU',
      width: '64px',
      cell: ({ load }) => (load?.cpuPercent == null ? '–' : `${load.cpuPercent.toFixed(1)} %`),
    },
    {
      key: 'memory',
      title: 'Memory',
      width: 'minmax(76px, 0.6fr)',
      cell: ({ load }) =>
        load === undefined
          ? '–'
          : `${formatMegabytes(load.memoryMb)}${load.memoryLimitMb === null ? '' : ` of ${formatMegabytes(load.memoryLimitMb)}`}`,
    },
    {
      key: 'image',
      title: 'Image',
      width: 'minmax(92px, 1.2fr)',
      mono: true,
      quiet: true,
      cell: ({ container }) => <span title={container.image}>{container.image}</span>,
    },
    wide && {
      key: 'ports',
      title: 'Ports',
      width: 'minmax(100px, 0.8fr)',
      mono: true,
      quiet: true,
      cell: ({ container }) => portsText(container.ports) || '–',
    },
    {
      key: 'tools',
      title: 'What can be done',
      width: '108px',
      sortable: false,
      cell: ({ container }) => <Tools machine={machine} container={container} why={why} reload={reload} />,
    },
  ]
  return all.filter((column) => column !== false)
}

function Tools({ machine, container, why, reload }: Omit<ColumnDeps, 'wide'> & { container: ContainerView }) {
  const busy = useBusy(containerKey(machine.id, container.id))
  const runs = container.state === 'running' || container.state === 'restarting'
  const disabled = why !== undefined
  return (
    <div className={tab.rowTools}>
      <IconButton
        label={`Logs of ${container.name}`}
        icon={<ScrollText size={15} aria-hidden />}
        data-testid={`container-logs-${container.name}`}
        onClick={() => showContainerLogs(machine, container)}
      />
      {runs && (
        <IconButton
          label={why ?? `Restart ${container.name}`}
          icon={<RotateCw size={15} aria-hidden />}
          disabled={disabled}
          busy={busy}
          data-testid={`container-restart-${container.name}`}
          onClick={() => restartContainer(machine, container, reload)}
        />
      )}
      {runs ? (
        <IconButton
          label={why ?? `Stop ${container.name}`}
          icon={<CircleStop size={15} aria-hidden />}
          disabled={disabled || busy}
          data-testid={`container-stop-${container.name}`}
          onClick={() => stopContainer(machine, container, reload)}
        />
      ) : (
        <IconButton
          label={why ?? `Start ${container.name}`}
          icon={<Play size={15} aria-hidden />}
          disabled={disabled}
          busy={busy}
          data-testid={`container-start-${container.name}`}
          onClick={() => startContainer(machine, container, reload)}
        />
      )}
    </div>
  )
}
