import { useEffect, useRef, useState } from 'react'
import { withStep } from '../../../shared/domain/enroll-steps.ts'
import { onIpcEvent } from '../../app/bridge.ts'
import type { Step } from './Steps.tsx'

/** The steps of one run as main tells them; those of other runs, and of other windows, are passed over. */
export function useSteps() {
  const current = useRef<string | null>(null)
  const [steps, setSteps] = useState<readonly Step[]>([])
  useEffect(
    () =>
      onIpcEvent('enroll.step', (step) => {
        if (step.enrollId !== current.current) return
        setSteps((before) => withStep(before, step))
      }),
    [],
  )
  /** Begins a run; its id is for main. */
  const begin = (): string => {
    current.current = crypto.randomUUID()
    setSteps([])
    return current.current
  }
  return { steps, begin }
}
