import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import type { DockerOperations } from '../docker/operations.ts'
import { BuildService } from './build.service.ts'
import { ServicesFile } from './services-file.ts'
import { problemOf } from './test-machine.ts'

let folder: string
let remove: () => void
beforeEach(() => {
  ;({ folder, remove } = freshFolder('build'))
  writeFileSync(path.join(folder, 'Dockerfile'), 'FROM x\n')
  const services = { image: 'ghosthands', build: { folder: '.' }, services: {} }
  writeFileSync(path.join(folder, 'services.json'), JSON.stringify(services))
})
afterEach(() => remove())

const build = (buildImage: (context: () => NodeJS.ReadableStream) => Promise<void>) => {
  const docker = { buildImage } as unknown as DockerOperations
  const files = new ServicesFile(path.join(folder, 'services.json'), path.join(folder, '.env'))
  return new BuildService({ docker, files, publish: () => {} }).build('b1')
}

test('what cannot be copied is left out of what Docker gets', async () => {
  execFileSync('mkfifo', [path.join(folder, 'pipe')])
  writeFileSync(path.join(folder, 'wanted'), 'wanted content')
  let sent = ''
  await build(async (context) => {
    for await (const chunk of context()) sent += String(chunk)
  })
  expect(sent).toContain('wanted content')
  expect(sent).not.toContain('pipe')
})

test('a folder that cannot be read is to blame, and not Docker', async () => {
  const problem = await problemOf(
    build(async (context) => {
      rmSync(folder, { recursive: true })
      const [error] = await once(context(), 'error')
      throw error
    }),
  )
  expect([problem.code, problem.message]).toEqual(['conflict', expect.stringContaining('could not be read whole')])
})
