import { Search } from 'lucide-react'
import type { MachineView } from '../../shared/domain/machine.ts'
import { useFleet, useMachine } from '../features/fleet/fleet.store.ts'
import { MachineStateBadge } from '../features/machine/MachineStateBadge.tsx'
import { Kbd } from '../ui/Kbd.tsx'
import { useKeysOf } from './actions.ts'
import { go, useRoute } from './route.ts'
import styles from './Shell.module.css'
import { screenTitles, unknownMachine, useWindowTitle } from './titles.ts'
import { show } from './ui.store.ts'

/** Where one is, in what state it is, and the way to everything else. */
export function TopBar() {
  const keys = useKeysOf('palette')
  return (
    <header className={styles.top}>
      <Crumbs />
      <button
        type="button"
        className={styles.search}
        aria-label="Search or run a command"
        data-testid="open-palette"
        onClick={() => show('palette')}
      >
        <Search size={15} aria-hidden />
        <span>Search or run a command</span>
        <Kbd keys={keys} />
      </button>
    </header>
  )
}

function Crumbs() {
  const route = useRoute((state) => state.route)
  const count = useFleet((state) => Object.keys(state.machines).length)
  const machine = useMachine(route.screen === 'machine' ? route.machineId : null)
  useWindowTitle(route, machine)
  if (route.screen === 'logs') {
    const shown = route.machineIds.length === 0 ? count : route.machineIds.length
    return (
      <div className={styles.crumbs}>
        <h1>{screenTitles.logs}</h1>
        <span className={styles.aside}>{shown === 1 ? '1 machine' : `${shown} machines`}</span>
      </div>
    )
  }
  if (route.screen !== 'fleet' && route.screen !== 'machine')
    return (
      <div className={styles.crumbs}>
        <h1>{screenTitles[route.screen]}</h1>
      </div>
    )
  if (route.screen === 'fleet')
    return (
      <div className={styles.crumbs}>
        <h1>{screenTitles.fleet}</h1>
        {count > 0 && <span className={styles.aside}>{count === 1 ? '1 machine' : `${count} machines`}</span>}
      </div>
    )
  return (
    <div className={styles.crumbs}>
      <button type="button" className={styles.crumb} onClick={() => go({ screen: 'fleet' })}>
        Fleet
      </button>
      <span className={styles.aside} aria-hidden>
        /
      </span>
      <h1 dir="auto" title={machine?.name}>
        {machine?.name ?? unknownMachine}
      </h1>
      {machine !== undefined && (
        <>
          <MachineId machine={machine} />
          <MachineStateBadge machine={machine} />
        </>
      )}
    </div>
  )
}

/** What the machine is called elsewhere: its instance id, or its host name where that says more than its name. */
function MachineId({ machine }: { machine: MachineView }) {
  const id = machine.provider?.kind === 'ec2' ? machine.provider.instanceId : machine.hostname
  if (id === null || id === machine.name) return null
  return (
    <span className={styles.host} data-testid="machine-id">
      {id}
    </span>
  )
}
