import { statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { makeFolder } from './make-folder.ts'

const { folder, remove } = freshFolder('make')
afterAll(remove)

test('a folder is made with those above it, and one that is there is left alone', () => {
  const wanted = path.join(folder, 'a', 'b', 'c')
  makeFolder(wanted, 0o700, 'SETTING')
  makeFolder(wanted, 0o755, 'SETTING')
  expect(statSync(wanted).mode & 0o777).toBe(0o700)
  expect(statSync(path.dirname(wanted)).mode & 0o777).toBe(0o700)
})

test('where there can be none, that is said at once, with the setting to change', () => {
  const file = path.join(folder, 'file')
  writeFileSync(file, '')
  expect(() => makeFolder(path.join(file, 'x'), 0o700, 'PILOTHOUSE_SOCKET')).toThrow(
    /The folder .+file\/x cannot be made: E.+ Set PILOTHOUSE_SOCKET to another\./,
  )
})

test.runIf(process.platform === 'linux')('a place that takes no folders does not hold the agent', () => {
  expect(() => makeFolder('/proc/pilothouse/data', 0o700, 'PILOTHOUSE_DATA_DIR')).toThrow(/cannot be made/)
})
