import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { claimInstance } from './instance.ts'
import { startTime } from './local-agent/process.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'instance-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a second claim is refused and brings the first to the front', async () => {
  const toFront = vi.fn()
  const first = claimInstance(folder, toFront)
  expect(first).toBeDefined()
  expect(claimInstance(folder, () => {})).toBeUndefined()
  await expect.poll(() => toFront.mock.calls.length, { timeout: 20_000 }).toBeGreaterThan(0)
  first?.release()
  expect(existsSync(path.join(folder, 'instance.lock'))).toBe(false)
  expect(existsSync(path.join(folder, 'instance.focus'))).toBe(false)
  const next = claimInstance(folder, () => {})
  expect(next).toBeDefined()
  next?.release()
})

test('every later start brings it to the front again; a mark from an earlier run does not', async () => {
  writeFileSync(path.join(folder, 'instance.focus'), 'from before')
  const toFront = vi.fn()
  const first = claimInstance(folder, toFront)
  await new Promise((resolve) => setTimeout(resolve, 1200))
  expect(toFront).not.toHaveBeenCalled()
  for (const times of [1, 2]) {
    expect(claimInstance(folder, () => {})).toBeUndefined()
    await expect.poll(() => toFront.mock.calls.length, { timeout: 20_000 }).toBe(times)
  }
  first?.release()
})

test('what a killed console left does not count', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  const pid = child.pid ?? 0
  writeFileSync(path.join(folder, 'instance.lock'), JSON.stringify({ pid, startTime: startTime(pid) }))
  expect(claimInstance(folder, () => {})).toBeUndefined()
  child.kill('SIGKILL')
  await new Promise((resolve) => child.once('exit', resolve))
  const claimed = claimInstance(folder, () => {})
  expect(claimed).toBeDefined()
  claimed?.release()
})

test('a pid that belongs to another process by now does not count, nor does a damaged file', () => {
  writeFileSync(path.join(folder, 'instance.lock'), JSON.stringify({ pid: process.pid, startTime: 'long ago' }))
  const claimed = claimInstance(folder, () => {})
  expect(claimed).toBeDefined()
  claimed?.release()
  writeFileSync(path.join(folder, 'instance.lock'), '{"pid":')
  const again = claimInstance(folder, () => {})
  expect(again).toBeDefined()
  again?.release()
})
