import { Problem } from '../../shared/errors.ts'
import type { ImageFacts } from '../docker/operations.ts'
import type { Service } from './services-schema.ts'

/** What Docker calls the processors that Node has other names for. */
const dockerNames: Partial<Record<NodeJS.Architecture, string>> = { x64: 'amd64', ia32: '386' }

/** Refuses an image that no container can be started from, while everything still runs. */
export function refuseWithoutCommand(name: string, { hasCommand }: ImageFacts, { command }: Service): void {
  if (hasCommand || (command !== undefined && command.length > 0)) return
  throw new Problem(
    'conflict',
    `${name} does not say what to run. Give it a CMD, or the service a "command" in services.json.`,
  )
}

/**
 * What to say when an image for other processors did not come to run. No reason to refuse it before: many machines
 * can run those of others.
 */
export function foreignProcessor(
  { architecture }: ImageFacts,
  own: NodeJS.Architecture = process.arch,
): string | undefined {
  const machine = dockerNames[own] ?? own
  if (architecture === '' || architecture === machine) return undefined
  return `The image is for ${architecture} processors, and this machine has ${machine}: build it for those.`
}
