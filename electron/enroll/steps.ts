import { Problem } from '../../shared/errors.ts'
import type { IpcEventData } from '../../shared/ipc.ts'

export type EnrollStep = IpcEventData<'enroll.step'>
export type StepName = EnrollStep['step']

export interface Done<Value> {
  value: Value
  detail: string
}

/** The steps of one enrolment or upgrade: each is told when it begins, and how it ended. */
export class Steps {
  readonly #enrollId: string
  readonly #signal: AbortSignal
  readonly #onStep: (step: EnrollStep) => void

  constructor(enrollId: string, signal: AbortSignal, onStep: (step: EnrollStep) => void) {
    this.#enrollId = enrollId
    this.#signal = signal
    this.#onStep = onStep
  }

  async take<Value>(step: StepName, act: () => Promise<Done<Value>>): Promise<Value> {
    try {
      if (this.#signal.aborted) throw new Problem('cancelled', 'The installation was cancelled.')
      this.tell(step, 'running', '')
      const { value, detail } = await act()
      this.tell(step, 'done', detail)
      return value
    } catch (error) {
      const problem = Problem.from(error)
      this.tell(step, 'failed', problem.message)
      throw problem
    }
  }

  tell(step: StepName, state: EnrollStep['state'], detail: string): void {
    this.#onStep({ enrollId: this.#enrollId, step, state, detail })
  }
}

export const done = (detail: string): Done<undefined> => ({ value: undefined, detail })
