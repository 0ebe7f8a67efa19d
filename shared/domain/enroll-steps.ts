/** The steps of an enrolment, in their order. */
export const enrollSteps = ['connect', 'check', 'node', 'copy', 'secret', 'service', 'verify', 'register'] as const
