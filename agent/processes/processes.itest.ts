import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { signal, startTime } from './process-table.ts'
import { reapLeftovers, record } from './record.ts'
import { spawnCared } from './spawn-cared.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'cared-'))
})
afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true })
})

const node = (script: string) => ({ program: process.execPath, args: ['-e', script] })
const start = (script: string) => spawnCared({ name: 'probe', ...node(script), env: process.env, dataDir })

async function gone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 200; tries++) {
    if (startTime(pid) === undefined) return true
    await sleep(20)
  }
  return false
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const chunk of stream) return String(chunk).trim()
  return ''
}

/** Prints its child's pid and never ends by itself; the child leaves the group. */
const withStray = `
  const c = require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' })
  process.on('SIGTERM', () => {})
  require('fs').writeSync(3, String(c.pid))
  setInterval(() => {}, 1000)`

describe('a cared-for program', () => {
  test('says how it exited and what it printed last', async () => {
    const program = await start('console.log("first\\nlast words"); process.exitCode = 3')
    expect(await program.exited).toEqual({ code: 3, signal: null })
    await expect.poll(() => program.lastLines()).toBe('first\nlast words')
    await program.end()
    expect(readdirSync(path.join(dataDir, 'processes'))).toEqual([])
  })

  test('is ended with what it started, although it ignores the request and its child left the group', async () => {
    const program = await spawnCared({ name: 'probe', ...node(withStray), env: process.env, dataDir, reportPipe: true })
    const stray = Number(await firstLine(program.report ?? process.stdin))
    expect(signal(stray, 0)).toBe(true)
    await Promise.all([program.end(100), program.end(100)])
    expect(program.running).toBe(false)
    expect(await gone(stray)).toBe(true)
  })

  test('that is stopped (SIGSTOP) is ended as well', async () => {
    const program = await start('setInterval(() => {}, 1000)')
    process.kill(program.pid, 'SIGSTOP')
    await program.end(1000)
    expect(await gone(program.pid)).toBe(true)
  })
})

/** A process that stands for the agent: starts a cared-for program, says its pid, and waits to be killed. */
async function killedParent(): Promise<number> {
  const script = `
    import { spawnCared } from ${JSON.stringify(path.resolve(import.meta.dirname, 'spawn-cared.ts'))}
    const c = await spawnCared({ name: 'probe', program: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'], env: process.env, dataDir: process.argv[1] })
    console.log(c.pid)`
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const pid = Number(await firstLine(parent.stdout))
  expect(signal(pid, 0)).toBe(true)
  // Until the guard has become the program, nothing is guarded; the record has to do for that moment.
  await expect.poll(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0]).toBe(process.execPath)
  parent.kill('SIGKILL')
  return pid
}

describe('after kill -9 of the agent', () => {
  test.runIf(process.platform === 'linux')('the program dies with it', async () => {
    expect(await gone(await killedParent())).toBe(true)
  })

  test('the next start ends what is left, and nothing else', async () => {
    // No guard here: this child outlives its starter, as on a machine without setpriv.
    const left = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' })
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' })
    record(dataDir, { name: 'left', pid: left.pid ?? 0, mark: 'none' })
    expect(reapLeftovers(dataDir)).toEqual(['left'])
    expect(await gone(left.pid ?? 0)).toBe(true)
    expect(signal(other.pid ?? 0, 0)).toBe(true)
    expect(reapLeftovers(dataDir)).toEqual([])
    other.kill('SIGKILL')
  })

  test('a pid that was used again by someone else is left alone', async () => {
    const { writeFileSync, mkdirSync } = await import('node:fs')
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' })
    mkdirSync(path.join(dataDir, 'processes'))
    const entry = { name: 'old', pid: other.pid, startTime: '1', mark: 'none' }
    writeFileSync(path.join(dataDir, 'processes', `${other.pid}.json`), JSON.stringify(entry))
    expect(reapLeftovers(dataDir)).toEqual([])
    expect(signal(other.pid ?? 0, 0)).toBe(true)
    other.kill('SIGKILL')
  })
})
