import http from 'node:http'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { DockerEngine } from './engine.ts'
import { toManaged } from './managed.ts'
import { DockerOperations } from './operations.ts'

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

test('an engine that says null where it has none, as Podman does, is understood', async () => {
  const { folder, remove } = freshFolder('podman')
  const socketPath = path.join(folder, 'podman.sock')
  const labels = { 'gh.managed': 'true', 'gh.service': 'worker' }
  const server = http.createServer(({ url = '' }, response) => {
    const isList = url.startsWith('/containers/json')
    response.end(
      isList ? JSON.stringify([{ Id: 'x', Names: null, Ports: null, State: 'running', Labels: labels }]) : 'OK',
    )
  })
  ends.push(remove, () => server.close())
  await new Promise<void>((resolve) => server.listen(socketPath, resolve))
  const env = { DOCKER_HOST: `unix://${socketPath}` }
  const engine = new DockerEngine(env, () => {})
  ends.push(() => engine.close())
  const [info] = await new DockerOperations(engine, env).listContainers()
  expect(info).toMatchObject({ Names: [], Ports: [] })
  expect(info && toManaged(info)).toMatchObject({ id: 'x', running: true })
})
