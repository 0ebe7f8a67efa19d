import { useDeferredValue } from 'react'
import { useFleet } from '../features/fleet/fleet.store.ts'
import { once } from '../features/fleet/once.ts'
import { useNow } from '../ui/clock.ts'
import { StateDot } from '../ui/StateDot.tsx'
import { useApp } from './app.store.ts'
import styles from './Shell.module.css'

/** A machine that was heard from within this time counts as seen now. */
const freshMs = 5000

const keychainWords = {
  ready: 'keychain unlocked',
  missing: 'no keychain: secrets last for this run',
  locked: 'keychain locked: secrets last for this run',
  weak: 'weak keychain: secrets last for this run',
} as const

/** What can be trusted on this screen right now. */
export function StatusLine() {
  const info = useApp((state) => state.info)
  return (
    <footer className={styles.status}>
      <Freshness />
      {info !== null && (
        <>
          <span className={styles.statusEnd}>
            {info.settings.operator} on this computer · {keychainWords[info.keychain.state]}
          </span>
          <span>Pilothouse {info.version}</span>
        </>
      )}
    </footer>
  )
}

const verifiedAt = once(({ lastVerifiedAt }) => (lastVerifiedAt === null ? 0 : Date.parse(lastVerifiedAt)))

function Freshness() {
  const now = useNow()
  // What is pressed or scrolled goes first.
  const machines = useDeferredValue(useFleet((state) => state.machines))
  const streams = useApp((state) => state.openStreams)
  const all = Object.values(machines)
  if (all.length === 0) return <span>no machines yet</span>
  const fresh = all.filter((machine) => now - verifiedAt(machine) <= freshMs).length
  const running = all.filter((machine) => machine.state === 'running').length
  const look = fresh === 0 ? 'off' : fresh >= running ? 'up' : 'unknown'
  const tunnels = all.filter(({ tunnel, links }) => tunnel.kind !== 'local' && links.tunnel.state === 'up').length
  return (
    <>
      <span>
        <StateDot tone={look} shape={look === 'up' ? 'round' : look === 'off' ? 'square' : 'diamond'} />
        {fresh} of {all.length === 1 ? '1 machine' : `${all.length} machines`} verified in the last 5 s
      </span>
      {tunnels > 0 && <span data-testid="open-tunnels">{tunnels === 1 ? '1 tunnel' : `${tunnels} tunnels`} up</span>}
      {streams > 0 && <span data-testid="open-streams">{streams === 1 ? '1 stream' : `${streams} streams`}</span>}
    </>
  )
}
