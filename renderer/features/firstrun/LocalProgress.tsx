import { go } from '../../app/route.ts'
import { Card } from '../../ui/Card.tsx'
import { Progress } from '../../ui/Progress.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { localMachine, useFleet } from '../fleet/fleet.store.ts'
import { linkLook, linkTitles } from '../machine/look.ts'
import styles from './FirstRun.module.css'
import { leaveLocalStart } from './local.store.ts'

/** What main reports of the machine while it comes up: the links of its chain are the steps. */
export function LocalProgress({ since }: { since: number }) {
  const machine = useFleet((state) => localMachine(state.machines))
  return (
    <Card className={styles.work ?? ''} data-testid="local-progress">
      {machine !== undefined && (
        <ul className={styles.steps}>
          {(['agent', 'browser'] as const).map((name) => {
            const look = linkLook(name, machine.links[name], machine)
            return (
              <li key={name} className={styles.step}>
                <StateDot {...look} />
                {linkTitles[name]} <small>{machine.links[name].detail || look.word}</small>
              </li>
            )
          })}
        </ul>
      )}
      <Progress
        label={
          machine?.links.agent.state === 'up'
            ? 'Starting a browser on a display of its own'
            : 'Starting the agent on this computer'
        }
        since={since}
        wayOut={{
          title: 'Let it go on in the background',
          run: () => {
            leaveLocalStart()
            go({ screen: 'fleet' })
          },
        }}
      />
    </Card>
  )
}
