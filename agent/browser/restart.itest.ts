import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { times } from '../../e2e/rigs/soak.ts'
import { startXvfb } from '../../e2e/rigs/xvfb.ts'
import { findProgram } from '../processes/find-program.ts'
import { deathGuard } from '../processes/spawn-cared.ts'
import { RfbTestClient } from '../takeover/rfb-test-client.ts'
import { BrowserBench, evaluate, quickPulse, run } from './browser-bench.ts'
import { findChromium } from './chromium.ts'

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
    'ipcrm',
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
    const said = String(bench.events.find((event) => event.data['state'] === 'failed')?.data['reason'])
    const [what, ...output] = said.split('\n')
    expect(what).toMatch(new RegExp(`^${name} ended by itself .* started again in 1 s \\(1 of 3\\)\\.$`))
    expect(output.length).toBeGreaterThan(0)
    await expect.poll(() => bench.states().at(-1), { timeout: 30_000 }).toBe('active')
    const second = await bench.parts.browser.status()
    bench.pids.push(...second.processes.map((program) => program.pid))
    expect(pidOf(second.processes, 'chromium')).not.toBe(pidOf(first.processes, 'chromium'))
  })

  test('one that a client closes is given the time to, keeps its cookies, and says that it was closed', async () => {
    bench.reopen({ restart: 'on-failure' })
    const slow = path.join(bench.dataDir, 'slow-to-close')
    writeFileSync(slow, `#!/bin/sh\n"${findChromium()}" "$@"\ncode=$?\nsleep 1\nexit $code\n`, { mode: 0o755 })
    vi.stubEnv('PILOTHOUSE_CHROMIUM', slow)
    await bench.start()
    const { cdp } = bench.parts.browser.requireSession()
    const cookie = { name: 'login', value: 'kept', domain: 'shop.test', path: '/', expires: Date.now() / 1000 + 9999 }
    await cdp.send('Storage.setCookies', { cookies: [cookie] })
    await cdp.send('Browser.close')
    await expect.poll(() => bench.states().at(-1)).toBe('failed')
    const said = String(bench.events.find((event) => event.data['state'] === 'failed')?.data['reason'])
    expect(said).toContain('chromium ended by itself (exit code 0).')
    await expect.poll(() => bench.states().at(-1), { timeout: 30_000 }).toBe('active')
    const kept = await bench.parts.browser.requireSession().cdp.send('Storage.getCookies')
    expect(kept['cookies']).toEqual([expect.objectContaining({ name: 'login', value: 'kept' })])
  })

  test('a start that fails is one of the tries: the next follows', async () => {
    bench.reopen({ restart: 'on-failure' })
    const [program, broken] = [path.join(bench.dataDir, 'chromium'), path.join(bench.dataDir, 'broken')]
    const script = `#!/bin/sh\nrm ${broken} 2>/dev/null && exit 3\nexec ${findChromium()} "$@"\n`
    writeFileSync(program, script, { mode: 0o755 })
    vi.stubEnv('PILOTHOUSE_CHROMIUM', program)
    try {
      const { processes } = await bench.start({ headless: true })
      writeFileSync(broken, '')
      process.kill(pidOf(processes, 'chromium'), 'SIGKILL')
      const failures = () => bench.events.filter(({ data }) => data['state'] === 'failed')
      await expect.poll(() => failures().length, { timeout: 20_000 }).toBe(2)
      const { lastError, restartsAt } = await bench.parts.browser.status()
      expect(existsSync(broken)).toBe(false)
      expect(failures().map(({ data }) => String(data['reason']).match(/in \d s \(\d of 3\)/)?.[0])).toEqual([
        'in 1 s (1 of 3)',
        'in 2 s (2 of 3)',
      ])
      expect(lastError).toMatchObject({ code: 'start-failed', message: expect.stringContaining('(2 of 3)') })
      expect(restartsAt).not.toBeNull()
      await expect.poll(() => bench.states().at(-1), { timeout: 20_000 }).toBe('active')
      bench.pids.push(...(await bench.parts.browser.status()).processes.map(({ pid }) => pid))
    } finally {
      vi.unstubAllEnvs()
    }
  })

  test('a stop in between means stop', async () => {
    bench.reopen({ restart: 'on-failure' })
    const { processes } = await bench.start({ headless: true })
    process.kill(pidOf(processes, 'chromium'), 'SIGKILL')
    await expect.poll(() => bench.states().at(-1)).toBe('failed')
    await bench.parts.browser.stop()
    // A little longer than the restart would have been away.
    await new Promise((resolve) => setTimeout(resolve, 1100))
    expect(bench.states().at(-1)).toBe('inactive')
  })
})

/** The VNC server goes; the browser must not notice, and whoever looks comes back to the same page. */
async function replaced(name: string, signal: 'SIGKILL' | 'SIGSTOP'): Promise<void> {
  const before = await bench.parts.browser.status()
  const page = await bench.openPage()
  await evaluate(page, 'window.kept = 1')
  process.kill(pidOf(before.processes, name), signal)
  const mended = () => bench.events.findLast(({ type }) => type === 'browser_state')?.data ?? {}
  await expect.poll(mended, { timeout: 20_000, interval: 20 }).toMatchObject({
    state: 'active',
    reason: expect.stringMatching(new RegExp(`^${name} ended by itself .*started again; the browser went on`)),
  })
  const after = await bench.parts.browser.status()
  bench.pids.push(...after.processes.map((program) => program.pid))
  expect(after.processes.map((program) => program.name)).toEqual(before.processes.map((program) => program.name))
  expect(after.processes.every((program) => program.running)).toBe(true)
  const changed = after.processes.filter(({ pid }) => !before.processes.some((old) => old.pid === pid))
  expect(changed.map((program) => program.name)).toEqual([name])
  expect(await evaluate(page, 'window.kept')).toBe(1)
  const viewer = await RfbTestClient.open(bench.parts.sockets.vnc, { mode: 'view' })
  expect(viewer.width).toBeGreaterThan(0)
  viewer.close()
  expect(bench.states()).not.toContain('failed')
}

describe('Xvfb with x11vnc', () => {
  test('x11vnc killed, then frozen: it alone is started again; too often, and the browser is said to have failed', async () => {
    vi.stubEnv('PATH', without('Xvnc'))
    bench.reopen({ pulse: quickPulse })
    await bench.start()
    await replaced('x11vnc', 'SIGKILL')
    bench.events.length = 0
    await replaced('x11vnc', 'SIGSTOP')
    bench.events.length = 0
    await replaced('x11vnc', 'SIGKILL')
    process.kill(pidOf((await bench.parts.browser.status()).processes, 'x11vnc'), 'SIGKILL')
    await expect.poll(() => bench.states().at(-1)).toBe('failed')
    expect((await bench.parts.browser.status()).lastError?.message).toContain('not started again')
    vi.unstubAllEnvs()
    await expect.poll(() => bench.processes(), { timeout: 10_000 }).toEqual([])
  })

  test('Xvfb killed: noticed, torn down, said', async () => {
    vi.stubEnv('PATH', without('Xvnc'))
    const { processes } = await bench.start()
    expect(processes.map((program) => program.name)).toEqual(['Xvfb', 'x11vnc', 'chromium'])
    process.kill(pidOf(processes, 'Xvfb'), 'SIGKILL')
    await expect.poll(() => bench.states().at(-1), { timeout: 2000, interval: 20 }).toBe('failed')
    vi.unstubAllEnvs()
    await expect.poll(() => bench.processes(), { timeout: 10_000 }).toEqual([])
  })

  test('a frozen X server behind a VNC server that still talks is noticed', async () => {
    bench.reopen({ pulse: quickPulse })
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
      const server = missing.length === 0 ? 'x0vncserver' : 'x11vnc'
      expect(status.processes.map((program) => program.name)).toEqual([server, 'chromium'])
      await replaced(server, 'SIGKILL')
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

describe('starts and stops', () => {
  test(`${times(8, 50)} in a row, interleaved and doubled, leave nothing`, { timeout: 240_000 }, async () => {
    const displays = () => readdirSync('/tmp/.X11-unix').length
    await bench.start({ headless: true })
    await bench.parts.browser.stop()
    const before = { displays: displays(), handles: process.getActiveResourcesInfo().length }
    for (let round = 0; round < times(8, 50); round++) {
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
