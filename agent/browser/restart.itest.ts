import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { startXvfb } from '../../e2e/rigs/xvfb.ts'
import { findProgram } from '../processes/find-program.ts'
import { deathGuard } from '../processes/spawn-cared.ts'
import { BrowserBench, run } from './browser-bench.ts'

const bench = BrowserBench.forEachTest()
// It is looked for once, and must not be found in a PATH of these tests.
beforeAll(() => deathGuard())
const pidOf = (processes: readonly { name: string; pid: number }[], name: string) =>
  processes.find((program) => program.name === name)?.pid ?? 0

/** A PATH with all but these, so that the other programs of a display are chosen. */
function without(...names: string[]): string {
  const bin = path.join(bench.dataDir, 'bin')
  mkdirSync(bin)
  for (const name of [
    'chromium',
    'Xvfb',
    'Xvnc',
    'x11vnc',
    'X0tigervnc',
    'x0vncserver',
    'setpriv',
    'unshare',
    'ps',
    'sh',
    'xkbcomp',
  ]) {
    const program = findProgram([name])
    if (program !== undefined && !names.includes(name)) symlinkSync(program, path.join(bin, name))
  }
  return bin
}

describe('a part that dies, with restarts on', () => {
  test.each(['chromium', 'Xvnc'])('%s: said within two seconds, and started again', async (name) => {
    bench.reopen({ restart: 'on-failure' })
    const first = await bench.start()
    process.kill(pidOf(first.processes, name), 'SIGKILL')
    await expect.poll(() => bench.states().at(-1), { timeout: 2000, interval: 20 }).toBe('failed')
    expect(bench.events.find((event) => event.data['state'] === 'failed')?.data['reason']).toContain(
      'started again in 1 s (1 of 3)',
    )
    await expect.poll(() => bench.states().at(-1), { timeout: 30_000 }).toBe('active')
    const second = await bench.parts.browser.status()
    bench.pids.push(...second.processes.map((program) => program.pid))
    expect(pidOf(second.processes, 'chromium')).not.toBe(pidOf(first.processes, 'chromium'))
  })

  test('a stop in between means stop', async () => {
    bench.reopen({ restart: 'on-failure' })
    const { processes } = await bench.start({ headless: true })
    process.kill(pidOf(processes, 'chromium'), 'SIGKILL')
    await expect.poll(() => bench.states().at(-1)).toBe('failed')
    await bench.parts.browser.stop()
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect(bench.states().at(-1)).toBe('inactive')
  })
})

describe('Xvfb with x11vnc', () => {
  test.each(['x11vnc', 'Xvfb'])('%s killed: noticed, torn down, said', async (name) => {
    vi.stubEnv('PATH', without('Xvnc'))
    const { processes } = await bench.start()
    expect(processes.map((program) => program.name)).toEqual(['Xvfb', 'x11vnc', 'chromium'])
    process.kill(pidOf(processes, name), 'SIGKILL')
    await expect.poll(() => bench.states().at(-1), { timeout: 2000, interval: 20 }).toBe('failed')
    vi.unstubAllEnvs()
    await expect.poll(() => bench.processes(), { timeout: 10_000 }).toEqual([])
  })

  test('a frozen X server behind a VNC server that still talks is noticed', async () => {
    vi.stubEnv('PATH', without('Xvnc'))
    const { processes } = await bench.start()
    process.kill(pidOf(processes, 'Xvfb'), 'SIGSTOP')
    await expect.poll(() => bench.states().at(-1), { timeout: 40_000, interval: 250 }).toBe('failed')
    vi.unstubAllEnvs()
    await expect.poll(() => bench.processes(), { timeout: 10_000 }).toEqual([])
  })
})

describe('a display that is there already', () => {
  test.each([[[]], [['X0tigervnc', 'x0vncserver']]])('is shown and stays (without %j)', async (missing) => {
    const xvfb = await startXvfb('1000x700')
    try {
      vi.stubEnv('PATH', without('Xvnc', ...missing))
      vi.stubEnv('XAUTHORITY', xvfb.env.XAUTHORITY)
      bench.reopen({ existingDisplay: xvfb.env.DISPLAY })
      const status = await bench.start()
      expect(status).toMatchObject({
        ...{ state: 'active', display: xvfb.env.DISPLAY, liveView: 'vnc' },
        resolution: { width: 1000, height: 700 },
      })
      expect(status.processes[0]?.name).toBe(missing.length === 0 ? 'x0vncserver' : 'x11vnc')
      await bench.parts.browser.stop()
      vi.unstubAllEnvs()
      const env = { PATH: process.env['PATH'], ...xvfb.env }
      expect((await run('xwininfo', ['-root', '-display', xvfb.env.DISPLAY], { env })).stdout).toContain('1000x700')
    } finally {
      vi.unstubAllEnvs()
      await bench.parts.browser.stop()
      await xvfb.stop()
    }
  })
})

describe('fifty starts and stops', () => {
  test('in a row, interleaved and doubled, leave nothing', { timeout: 240_000 }, async () => {
    const displays = () => readdirSync('/tmp/.X11-unix').length
    await bench.start({ headless: true })
    await bench.parts.browser.stop()
    const before = { displays: displays(), handles: process.getActiveResourcesInfo().length }
    for (let round = 0; round < 50; round++) {
      const starts = [bench.start({ headless: round % 10 !== 0 }), ...(round % 3 === 0 ? [bench.start()] : [])]
      if (round % 2 === 0) await Promise.allSettled(starts)
      await Promise.all([bench.parts.browser.stop(), bench.parts.browser.stop()])
      await Promise.allSettled(starts)
      await bench.parts.browser.stop()
    }
    expect(await bench.processes()).toEqual([])
    expect(readdirSync(path.join(bench.dataDir, 'processes'))).toEqual([])
    expect(readdirSync(bench.dataDir)).not.toContain('display')
    expect(displays()).toBeLessThanOrEqual(before.displays + 2)
    expect(process.getActiveResourcesInfo().length).toBeLessThan(before.handles + 10)
  })
})
