import { Play } from 'lucide-react'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import styles from '../fleet/Fleet.module.css'
import { localMachine, useFleet } from '../fleet/fleet.store.ts'
import { LocalProgress } from './LocalProgress.tsx'
import { tryLocal, useLocalStart } from './local.store.ts'

/** Above the fleet, while this computer's own agent is off or on its way: how to have it back. */
export function LocalOffer() {
  const machine = useFleet((state) => localMachine(state.machines))
  const start = useLocalStart((state) => state.start)
  if (start.phase === 'starting' && start.watched) return <LocalProgress since={start.since} />
  if (machine === undefined || machine.state === 'running' || machine.state === 'starting') return null
  return (
    <Card className={styles.local ?? ''}>
      <p>
        <strong>{machine.name} is off.</strong>
        Its agent ends with this console; its browser profile is kept.
      </p>
      {start.phase === 'failed' && <ErrorText problem={start.problem} />}
      <Button
        icon={<Play size={15} aria-hidden />}
        busy={start.phase === 'starting'}
        data-testid="try-local"
        onClick={() => void tryLocal()}
      >
        Start again
      </Button>
    </Card>
  )
}
