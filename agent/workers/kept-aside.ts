import { asideForStart, labelNames, nameBeforeStart } from '../docker/managed.ts'
import type { DockerOperations } from '../docker/operations.ts'

type Operations = Pick<DockerOperations, 'listContainers' | 'removeContainer' | 'renameContainer'>

/** Frees the name of a stopped worker for its successor; it is kept until that one has shown life. */
export async function keepAside(docker: Operations, old: { id: string; name: string }): Promise<void> {
  await docker.renameContainer(old.id, asideForStart(old.name))
}

/**
 * Ends what a start left aside, by what Docker has, so that it also works for an agent that ended in the middle: where
 * the successor runs the old one is removed, otherwise it takes its place again.
 */
export async function settleAside(docker: Operations): Promise<void> {
  const all = await docker.listContainers([`${labelNames.managed}=true`])
  for (const info of all) {
    const name = nameBeforeStart(nameOf(info))
    if (name === undefined) continue
    const successor = all.find((other) => nameOf(other) === name)
    if (successor?.State === 'running' || successor?.State === 'paused') {
      await docker.removeContainer(info.Id)
      continue
    }
    if (successor !== undefined) await docker.removeContainer(successor.Id)
    await docker.renameContainer(info.Id, name)
  }
}

function nameOf({ Names }: { Names: string[] }): string {
  return (Names[0] ?? '').replace(/^\//, '')
}
