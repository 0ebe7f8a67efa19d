/** The steps of an enrolment, in their order. */
export const enrollSteps = ['connect', 'check', 'node', 'copy', 'secret', 'service', 'verify', 'register'] as const

/** Each step as it was told last; that something was undone stands beside the steps themselves. */
export function withStep<Told extends { step: string; state: string }>(before: readonly Told[], told: Told): Told[] {
  const isOther = ({ step, state }: Told) => step !== told.step || (state === 'undone') !== (told.state === 'undone')
  return [...before.filter(isOther), told]
}
