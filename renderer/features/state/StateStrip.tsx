import type { MachineView } from '../../../shared/domain/machine.ts'
import { Age } from '../../ui/Age.tsx'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { classes } from '../../ui/classes.ts'
import { problemText } from '../../ui/ErrorText.tsx'
import tones from '../../ui/StateDot.module.css'
import { machineCondition } from '../live/condition.ts'
import { actionTitle, panelIcons } from '../live/LivePanel.tsx'
import styles from '../machine/Tab.module.css'
import { WakeProgress } from '../power/WakeProgress.tsx'
import { useWaking } from '../power/wakes.store.ts'
import { usePanelAction } from './usePanelAction.ts'

/** Above what was last known of a machine: why it is not newer, and the one way on. */
export function StateStrip({ machine }: { machine: MachineView }) {
  const condition = machineCondition(machine)
  const waking = useWaking(machine.id)
  const { busy, act } = usePanelAction(machine)
  if (condition === null) return null
  const Icon = panelIcons[condition.icon]
  const { action } = condition
  return (
    <section className={styles.strip} aria-live="polite" data-testid="state-strip" data-state={machine.state}>
      <span className={classes(styles.icon, tones[condition.tone])}>
        <Icon size={17} aria-hidden />
      </span>
      <p>
        <strong>{condition.title}.</strong> {sentence(condition.text)}{' '}
        {condition.since !== null && (
          <>
            Changed <Age at={condition.since} />.
          </>
        )}
      </p>
      {machine.problem !== null && (
        <CopyButton
          text={problemText({ ...machine.problem, title: `${machine.name}: ${condition.title}` })}
          label="Copy the problem"
        />
      )}
      {waking ? (
        <WakeProgress machineId={machine.id} />
      ) : (
        action !== 'none' && (
          <Button variant="primary" busy={busy} data-testid={`strip-${action}`} onClick={() => act(action)}>
            {actionTitle(condition, action)}
          </Button>
        )
      )}
    </section>
  )
}

/** What programs say often ends without a full stop. */
const sentence = (text: string) => (/[.!?…]$/.test(text) ? text : `${text}.`)
