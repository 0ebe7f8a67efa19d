import { compareVersions } from '../../shared/domain/versions.ts'

/** What to say when console and agent are not of the same release; patch releases fit each other. */
export function compatibilityOf(console: string, agent: string | null): string | null {
  if (agent === null) return null
  const release = (version: string) => `${version.split('.').slice(0, 2).join('.')}.0`
  const order = compareVersions(release(console), release(agent))
  if (order === 0) return null
  return order > 0
    ? `This console (${console}) is newer than the agent (${agent}): some things are missing there. Update the agent.`
    : `The agent (${agent}) is newer than this console (${console}): it may have things that are not shown here. Update the console.`
}
