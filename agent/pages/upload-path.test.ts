import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { uploadFiles, uploadPath } from './upload-path.ts'

let base = ''
let folder = ''
beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'upload-')))
  folder = path.join(base, 'uploads')
  mkdirSync(path.join(folder, 'sub'), { recursive: true })
  mkdirSync(path.join(base, 'uploads-not'))
  writeFileSync(path.join(base, 'secret'), 'x')
  writeFileSync(path.join(base, 'uploads-not', 'a'), 'x')
  writeFileSync(path.join(folder, 'a.txt'), 'x')
  writeFileSync(path.join(folder, '..b'), 'x')
  symlinkSync(path.join(base, 'secret'), path.join(folder, 'link'))
  symlinkSync(base, path.join(folder, 'up'))
  symlinkSync('a.txt', path.join(folder, 'inner'))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

test('a file of the folder, by name, by path, through a link that stays inside', () => {
  const real = path.join(folder, 'a.txt')
  for (const given of ['a.txt', './sub/../a.txt', real, 'inner']) expect(uploadPath(folder, given)).toBe(real)
})

test.each([
  '../secret',
  '/etc/passwd',
  'sub/../../secret',
  'link',
  'up/secret',
  'up/uploads-not/a',
  '../uploads-not/a',
  'a.txt\0.png',
  '.',
  'sub',
])('%j never leaves it', (given) => {
  expect(() => uploadPath(folder, given)).toThrow(expect.objectContaining({ code: 'forbidden' }))
})

test.each(['nothing', 'sub/nothing', 'x'.repeat(1000)])('%j is not there', (given) => {
  expect(() => uploadPath(folder, given)).toThrow(expect.objectContaining({ code: 'not-found' }))
})

test('what is outside cannot be told to exist or not', () => {
  expect(() => uploadPath(folder, '../nothing')).toThrow(expect.objectContaining({ code: 'forbidden' }))
})

test('listed are the plain files of the folder, and nothing that a link leads to', () => {
  expect(
    uploadFiles(folder)
      .files.map((file) => file.path)
      .sort(),
  ).toEqual(['..b', 'a.txt'])
  expect(uploadFiles(folder)).toMatchObject({ folder, more: false })
})
