import type { ContainerInfo } from 'dockerode'
import { expect, test } from 'vitest'
import type { CallContext } from '../server/handlers.ts'
import { containersRoutes } from './containers.routes.ts'
import { OneAtATime } from './one-at-a-time.ts'
import type { DockerOperations } from './operations.ts'

test('one that Docker removes when it ends was stopped all the same', async () => {
  const info = { Id: 'id-one', Names: ['/one'], Image: 'i', State: 'running', Status: 'Up', Ports: [], Created: 0 }
  let all = [info]
  const docker = {
    listContainers: async () => all as unknown as ContainerInfo[],
    async stopContainer() {
      all = []
    },
  } as unknown as DockerOperations
  const parts = { docker, stopLimitMs: () => 1000, lock: new OneAtATime(), refuseDuringDeploy: () => {} }
  const stop = containersRoutes(parts)['containers.stop']
  expect(await stop({ id: 'one' }, {} as CallContext)).toMatchObject({ id: 'id-one', name: 'one', state: 'removed' })
})
