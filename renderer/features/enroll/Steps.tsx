import type { IpcEventData } from '../../../shared/ipc.ts'
import { StateDot } from '../../ui/StateDot.tsx'
import styles from './Steps.module.css'

type Step = IpcEventData<'enroll.step'>

const titles: Record<Step['step'], string> = {
  connect: 'Log in',
  check: 'Look at the machine',
  node: 'Node',
  copy: 'Copy the agent',
  secret: 'Make a secret',
  service: 'Install the service',
  verify: 'Verify',
  register: 'Register',
}

const looks = {
  running: { tone: 'engine', shape: 'round', pulsing: true, word: 'under way' },
  done: { tone: 'up', shape: 'round', word: 'done' },
  failed: { tone: 'broken', shape: 'diamond', word: 'failed' },
  undone: { tone: 'off', shape: 'square', word: 'undone' },
} as const

/** What was done so far, a line each. */
export function Steps({ steps }: { steps: readonly Step[] }) {
  return (
    <ol className={styles.steps} aria-live="polite" data-testid="enroll-steps">
      {steps.map(({ step, state, detail }) => {
        const { word, ...look } = looks[state]
        return (
          <li key={step} data-state={state}>
            <StateDot {...look} />
            <span>{state === 'undone' ? 'Undo' : titles[step]}</span>
            <small>{detail === '' ? word : detail}</small>
          </li>
        )
      })}
    </ol>
  )
}
