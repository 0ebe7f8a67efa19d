import { Ellipsis } from 'lucide-react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { Age } from '../../ui/Age.tsx'
import { Button } from '../../ui/Button.tsx'
import { classes } from '../../ui/classes.ts'
import { Menu } from '../../ui/Menu.tsx'
import { Bar } from '../../ui/Sparkline.tsx'
import tones from '../../ui/StateDot.module.css'
import { StateDot } from '../../ui/StateDot.tsx'
import type { Column } from '../../ui/Table.tsx'
import { environmentNames, machineLook, machineTypeNames } from '../machine/look.ts'
import { machineMenu } from '../machine/menu.tsx'
import styles from './Fleet.module.css'
import type { FleetColumn } from './summary.ts'

type MachineColumn = Column<MachineView, FleetColumn>

/** Columns that a narrow window goes without; the machine's page has them. */
const wideOnly: readonly FleetColumn[] = ['type', 'agent']

function load(machine: MachineView) {
  const percent = machine.metrics?.cpu.usagePercent ?? null
  return <Bar percent={percent} label={percent === null ? 'load unknown' : `CPU ${Math.round(percent)} %`} />
}

function menuButton(machine: MachineView, onClick?: () => void) {
  return (
    <Button
      variant="ghost"
      size="icon"
      aria-label={`Actions for ${machine.name}`}
      icon={<Ellipsis size={15} aria-hidden />}
      tabIndex={-1}
      data-testid="row-menu"
      onClick={onClick}
    />
  )
}

interface ColumnsOptions {
  wide: boolean
  /** The row whose menu is open. */
  menuOf: string | null
  onMenu: (machineId: string | null) => void
}

/** The fleet's columns, for a window of this width. */
export function fleetColumns({ wide, menuOf, onMenu }: ColumnsOptions): readonly MachineColumn[] {
  const columns: readonly MachineColumn[] = [
    {
      key: 'dot',
      title: 'Mark',
      width: '36px',
      sortable: false,
      cell: (machine) => (
        <span className={classes(styles.mark)}>
          <StateDot {...machineLook(machine)} />
        </span>
      ),
    },
    {
      key: 'name',
      title: 'Name',
      width: 'minmax(110px, 1.5fr)',
      cell: (machine) => <span className={styles.name}>{machine.name}</span>,
    },
    {
      key: 'state',
      title: 'State',
      width: 'minmax(92px, 1fr)',
      cell: (machine) => {
        const { tone, word } = machineLook(machine)
        return <span className={tones[tone]}>{word}</span>
      },
    },
    {
      key: 'driving',
      title: 'Driving',
      width: 'minmax(80px, 1.1fr)',
      quiet: true,
      cell: (machine) => (machine.lease === null ? '—' : machine.lease.mine ? 'you' : machine.lease.operator),
    },
    {
      key: 'env',
      title: 'Env',
      width: 'minmax(62px, 0.6fr)',
      quiet: true,
      cell: (machine) => environmentNames[machine.environment],
    },
    {
      key: 'type',
      title: 'Type',
      width: 'minmax(80px, 0.8fr)',
      quiet: true,
      cell: (machine) => machineTypeNames[machine.machineType],
    },
    {
      key: 'address',
      title: 'Address',
      width: 'minmax(118px, 1.3fr)',
      quiet: true,
      mono: true,
      cell: (machine) => machine.address,
    },
    { key: 'load', title: 'Load', width: '84px', cell: load },
    {
      key: 'agent',
      title: 'Agent',
      width: 'minmax(62px, 0.6fr)',
      quiet: true,
      mono: true,
      cell: (machine) => machine.agentVersion ?? '—',
    },
    {
      key: 'roundTrip',
      title: 'Round trip',
      width: '88px',
      quiet: true,
      cell: (machine) => (machine.roundTripMs === null ? '—' : `${Math.round(machine.roundTripMs)} ms`),
    },
    {
      key: 'seen',
      title: 'Seen',
      width: '66px',
      quiet: true,
      cell: (machine) => <Age at={machine.lastVerifiedAt} form="bare" />,
    },
    {
      key: 'menu',
      title: 'Actions',
      width: '34px',
      sortable: false,
      cell: (machine) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: only keeps a click on the menu from opening the row
        // biome-ignore lint/a11y/useKeyWithClickEvents: see above
        <span onClick={(event) => event.stopPropagation()}>
          {/* A thousand menus would be a thousand roots: only the open one exists. */}
          {menuOf === machine.id ? (
            <Menu
              open
              onOpenChange={(open) => onMenu(open ? machine.id : null)}
              trigger={menuButton(machine)}
              entries={machineMenu(machine)}
            />
          ) : (
            menuButton(machine, () => onMenu(machine.id))
          )}
        </span>
      ),
    },
  ]
  return wide ? columns : columns.filter((column) => !wideOnly.includes(column.key))
}
