import type { SwitchStep } from '../../../shared/contract/engines.ts'

/** The steps of a switch with how much of the line each takes; even the shortest can be read. */
export function stepShares(steps: readonly SwitchStep[]): { step: SwitchStep; key: string; share: number }[] {
  const total = steps.reduce((sum, { ms }) => sum + ms, 0)
  return steps.map((step, place) => ({
    step,
    // A step is there twice when the first engine did not connect.
    key: `${place} ${step.step}`,
    share: total === 0 ? 1 : Math.round((step.ms / total) * 100),
  }))
}
