import { chmodSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { noDockerProblem } from './no-docker.ts'

const { PATH } = process.env
let remove = () => {}
afterEach(() => {
  process.env['PATH'] = PATH
  remove()
})

test('an engine that is stopped is to be started, one that is not there is to be installed', () => {
  const fresh = freshFolder('path')
  remove = fresh.remove
  process.env['PATH'] = fresh.folder
  const add = (program: string) => {
    writeFileSync(path.join(fresh.folder, program), '')
    chmodSync(path.join(fresh.folder, program), 0o755)
  }
  const said = () => noDockerProblem({ DOCKER_HOST: `unix://${fresh.folder}/none.sock` }).message
  add('apt-get')
  expect(said()).toMatch(/No Docker engine answers on its socket\. Install it with: .*docker\.io$/)
  add('podman')
  expect(said()).toMatch(/It is installed: start it, for example with "systemctl start podman\.socket"\.$/)
  add('dockerd')
  expect(said()).toMatch(/It is installed: start it, for example with "systemctl start docker"\.$/)
})
