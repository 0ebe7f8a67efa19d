import type { ContainerInfo } from 'dockerode'
import { expect, test } from 'vitest'
import { Problem } from '../../shared/errors.ts'
import type { DeployJournal } from './journal.ts'
import { restore } from './restore.ts'
import type { DeployParts } from './run-deploy.ts'
import { ServicesFile } from './services-file.ts'

/** A machine whose old API stands aside, and where someone has its name. */
function machine(holder: { deploy: string; seenAfter: number }) {
  const asked: string[] = []
  let looks = 0
  let taken = true
  const made = { Id: 'id-new', Names: ['/ghosthands-api'], Labels: { 'gh.deploy': holder.deploy } }
  const docker = {
    async listContainers(labels: string[] = []) {
      const seen = taken && ++looks > holder.seenAfter
      const isMeant = labels.every((label) => label === `gh.deploy=${holder.deploy}`)
      return (seen && isMeant ? [made] : []) as unknown as ContainerInfo[]
    },
    inspectContainer: async (id: string) => ({ id, name: 'ghosthands-api.aside-7', running: false }),
    async renameContainer() {
      asked.push('rename')
      if (taken) throw new Problem('conflict', 'Docker: the name is in use')
    },
    stopContainer: async () => {},
    async removeContainer(id: string) {
      asked.push(`remove ${id}`)
      taken = false
    },
    startContainer: async (id: string) => void asked.push(`start ${id}`),
  }
  const instance = { service: 'api', name: 'ghosthands-api', port: 1, oldId: 'id-old', wasAlive: true }
  const parts = {
    ...{ docker, log: () => {}, store: { savePlan: () => {}, mayBeEnding: () => false } },
    files: new ServicesFile('/nonexistent/services.json', '/nonexistent/.env'),
  } as unknown as DeployParts
  const journal = {
    deploy: { id: 7, plan: { images: {}, previous: {}, instances: [instance] } },
    take: (_step: string, action: string, _on: unknown, work: () => Promise<unknown>) =>
      action === 'health' ? Promise.resolve() : work(),
  } as unknown as DeployJournal
  return { asked, restore: () => restore(parts, journal) }
}

test('a container that Docker was still making when its agent ended is waited for, and removed', async () => {
  const { asked, restore } = machine({ deploy: '7', seenAfter: 3 })
  expect(await restore()).toEqual([])
  expect(asked).toEqual(['rename', 'rename', 'remove id-new', 'rename', 'start id-old'])
})

test("a name that someone else's container has is not waited for", async () => {
  const { asked, restore } = machine({ deploy: '8', seenAfter: 0 })
  expect(await restore()).toEqual([expect.stringContaining('ghosthands-api could not be put back')])
  expect(asked).toEqual(['rename'])
})
