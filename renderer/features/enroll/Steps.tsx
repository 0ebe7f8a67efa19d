import type { IpcEventData } from '../../../shared/ipc.ts'
import { StateDot } from '../../ui/StateDot.tsx'
import styles from './Steps.module.css'

export type Step = IpcEventData<'enroll.step'>
export type StepName = Step['step']

const titles: Record<StepName, string> = {
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
  waiting: { tone: 'off', shape: 'round', word: 'to do' },
  running: { tone: 'engine', shape: 'round', pulsing: true, word: 'under way' },
  done: { tone: 'up', shape: 'round', word: 'done' },
  failed: { tone: 'broken', shape: 'diamond', word: 'failed' },
  undone: { tone: 'off', shape: 'square', word: 'undone' },
} as const

/** All that is to be done, a line each, with how far each has come. */
export function Steps({ all, steps }: { all: readonly StepName[]; steps: readonly Step[] }) {
  const undone = steps.find(({ state }) => state === 'undone')
  const lines = all.map((name) => {
    const told = steps.find(({ step, state }) => step === name && state !== 'undone')
    const state: keyof typeof looks = told?.state ?? 'waiting'
    return { key: name as string, title: titles[name], state, detail: told?.detail ?? '' }
  })
  if (undone !== undefined) lines.push({ key: 'undo', title: 'Undo', state: 'undone', detail: undone.detail })
  return (
    <ol className={styles.steps} aria-live="polite" data-testid="enroll-steps">
      {lines.map(({ key, title, state, detail }) => {
        const { word, ...look } = looks[state]
        return (
          <li key={key} data-step={key} data-state={state}>
            <StateDot {...look} />
            <span>{title}</span>
            <small>{detail === '' ? word : detail}</small>
          </li>
        )
      })}
    </ol>
  )
}
