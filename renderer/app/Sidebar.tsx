import { Activity, Cpu, Hand, LayoutGrid, Rocket, ScrollText, Settings } from 'lucide-react'
import type { ReactNode } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { running, useDeploys } from '../features/deploys/deploys.store.ts'
import { useFleet } from '../features/fleet/fleet.store.ts'
import { machineLook } from '../features/machine/look.ts'
import { openRequests, useTakeovers } from '../features/takeovers/takeovers.store.ts'
import { countRunning, useWorkers } from '../features/workers/workers.store.ts'
import { Kbd } from '../ui/Kbd.tsx'
import { StateDot } from '../ui/StateDot.tsx'
import { useKeysOf } from './actions.ts'
import { usePins } from './pins.ts'
import { go, type Route, useRoute } from './route.ts'
import styles from './Shell.module.css'

/** The short way to every screen, and to the machines a person keeps at hand. */
export function Sidebar() {
  const keys = useKeysOf('go.settings')
  const route = useRoute((state) => state.route)
  const pins = usePins((state) => state.pins)
  const pinned = useFleet(useShallow((state) => pins.flatMap((id) => state.machines[id] ?? [])))
  const workers = useWorkers((state) => countRunning(state.known))
  const deploying = useDeploys((state) => running(state.rollouts).length)
  const count = useFleet((state) => Object.keys(state.machines).length)
  const wanted = useTakeovers((state) => openRequests(state.requests).length)
  return (
    <nav className={styles.side} aria-label="Main">
      <div className={styles.brand}>
        <span className={styles.mark} aria-hidden /> Pilothouse
      </div>
      <SideLink
        to={{ screen: 'fleet' }}
        current={route.screen === 'fleet'}
        icon={<LayoutGrid size={16} aria-hidden />}
        title="Fleet"
        end={count > 0 && <span className={styles.count}>{count}</span>}
      />
      <SideLink
        to={{ screen: 'takeovers' }}
        current={route.screen === 'takeovers'}
        icon={<Hand size={16} aria-hidden />}
        title="Takeovers"
        end={wanted > 0 && <WantedCount count={wanted} />}
      />
      <SideLink
        to={{ screen: 'workers' }}
        current={route.screen === 'workers'}
        icon={<Cpu size={16} aria-hidden />}
        title="Workers"
        end={workers > 0 && <span className={styles.count}>{workers}</span>}
      />
      <SideLink
        to={{ screen: 'deploys' }}
        current={route.screen === 'deploys'}
        icon={<Rocket size={16} aria-hidden />}
        title="Deploys"
        end={deploying > 0 && <span className={styles.count}>{deploying}</span>}
      />
      <SideLink
        to={{ screen: 'audit' }}
        current={route.screen === 'audit'}
        icon={<ScrollText size={16} aria-hidden />}
        title="Audit"
        end={null}
      />
      <SideLink
        to={{ screen: 'diagnostics' }}
        current={route.screen === 'diagnostics'}
        icon={<Activity size={16} aria-hidden />}
        title="Diagnostics"
        end={null}
      />
      <div className={styles.pinned}>
        {pinned.length > 0 && <h2 className={styles.heading}>Pinned</h2>}
        {pinned.map((machine) => (
          <SideLink
            key={machine.id}
            to={{ screen: 'machine', machineId: machine.id, tab: 'live' }}
            current={route.screen === 'machine' && route.machineId === machine.id}
            icon={
              <span className={styles.pinMark}>
                <StateDot {...machineLook(machine)} />
              </span>
            }
            title={machine.name}
            end={<span className="visually-hidden">{machineLook(machine).word}</span>}
          />
        ))}
      </div>
      <SideLink
        to={{ screen: 'settings' }}
        current={route.screen === 'settings'}
        icon={<Settings size={16} aria-hidden />}
        title="Settings"
        end={<Kbd keys={keys} />}
      />
    </nav>
  )
}

/** Amber: someone waits for a person. */
function WantedCount({ count }: { count: number }) {
  return (
    <span className={styles.wanted} data-testid="wanted-count">
      {count}
      <span className="visually-hidden">{count === 1 ? 'request waits' : 'requests wait'}</span>
    </span>
  )
}

interface SideLinkProps {
  to: Route
  current: boolean
  icon: ReactNode
  title: string
  end: ReactNode
}

function SideLink({ to, current, icon, title, end }: SideLinkProps) {
  return (
    <button
      type="button"
      className={styles.link}
      aria-current={current ? 'page' : undefined}
      // In a narrow window it is a picture only.
      title={title}
      onClick={() => go(to)}
    >
      {icon}
      <span className={styles.linkText}>{title}</span>
      {end}
    </button>
  )
}
