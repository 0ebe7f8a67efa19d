import { Ellipsis, Play, SearchX, Stethoscope, TriangleAlert } from 'lucide-react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { keysOf } from '../../app/actions.ts'
import { usePins } from '../../app/pins.ts'
import { go, type MachineTab } from '../../app/route.ts'
import { useBusy } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Kbd } from '../../ui/Kbd.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import { useWide } from '../../ui/useWide.ts'
import { openUpgrade } from '../enroll/Upgrade.tsx'
import { useFleet, useMachine } from '../fleet/fleet.store.ts'
import { MachineNotices } from '../power/MachineNotices.tsx'
import { PowerMenu } from '../power/PowerMenu.tsx'
import { openRunTask } from '../task/operations.ts'
import { Chain } from './Chain.tsx'
import styles from './Machine.module.css'
import { machineMenu } from './menu.tsx'
import { verify } from './operations.ts'
import { RestartMenu } from './RestartMenu.tsx'
import { whyNot } from './reach.ts'
import { tabsOfMachine } from './tabs.tsx'

/** One machine: how it is reached, what it is, what its browser shows. */
export function MachineScreen({ machineId, tab }: { machineId: string; tab: MachineTab }) {
  const machine = useMachine(machineId)
  const loading = useFleet((state) => state.status.phase === 'loading')
  if (machine === undefined) {
    if (loading) return null
    return (
      <EmptyState
        icon={<SearchX size={26} aria-hidden />}
        title="There is no such machine"
        text="It was removed from this console, or the address is from another computer."
        action={
          <Button variant="primary" onClick={() => go({ screen: 'fleet' })}>
            Go to Fleet
          </Button>
        }
      />
    )
  }
  return (
    <>
      <MachineHead machine={machine} />
      <MachineNotices machine={machine} />
      {machine.compatibility !== null && (
        <p className={styles.banner} role="status">
          <TriangleAlert size={15} aria-hidden /> {machine.compatibility}
          {machine.tunnel.kind === 'ssh' && (
            <Button data-testid="update-agent" onClick={() => openUpgrade(machine)}>
              Update agent
            </Button>
          )}
        </p>
      )}
      <Tabs<MachineTab>
        label={`Parts of ${machine.name}`}
        value={tab}
        onChange={(next) => go({ screen: 'machine', machineId, tab: next })}
        tabs={tabsOfMachine.map(({ content, ...tab }) => ({ ...tab, content: content(machine) }))}
      />
    </>
  )
}

function MachineHead({ machine }: { machine: MachineView }) {
  const busy = useBusy(`verify:${machine.id}`)
  // The menu's words depend on it.
  usePins((state) => state.pins)
  const wide = useWide(1280)
  const why = whyNot(machine)
  return (
    <div className={styles.head}>
      <Chain machine={machine} />
      <div className={styles.actions}>
        <Tooltip text={<Kbd keys={keysOf('machine.verify') ?? ''} />}>
          <Button
            icon={<Stethoscope size={15} aria-hidden />}
            busy={busy}
            data-testid="health-check"
            aria-label="Health check"
            onClick={() => void verify(machine)}
          >
            {wide && 'Health check'}
          </Button>
        </Tooltip>
        <RestartMenu machine={machine} />
        <Tooltip text={why ?? <Kbd keys={keysOf('machine.run-task') ?? ''} />}>
          <Button
            icon={<Play size={15} aria-hidden />}
            disabled={why !== undefined}
            data-testid="run-task"
            aria-label="Run task"
            onClick={() => openRunTask(machine)}
          >
            {wide && 'Run task'}
          </Button>
        </Tooltip>
        <PowerMenu machine={machine} />
        <Menu
          trigger={<IconButton label="More actions" icon={<Ellipsis size={16} aria-hidden />} data-testid="more" />}
          entries={machineMenu(machine, true)}
        />
      </div>
    </div>
  )
}
