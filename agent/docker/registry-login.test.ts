import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { registryLogin, registryOf } from './registry-login.ts'

let folder: string
let remove: () => void
let pathBefore: string | undefined
beforeEach(() => {
  ;({ folder, remove } = freshFolder('login'))
  pathBefore = process.env['PATH']
})
afterEach(() => {
  process.env['PATH'] = pathBefore
  remove()
})
const ask = (reference: string) => registryLogin(reference, { DOCKER_CONFIG: folder })
const config = (value: unknown) => writeFileSync(path.join(folder, 'config.json'), JSON.stringify(value))

test.each([
  ['ghosthands:v1', 'https://index.docker.io/v1/'],
  ['team/ghosthands:v1', 'https://index.docker.io/v1/'],
  ['registry.example/team/ghosthands', 'registry.example'],
  ['127.0.0.1:5000/x', '127.0.0.1:5000'],
  ['localhost/x', 'localhost'],
])('the registry of %s is %s', (reference, registry) => {
  expect(registryOf(reference)).toBe(registry)
})

test('no configuration, a broken one, or no entry: no login', async () => {
  expect(await ask('registry.example/x')).toBeUndefined()
  writeFileSync(path.join(folder, 'config.json'), 'not JSON')
  expect(await ask('registry.example/x')).toBeUndefined()
  config({ auths: { 'other.example': { auth: 'eDp5' } } })
  expect(await ask('registry.example/x')).toBeUndefined()
})

test('a login that is stored, with a colon in its password', async () => {
  config({ auths: { 'registry.example': { auth: Buffer.from('me:a:b').toString('base64') } } })
  expect(await ask('registry.example/x')).toEqual({
    username: 'me',
    password: 'a:b',
    serveraddress: 'registry.example',
  })
})

test('a credential helper is asked, with the registry on its standard input', async () => {
  const bin = path.join(folder, 'bin')
  mkdirSync(bin)
  const helper = path.join(bin, 'docker-credential-test')
  writeFileSync(helper, '#!/bin/sh\nread server\nprintf \'{"Username":"%s","Secret":"%s"}\' "$1" "$server"\n')
  chmodSync(helper, 0o755)
  process.env['PATH'] = `${bin}:${pathBefore}`
  config({ credHelpers: { 'registry.example': 'test' } })
  expect(await ask('registry.example/x')).toMatchObject({ username: 'get', password: 'registry.example' })
  config({ credsStore: '../../bin/sh' })
  expect(await ask('registry.example/x')).toBeUndefined()
})
