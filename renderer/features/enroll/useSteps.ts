import { useEffect, useState } from 'react'
import { onIpcEvent } from '../../app/bridge.ts'
import type { Step } from './Steps.tsx'

/** The steps of one run as main tells them; those of other runs, and of other windows, are passed over. */
export function useSteps() {
  const [enrollId, setEnrollId] = useState<string | null>(null)
  const [steps, setSteps] = useState<readonly Step[]>([])
  useEffect(() => {
    if (enrollId === null) return undefined
    return onIpcEvent('enroll.step', (step) => {
      if (step.enrollId !== enrollId) return
      setSteps((before) => [
        ...before.filter((one) => one.step !== step.step || (one.state === 'undone') !== (step.state === 'undone')),
        step,
      ])
    })
  }, [enrollId])
  /** Begins to listen; the id is for main. */
  const begin = async (): Promise<string> => {
    const made = crypto.randomUUID()
    setSteps([])
    setEnrollId(made)
    // The listener is there once the screen was drawn with the new id.
    await new Promise((resolve) => requestAnimationFrame(() => resolve(undefined)))
    return made
  }
  return { steps, begin }
}
