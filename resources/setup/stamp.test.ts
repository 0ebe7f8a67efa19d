import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hashTree, matchesStamp, writeStamp } from './stamp.mjs'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pilothouse-stamp-'))
  mkdirSync(join(folder, 'shared/domain'), { recursive: true })
  for (const path of ['shared/errors.ts', 'shared/domain/lease.ts']) put(path, 'x')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function put(path: string, text: string, seconds = 1000) {
  writeFileSync(join(folder, path), text)
  utimesSync(join(folder, path), seconds, seconds)
}
const hash = () => hashTree(folder, ['shared', 'absent'], (path) => !path.endsWith('.test.ts'))

test('stays the same while nothing changes, in whatever order the paths are named', () => {
  expect(hash()).toBe(hashTree(folder, ['absent', 'shared']))
})

test.each([
  ['a new time', () => put('shared/errors.ts', 'x', 2000)],
  ['a new size', () => put('shared/errors.ts', 'xy')],
  ['a new file', () => put('shared/domain/new.ts', '')],
  ['a removed file', () => rmSync(join(folder, 'shared/errors.ts'))],
  ['a new name', () => renameSync(join(folder, 'shared/errors.ts'), join(folder, 'shared/error.ts'))],
])('notices %s', (_what, change) => {
  const before = hash()
  change()
  expect(hash()).not.toBe(before)
})

test('does not notice files that are not wanted', () => {
  const before = hash()
  put('shared/errors.test.ts', 'x')
  expect(hash()).toBe(before)
})

test('a stamp matches itself only', () => {
  const file = join(folder, 'out/.stamp')
  expect(matchesStamp(file, 'a')).toBe(false)
  writeStamp(file, 'a')
  expect(matchesStamp(file, 'a')).toBe(true)
  expect(matchesStamp(file, 'b')).toBe(false)
})
