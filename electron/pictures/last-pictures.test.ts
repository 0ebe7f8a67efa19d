import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { settle, TestClock } from '../test-clock.ts'
import type { Keychain } from '../vault/keychain.ts'
import { Vault } from '../vault/vault.ts'
import { LastPictures, writeEveryMs } from './last-pictures.ts'
import { keptMs, mostPictures } from './picture-folder.ts'

const canary = 'canary-picture-7b1e'
const dayMs = 24 * 60 * 60_000
let root = ''
let folder = ''
let clock: TestClock
let items: Map<string, string>
let ids: Set<string>
let keychain: 'there' | 'none' | 'silent'
let opened = 0

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'pilothouse-pictures-'))
  folder = path.join(root, 'last-pictures')
  clock = new TestClock()
  // Files have the time of this computer.
  clock.set(Date.now())
  items = new Map()
  ids = new Set(['m1', 'm2'])
  keychain = 'there'
  opened = 0
})
afterEach(() => fs.rmSync(root, { recursive: true, force: true }))

const store: Keychain = {
  get: async (account) => items.get(account) ?? null,
  set: async (account, value) => void items.set(account, value),
  delete: async (account) => items.delete(account),
}
/** A console's pictures, as after a start. */
function start() {
  const vault = new Vault({
    open: async () => {
      opened++
      if (keychain === 'none') throw new Error('no bus')
      return keychain === 'there' ? store : { ...store, get: () => new Promise(() => {}) }
    },
    isPlain: async () => false,
    limitMs: 5,
  })
  const log = () => {}
  return new LastPictures({ folder, vault, clock, log, has: (id) => ids.has(id), machineIds: () => ids })
}
const jpeg = (text: string) => new Uint8Array(Buffer.from(`\xff\xd8${text}`, 'latin1'))
const textOf = (picture: { jpeg: Uint8Array } | null) =>
  picture === null ? null : Buffer.from(picture.jpeg).toString('latin1').slice(2)
const files = () => (fs.existsSync(folder) ? fs.readdirSync(folder) : [])
const onDisk = () => files().map((name) => fs.readFileSync(path.join(folder, name)))

test('a picture is there after a restart, with its time, and nothing of it stands in clear on the disk', async () => {
  const before = start()
  const at = clock.now()
  before.keep('m1', { at, jpeg: jpeg(canary) })
  await before.close()
  const again = start()
  expect(await again.last('m1')).toMatchObject({ at })
  expect(textOf(await again.last('m1'))).toBe(canary)
  expect(await again.last('m2')).toBeNull()
  expect(onDisk()).toHaveLength(1)
  for (const content of onDisk()) {
    expect(content.includes(canary)).toBe(false)
    expect(content.includes(Buffer.from(items.get('last-pictures:pictures') ?? 'none', 'base64url'))).toBe(false)
  }
  expect(fs.statSync(path.join(folder, files()[0] ?? '')).mode & 0o777).toBe(0o600)
  expect(fs.statSync(folder).mode & 0o777).toBe(0o700)
  expect(files().join()).not.toContain('m1')
})

test('without a keychain nothing is written, and a keychain that is locked is not asked for every picture', async () => {
  for (const state of ['none', 'silent'] as const) {
    keychain = state
    opened = 0
    const pictures = start()
    for (const id of ['m1', 'm2', 'm1']) {
      pictures.keep(id, { at: clock.now(), jpeg: jpeg(canary) })
      await clock.advance(writeEveryMs)
      await pictures.size()
    }
    expect(await pictures.last('m1')).toBeNull()
    expect(opened).toBe(1)
    await pictures.close()
    expect(files()).toEqual([])
  }
})

test('another key, no key, another machine’s file or a damaged one: no picture and no error', async () => {
  const before = start()
  before.keep('m1', { at: clock.now(), jpeg: jpeg('one') })
  before.keep('m2', { at: clock.now(), jpeg: jpeg('two') })
  await before.close()
  const key = items.get('last-pictures:pictures') ?? ''
  items.set('last-pictures:pictures', Buffer.alloc(32, 7).toString('base64url'))
  expect(await start().last('m1')).toBeNull()
  items.set('last-pictures:pictures', 'not a key')
  expect(await start().last('m1')).toBeNull()
  items.set('last-pictures:pictures', key)
  expect(textOf(await start().last('m1'))).toBe('one')
  const [first = '', second = ''] = files()
  const [one, two] = onDisk()
  fs.writeFileSync(path.join(folder, first), two ?? '')
  fs.writeFileSync(path.join(folder, second), (one ?? Buffer.alloc(0)).subarray(0, 20))
  expect([await start().last('m1'), await start().last('m2')]).toEqual([null, null])
})

test('what no key opens any more goes when a new key is made', async () => {
  const before = start()
  before.keep('m1', { at: clock.now(), jpeg: jpeg('one') })
  await before.close()
  items.delete('last-pictures:pictures')
  const after = start()
  after.keep('m2', { at: clock.now(), jpeg: jpeg('two') })
  await after.close()
  expect(files()).toHaveLength(1)
  expect(textOf(await start().last('m2'))).toBe('two')
})

test('it is written at once, then not more often than said, and whatever is left when the console ends', async () => {
  const pictures = start()
  pictures.keep('m1', { at: clock.now(), jpeg: jpeg('first') })
  await pictures.size()
  const [first] = onDisk()
  for (const text of ['second', 'third']) {
    await clock.advance(1000)
    pictures.keep('m1', { at: clock.now(), jpeg: jpeg(text) })
  }
  await pictures.size()
  expect(onDisk()[0]?.equals(first ?? Buffer.alloc(0))).toBe(true)
  expect(textOf(await pictures.last('m1'))).toBe('third')
  await clock.advance(writeEveryMs)
  await pictures.size()
  expect(textOf(await start().last('m1'))).toBe('third')
  pictures.keep('m1', { at: clock.now(), jpeg: jpeg('last') })
  pictures.keep('m1', { at: clock.now() - 1, jpeg: jpeg('late, of another window') })
  await pictures.close()
  expect(textOf(await start().last('m1'))).toBe('last')
})

test('a picture goes with its machine, also one that is handed over after it, or was left by a console that was killed', async () => {
  const pictures = start()
  for (const id of ['m1', 'm2']) pictures.keep(id, { at: clock.now(), jpeg: jpeg(id) })
  await pictures.size()
  expect(files()).toHaveLength(2)
  ids.delete('m1')
  await pictures.forget('m1')
  pictures.keep('m1', { at: clock.now(), jpeg: jpeg('late') })
  expect(await pictures.last('m1')).toBeNull()
  expect(files()).toHaveLength(1)
  await pictures.close()
  ids.delete('m2')
  const next = start()
  await clock.advance(2 * 60_000)
  expect((await next.size()).rows).toBe(0)
})

test('clearing takes the files and their key, and what comes later is kept anew', async () => {
  const pictures = start()
  pictures.keep('m1', { at: clock.now(), jpeg: jpeg('one') })
  await pictures.size()
  const key = items.get('last-pictures:pictures')
  await pictures.clear()
  expect([files(), items.has('last-pictures:pictures'), await pictures.last('m1')]).toEqual([[], false, null])
  pictures.keep('m1', { at: clock.now(), jpeg: jpeg('two') })
  await pictures.size()
  expect(textOf(await start().last('m1'))).toBe('two')
  expect(items.get('last-pictures:pictures')).not.toBe(key)
  await pictures.clearForGood()
  pictures.keep('m1', { at: clock.now(), jpeg: jpeg('three') })
  await pictures.close()
  expect([files(), items.has('last-pictures:pictures')]).toEqual([[], false])
})

test('there are never more than are kept, and none that is too old', async () => {
  ids = new Set(Array.from({ length: mostPictures + 3 }, (_, index) => `m${index}`))
  const pictures = start()
  for (const id of ids) pictures.keep(id, { at: clock.now(), jpeg: jpeg(id) })
  await pictures.close()
  expect(files()).toHaveLength(mostPictures)
  const old = new Date(clock.now() - keptMs - dayMs)
  for (const name of files().slice(0, 5)) fs.utimesSync(path.join(folder, name), old, old)
  const next = start()
  await clock.advance(2 * 60_000)
  expect((await next.size()).rows).toBe(mostPictures - 5)
  await clock.advance(keptMs)
  expect(await Promise.all([...ids].map((id) => next.last(id)))).toEqual([...ids].map(() => null))
})

test('a disk that takes nothing costs the picture, and not what was there before', async () => {
  const pictures = start()
  pictures.keep('m1', { at: clock.now(), jpeg: jpeg('one') })
  await pictures.size()
  const [name = ''] = files()
  // A folder where the new file is to stand: as root, permissions would refuse nothing.
  fs.mkdirSync(path.join(folder, `${name}.new`, 'full'), { recursive: true })
  pictures.keep('m1', { at: clock.now() + 1, jpeg: jpeg('two') })
  await clock.advance(writeEveryMs)
  await pictures.size()
  await settle()
  expect(textOf(await start().last('m1'))).toBe('one')
  await pictures.close()
})
