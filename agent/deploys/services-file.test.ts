import { spawn, spawnSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { ServicesFile } from './services-file.ts'
import { defaultServices } from './services-schema.ts'

let folder: string
let remove: () => void
let file: ServicesFile
beforeEach(() => {
  ;({ folder, remove } = freshFolder('services'))
  file = new ServicesFile(path.join(folder, 'services.json'), path.join(folder, '.env'))
})
afterEach(() => remove())
const write = (value: unknown) => writeFileSync(path.join(folder, 'services.json'), JSON.stringify(value))

test('without a file there are the three services as the fleet knows them', () => {
  const { services } = file.read()
  expect(Object.values(services).map((service) => service?.name)).toEqual([
    'ghosthands-api',
    'ghosthands-worker',
    'ghosthands-deploy-server',
  ])
  expect([services.api?.port, services.worker?.port, services.worker?.portVariable]).toEqual([
    3100,
    3101,
    'GH_WORKER_PORT',
  ])
  expect(file.inStartOrder().map(({ service }) => service)).toEqual(['api', 'worker', 'deploy-server'])
  expect(file.env()).toEqual(new Map())
})

test('a file that is not JSON, or not right, is named with what is wrong in it', () => {
  writeFileSync(path.join(folder, 'services.json'), '{')
  expect(() => file.read()).toThrow(/services\.json cannot be used: it is not JSON/)
  write({ ...defaultServices, services: { worker: { name: 'x; rm' } } })
  expect(() => file.read()).toThrow(/services\.worker\.name: letters, digits/)
  write({ ...defaultServices, mounts: [] })
  expect(() => file.read()).toThrow(/Unrecognized key: "mounts"/)
  write({ ...defaultServices, image: 'Some Thing' })
  expect(() => file.read()).toThrow(/image: an image repository without a tag/)
})

test('two services cannot share a name, or one begin with the name of another', () => {
  const { api, worker } = defaultServices.services
  write({ image: 'x', services: { api: { ...api, name: 'ghosthands-worker' }, worker } })
  expect(() => file.read()).toThrow(/"ghosthands-worker" is that of two services/)
})

test('is read afresh each time, and the folder to build from is beside it', () => {
  write({ ...defaultServices, build: { folder: 'source' } })
  expect(file.buildFolder()).toBe(path.join(folder, 'source'))
  write({ ...defaultServices, image: 'registry.example:5000/team/ghosthands' })
  expect(file.read().image).toBe('registry.example:5000/team/ghosthands')
  expect(file.buildFolder()).toBeUndefined()
})

test('a pipe in the place of a file is refused: to wait for it would stop everything else', () => {
  const pipes = ['.env', 'services.json'].map((name) => path.join(folder, name))
  spawnSync('mkfifo', pipes)
  // Whoever reads one after all gets nothing from these, instead of waiting for ever.
  const writers = pipes.map((pipe) => spawn('sh', ['-c', ': > "$0"', pipe]))
  expect(() => file.env()).toThrow('.env is not a plain file')
  expect(() => file.read()).toThrow('services.json is not a plain file')
  for (const writer of writers) writer.kill()
})

test('the empty device is a file without variables', () => {
  symlinkSync('/dev/null', path.join(folder, '.env'))
  expect(file.env().size).toBe(0)
})
