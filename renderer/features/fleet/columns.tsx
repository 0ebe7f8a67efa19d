import type { MouseEvent } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { Age } from '../../ui/Age.tsx'
import { Button } from '../../ui/Button.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { Bar } from '../../ui/Sparkline.tsx'
import tones from '../../ui/StateDot.module.css'
import { StateDot } from '../../ui/StateDot.tsx'
import type { Column } from '../../ui/Table.tsx'
import { environmentNames, machineLook, machineTypeNames } from '../machine/look.ts'
import { machineMenu } from '../machine/menu.tsx'
import { driverOf } from './driver.ts'
import styles from './Fleet.module.css'
import { healthLooks, healthOf } from './health.ts'
import type { FleetColumn } from './summary.ts'

type MachineColumn = Column<MachineView, FleetColumn>

/** Columns that a narrower window goes without; the machine's page has them. */
const fullOnly: readonly FleetColumn[] = ['agent', 'roundTrip']
const wideOnly: readonly FleetColumn[] = [...fullOnly, 'type', 'driving']

function load(machine: MachineView) {
  const percent = machine.metrics?.cpu.usagePercent ?? null
  return <Bar percent={percent} label={percent === null ? 'load unknown' : `CPU ${Math.round(percent)} %`} />
}

function menuButton(machine: MachineView, onClick?: (event: MouseEvent) => void) {
  return (
    <Button
      variant="ghost"
      size="icon"
      aria-label={`Actions for ${machine.name}`}
      className={styles.dots}
      tabIndex={-1}
      data-testid="row-menu"
      onClick={onClick}
    />
  )
}

interface ColumnsOptions {
  /** How much there is room for. */
  room: 'full' | 'wide' | 'narrow'
  /** The row whose menu is open. */
  menuOf: string | null
  onMenu: (machineId: string | null) => void
}

/** The fleet's columns, for a window of this width. */
export function fleetColumns({ room, menuOf, onMenu }: ColumnsOptions): readonly MachineColumn[] {
  const columns: readonly MachineColumn[] = [
    {
      key: 'dot',
      title: 'Select',
      width: '36px',
      sortable: false,
      plain: true,
      // The mark turns into a box to tick where the pointer is; by keyboard it is the space bar.
      selects: true,
      look: () => styles.mark,
      cell: (machine) => <StateDot {...machineLook(machine)} />,
    },
    {
      key: 'name',
      title: 'Name',
      // Names of one kind differ at their end: what is cut off there tells no machine from another.
      width: 'minmax(144px, 1.5fr)',
      look: () => styles.name,
      text: ({ name }) => name,
      cell: ({ name }) => name,
    },
    {
      key: 'state',
      title: 'Status',
      width: 'minmax(82px, 0.9fr)',
      look: (machine) => tones[machineLook(machine).tone],
      cell: (machine) => machineLook(machine).word,
    },
    {
      key: 'health',
      title: 'Health',
      width: 'minmax(82px, 0.7fr)',
      fits: true,
      look: (machine) => tones[healthLooks[healthOf(machine)].tone],
      cell: (machine) => healthLooks[healthOf(machine)].word,
    },
    {
      key: 'driving',
      title: 'Driving',
      width: 'minmax(70px, 0.9fr)',
      quiet: true,
      cell: (machine) => driverOf(machine) ?? '—',
    },
    {
      key: 'env',
      title: 'Env',
      width: 'minmax(58px, 0.5fr)',
      quiet: true,
      fits: true,
      cell: (machine) => environmentNames[machine.environment],
    },
    {
      key: 'type',
      title: 'Type',
      width: 'minmax(104px, 0.9fr)',
      quiet: true,
      cell: (machine) => typeOf(machine),
    },
    {
      key: 'address',
      title: 'Address',
      width: 'minmax(132px, 1.2fr)',
      quiet: true,
      mono: true,
      text: ({ address }) => address,
      cell: ({ address }) => address,
    },
    { key: 'load', title: 'Load', width: '76px', fits: true, cell: load },
    {
      key: 'image',
      title: 'Image',
      width: 'minmax(72px, 0.8fr)',
      quiet: true,
      mono: true,
      text: ({ imageTag }) => imageTag,
      cell: ({ imageTag }) => imageTag ?? '—',
    },
    {
      key: 'agent',
      title: 'Agent',
      width: 'minmax(60px, 0.5fr)',
      quiet: true,
      mono: true,
      cell: (machine) => machine.agentVersion ?? '—',
    },
    {
      key: 'roundTrip',
      title: 'Round trip',
      width: '82px',
      quiet: true,
      fits: true,
      cell: (machine) => (machine.roundTripMs === null ? '—' : `${Math.round(machine.roundTripMs)} ms`),
    },
    {
      key: 'seen',
      title: 'Seen',
      width: '62px',
      quiet: true,
      fits: true,
      cell: (machine) => <Age at={machine.lastVerifiedAt} form="bare" />,
    },
    {
      key: 'menu',
      title: 'Actions',
      width: '34px',
      sortable: false,
      plain: true,
      // A thousand menus would be a thousand roots: only the open one exists.
      cell: (machine) =>
        menuOf === machine.id ? (
          // biome-ignore lint/a11y/noStaticElementInteractions: only keeps a click on the menu from opening the row
          // biome-ignore lint/a11y/useKeyWithClickEvents: see above
          <span onClick={(event) => event.stopPropagation()}>
            <Menu
              open
              onOpenChange={(open) => onMenu(open ? machine.id : null)}
              trigger={menuButton(machine)}
              entries={machineMenu(machine)}
            />
          </span>
        ) : (
          menuButton(machine, (event) => {
            event.stopPropagation()
            onMenu(machine.id)
          })
        ),
    },
  ]
  const without = room === 'full' ? [] : room === 'wide' ? fullOnly : wideOnly
  return columns.filter((column) => !without.includes(column.key))
}

function typeOf({ machineType, power }: MachineView): string {
  const name = machineTypeNames[machineType]
  return power.instanceType === null ? name : `${name} ${power.instanceType}`
}
