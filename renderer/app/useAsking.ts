import { type FormEvent, useState } from 'react'
import type { ShownProblem } from '../ui/ErrorText.tsx'
import { problemOf } from './bridge.ts'

/**
 * What forms have in common: one question to main at a time, said while it is under way, and what went wrong with it.
 * What the form itself finds wrong is its own matter: it just asks nothing.
 */
export function useAsking<Action extends string = 'submit'>() {
  const [busy, setBusy] = useState<Action | null>(null)
  const [problem, setProblem] = useState<ShownProblem | null>(null)
  const ask = async (action: Action, work: () => Promise<unknown>) => {
    if (busy !== null) return
    setBusy(action)
    setProblem(null)
    try {
      await work()
    } catch (error) {
      setProblem(problemOf(error))
    } finally {
      setBusy(null)
    }
  }
  const onSubmit = (action: Action, work: () => Promise<unknown>) => (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    // The first field that is wrong may be out of sight, and its mistake is read out with it.
    void ask(action, work).then(() => form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
  }
  return { busy, problem, setProblem, ask, onSubmit }
}
