import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { snapshot, verifyFolder } from './electron-verify.mjs'

const contents = { electron: 'the program', 'locales/de.pak': 'Worte', version: '42.0.0' }
const manifest = Object.fromEntries(
  Object.entries(contents).map(([path, text]) => [path, createHash('sha256').update(text).digest('hex')]),
)
let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pilothouse-verify-'))
  mkdirSync(join(folder, 'locales'))
  for (const [path, text] of Object.entries(contents)) writeFileSync(join(folder, path), text)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('accepts exactly what is listed', async () => {
  expect(await verifyFolder(folder, manifest)).toEqual([])
})

test('refuses a changed file, even of the same size', async () => {
  writeFileSync(join(folder, 'electron'), 'the pr0gram')
  expect(await verifyFolder(folder, manifest)).toEqual(['electron was changed'])
})

test('refuses an extra file, also in a folder that is not listed', async () => {
  mkdirSync(join(folder, 'resources'))
  writeFileSync(join(folder, 'resources/app.asar'), 'runs before ours')
  expect(await verifyFolder(folder, manifest)).toEqual(['resources/app.asar is not on the list'])
})

test('refuses a missing file', async () => {
  rmSync(join(folder, 'locales/de.pak'))
  expect(await verifyFolder(folder, manifest)).toEqual(['locales/de.pak is missing'])
})

test('refuses a link, even to the right bytes', async () => {
  const elsewhere = join(folder, '..', `${folder.split('/').at(-1)}-elsewhere`)
  writeFileSync(elsewhere, contents.electron)
  rmSync(join(folder, 'electron'))
  symlinkSync(elsewhere, join(folder, 'electron'))
  try {
    expect(await verifyFolder(folder, manifest)).toEqual(['electron is not a plain file', 'electron is missing'])
  } finally {
    rmSync(elsewhere)
  }
})

test('refuses a folder that is a link', async () => {
  rmSync(join(folder, 'locales'), { recursive: true })
  symlinkSync('/usr', join(folder, 'locales'))
  expect(await verifyFolder(folder, manifest)).toContain('locales is not a plain file')
})

test('the snapshot stays the same while nothing is touched', () => {
  expect(snapshot(folder)).toBe(snapshot(folder))
})

test.each([
  ['a new time', () => utimesSync(join(folder, 'version'), 1, 1)],
  ['a new size', () => writeFileSync(join(folder, 'version'), '42.0.0.1')],
  ['a new file', () => writeFileSync(join(folder, 'extra'), '')],
  ['a new link', () => symlinkSync('version', join(folder, 'extra'))],
  ['a missing file', () => rmSync(join(folder, 'version'))],
])('the snapshot notices %s', (_what, change) => {
  const before = snapshot(folder)
  change()
  expect(snapshot(folder)).not.toBe(before)
})
