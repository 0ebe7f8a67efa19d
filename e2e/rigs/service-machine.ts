/** A machine with an agent and services of its own in Docker, for tests outside of the agent. */
export type { DeployPause } from '../../agent/deploys/journal.ts'
export { importServiceImage, setJobs } from '../../agent/deploys/test-image.ts'
export { startTestMachine, type TestMachine } from '../../agent/deploys/test-machine.ts'
