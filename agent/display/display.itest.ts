import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { findProgram } from '../processes/find-program.ts'
import { startTime } from '../processes/process-table.ts'
import { DisplayError, findDisplayPrograms, startDisplay } from './display.ts'
import { readSegments } from './shared-memory.ts'
import { connectVnc } from './vnc-connect.ts'

const run = promisify(execFile)
let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'display-'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(dataDir, { recursive: true, force: true })
})

const start = (signal = AbortSignal.timeout(30_000)) =>
  startDisplay({ width: 640, height: 480, dpi: 96, dir: path.join(dataDir, 'display'), dataDir, signal })

/** A PATH with these programs of the machine and no others. */
function onlyThese(...names: string[]): string {
  const dir = path.join(dataDir, 'bin')
  mkdirSync(dir)
  for (const name of names) symlinkSync(findProgram([name]) ?? name, path.join(dir, name))
  return dir
}

describe.each([
  ['Xvnc', ['Xvnc']],
  ['Xvfb and x11vnc', ['Xvfb', 'x11vnc']],
])('a display by %s', (_label, programs) => {
  test('answers the agent and nobody else, and leaves nothing behind', async () => {
    vi.stubEnv('PATH', onlyThese(...programs))
    const display = await start()
    vi.unstubAllEnvs()
    expect(display.processes.map((program) => program.name)).toEqual(programs)
    ;(await connectVnc(display.vnc)).destroy()
    await expect(connectVnc({ ...display.vnc, password: 'another' })).rejects.toThrow()
    const env = { PATH: process.env['PATH'], HOME: dataDir }
    const { stdout } = await run('xwininfo', ['-root', '-display', display.name], { env: { ...env, ...display.env } })
    expect(stdout).toMatch(/Width: 640\n\s+Height: 480/)
    await expect(run('xwininfo', ['-root', '-display', display.name], { env })).rejects.toThrow(/[Aa]uthori/)
    expect(statSync(display.env.XAUTHORITY).mode & 0o777).toBe(0o600)

    await display.stop()
    for (const program of display.processes) expect(startTime(program.pid)).toBeUndefined()
    expect(existsSync(path.join(dataDir, 'display'))).toBe(false)
  })
})

test('one program of the two is not enough', () => {
  expect(findDisplayPrograms(onlyThese('Xvfb'))).toBeNull()
})

test('a server that fails says which, and its last words', async () => {
  const bin = path.join(dataDir, 'bin')
  mkdirSync(bin)
  writeFileSync(path.join(bin, 'Xvnc'), '#!/bin/sh\necho "no fonts here" >&2\nexit 1\n', { mode: 0o755 })
  vi.stubEnv('PATH', bin)
  const failed = start()
  await expect(failed).rejects.toBeInstanceOf(DisplayError)
  await expect(failed).rejects.toThrow(/Xvnc ended.*no fonts here/)
  expect(existsSync(path.join(dataDir, 'display'))).toBe(false)
})

test('an abort while it waits ends what it had started', async () => {
  const bin = path.join(dataDir, 'bin')
  mkdirSync(bin)
  const pidFile = path.join(dataDir, 'pid')
  writeFileSync(path.join(bin, 'Xvnc'), `#!/bin/sh\necho $$ > ${pidFile}\nexec /bin/sleep 1000\n`, { mode: 0o755 })
  vi.stubEnv('PATH', bin)
  const abort = new AbortController()
  const starting = start(abort.signal)
  starting.catch(() => {})
  await expect.poll(() => existsSync(pidFile)).toBe(true)
  abort.abort()
  await expect(starting).rejects.toThrow()
  const { stdout } = await run('/bin/ps', ['-eo', 'args='])
  expect(stdout).not.toContain(dataDir)
})

describe('the shared memory of x11vnc', () => {
  const path11 = () => onlyThese('Xvfb', 'x11vnc', 'ipcrm')
  const of = (pid: number | undefined) => readSegments().filter(({ creator }) => creator === pid)

  test('is gone after each way it can end, and another program’s stays', async () => {
    const id = /\d+/.exec((await run('ipcmk', ['-M', '4096'])).stdout)?.[0] ?? ''
    vi.stubEnv('PATH', path11())
    const display = await start()
    try {
      const killed = display.keptVnc?.process
      expect(of(killed?.pid).length).toBeGreaterThan(0)
      killed?.endGroup()
      await expect.poll(() => display.keptVnc?.process.pid).not.toBe(killed?.pid)
      await expect.poll(() => of(killed?.pid)).toEqual([])
      const replaced = display.keptVnc?.process
      await display.keptVnc?.replace()
      await expect.poll(() => of(replaced?.pid)).toEqual([])
      const last = display.keptVnc?.process
      await display.stop()
      expect(of(last?.pid)).toEqual([])
      expect(readSegments().map((segment) => String(segment.id))).toContain(id)
    } finally {
      vi.unstubAllEnvs()
      await display.stop()
      await run('ipcrm', ['-m', id])
    }
  })

  test('is gone when the agent is killed with it', async () => {
    const script = `
      import { startDisplay } from ${JSON.stringify(path.resolve(import.meta.dirname, 'display.ts'))}
      const [dataDir] = process.argv.slice(1)
      const signal = AbortSignal.timeout(30_000)
      const display = await startDisplay({ width: 640, height: 480, dpi: 96, dir: dataDir + '/display', dataDir, signal })
      console.log(display.processes.map((program) => program.pid).join())`
    const agent = spawn(process.execPath, ['--input-type=module', '-e', script, dataDir], {
      env: { PATH: path11(), HOME: dataDir },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    for await (const chunk of agent.stdout) {
      said += String(chunk)
      if (said.includes('\n')) break
    }
    const pids = said.split(',').map(Number)
    try {
      expect(of(pids[1]).length).toBeGreaterThan(0)
    } finally {
      agent.kill('SIGKILL')
      for (const pid of pids) process.kill(-pid, 'SIGKILL')
    }
    await expect.poll(() => of(pids[1])).toEqual([])
  })
})
