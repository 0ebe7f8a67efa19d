import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { tryLock, withLock } from './lock.mjs'

let folder = ''
let file = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pilothouse-lock-'))
  file = join(folder, 'setup.lock')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A pid that was real and is over. */
const deadPid = () => spawnSync(process.execPath, ['-e', '']).pid

test('is taken once, and leaves nothing else behind', () => {
  expect(tryLock(file)).toBe(true)
  expect(JSON.parse(readFileSync(file, 'utf8')).pid).toBe(process.pid)
  expect(tryLock(file)).toBe(false)
  expect(readdirSync(folder)).toEqual(['setup.lock'])
})

test.each([
  ['a dead owner', () => JSON.stringify({ pid: deadPid() })],
  ['no readable owner', () => '{"pid":'],
])('is taken from %s', (_what, content) => {
  writeFileSync(file, content())
  expect(tryLock(file)).toBe(true)
  expect(JSON.parse(readFileSync(file, 'utf8')).pid).toBe(process.pid)
})

test.runIf(process.platform === 'linux')("is taken when the owner's number now belongs to another program", () => {
  writeFileSync(file, JSON.stringify({ pid: process.pid, started: '1' }))
  expect(tryLock(file)).toBe(true)
})

test('is not taken from another living process', async () => {
  const other = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] })
  await once(other, 'spawn')
  writeFileSync(file, JSON.stringify({ pid: other.pid }))
  try {
    expect(tryLock(file)).toBe(false)
  } finally {
    other.kill()
    await once(other, 'exit')
  }
  expect(tryLock(file)).toBe(true)
})

test('two holders never overlap, and a failure releases it', async () => {
  const order: string[] = []
  const hold = (name: string) =>
    withLock(file, async () => {
      order.push(`${name} in`)
      await new Promise((resolve) => setTimeout(resolve, 20))
      order.push(`${name} out`)
    })
  await Promise.all([hold('a'), hold('b')])
  expect(order).toEqual(['a in', 'a out', 'b in', 'b out'])
  await expect(withLock(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(existsSync(file)).toBe(false)
})
