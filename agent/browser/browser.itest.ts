import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { times } from '../../e2e/rigs/soak.ts'
import { BrowserBench, evaluate, probePage, quickPulse } from './browser-bench.ts'

const bench = BrowserBench.forEachTest()

describe('without a display', () => {
  const sizeOf = async (targetId: string) => {
    const page = await bench.parts.browser.requireSession().cdp.attach(targetId)
    const size = await evaluate(page, '[innerWidth, innerHeight, screen.width, screen.height]')
    await page.detach()
    return size
  }

  const patient = { timeout: 10_000 }

  test('the page is as large as was asked for, in each window and after a restart', async () => {
    for (const dpi of [96, 192]) {
      await bench.start({ headless: true, width: 1280, height: 720, dpi })
      const { cdp, pages } = bench.parts.browser.requireSession()
      const asked = dpi === 96 ? [1280, 720, 1280, 720] : [640, 360, 640, 360]
      expect(await sizeOf(pages.requireFront().id)).toEqual(asked)
      for (const newWindow of [false, true]) {
        const { targetId } = await cdp.send('Target.createTarget', { url: 'about:blank', newWindow })
        await expect.poll(() => sizeOf(String(targetId)), patient).toEqual(asked)
      }
      const known = new Set(pages.list().map(({ id }) => id))
      const opener = await bench.openPage()
      const expression = "void open('about:blank', '', 'width=300,height=200')"
      await opener.send('Runtime.evaluate', { expression, userGesture: true })
      const popup = () => pages.list().find(({ id }) => !known.has(id))?.id ?? ''
      await expect.poll(popup, patient).not.toBe('')
      await expect.poll(() => sizeOf(popup()), patient).toEqual(asked)
      for (const page of pages.list()) await pages.closeTab(page)
      await expect.poll(() => pages.list(), patient).toEqual([])
      const { id } = await pages.openTab(false)
      await expect.poll(() => sizeOf(id), patient).toEqual(asked)
      await bench.parts.browser.stop()
    }
  })
})

describe('start and stop', () => {
  test('an active browser says all about itself, and a stop leaves no process', async () => {
    const status = await bench.start({ width: 900, height: 650, url: probePage, webrtcPortRange: '1-2' })
    expect(status).toMatchObject({
      state: 'active',
      resolution: { width: 900, height: 650, dpi: 96 },
      missingDependencies: [],
      installCommand: null,
      lastError: null,
      liveView: 'vnc',
    })
    expect(status.display).toMatch(/^:\d+$/)
    expect(status.cdpUrl).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/devtools\/browser\//)
    expect(status.url).toContain('data:text/html')
    expect(status.processes.map((program) => program.running)).toEqual(status.processes.map(() => true))
    expect(status.warnings.some((warning) => warning.includes('webrtcPortRange'))).toBe(true)
    expect(bench.states()).toEqual(['starting', 'active'])
    expect(bench.events.at(-1)?.type).toBe('sandbox_active')
    expect((await bench.processes()).length).toBeGreaterThan(0)

    await bench.parts.browser.stop()
    expect(await bench.processes()).toEqual([])
    expect(readdirSync(path.join(bench.dataDir, 'processes'))).toEqual([])
    expect(await bench.parts.browser.status()).toMatchObject({ state: 'inactive', processes: [], cdpUrl: null })
    expect(bench.states()).toEqual(['starting', 'active', 'stopping', 'inactive'])
    expect(bench.events.map((event) => event.type)).toContain('sandbox_terminated')
    await bench.parts.browser.stop()
  })

  test('a second start is refused, a stop ends one that is under way, again and again', async () => {
    const rounds = times(4, 10)
    for (let round = 0; round < rounds; round++) {
      const first = bench.start()
      await expect(bench.start()).rejects.toMatchObject({ code: 'already-active' })
      // At another moment of the start each time.
      await new Promise((resolve) => setTimeout(resolve, (round * 700) / rounds))
      const results = await Promise.allSettled([first, bench.parts.browser.stop(), bench.parts.browser.stop()])
      expect(results.slice(1).map((result) => result.status)).toEqual(['fulfilled', 'fulfilled'])
      if (results[0].status === 'rejected') expect(results[0].reason).toMatchObject({ code: 'start-failed' })
      expect((await bench.parts.browser.status()).state).toBe('inactive')
      expect(await bench.processes()).toEqual([])
    }
    const [, status] = await Promise.all([
      bench.start().then(() => bench.parts.browser.stop()),
      bench.start().catch(() => null),
    ])
    expect(status).toBeNull()
  })

  test('a stop and a start in a row work', async () => {
    const first = await bench.start()
    const stopping = bench.parts.browser.stop()
    const second = await bench.start()
    await stopping
    expect(second.state).toBe('active')
    expect(second.cdpUrl).not.toBe(first.cdpUrl)
  })

  test('of starts and stops that wait for each other the last one counts', async () => {
    const { browser } = bench.parts
    const early = bench.start()
    early.catch(() => {})
    const stopped = browser.stop()
    expect((await bench.start()).state).toBe('active')
    await stopped
    await expect(early).rejects.toMatchObject({ code: 'start-failed' })

    const stopping = browser.stop()
    const between = bench.start()
    between.catch(() => {})
    await Promise.all([stopping, browser.stop()])
    await expect(between).rejects.toMatchObject({ code: 'start-failed' })
    expect((await browser.status()).state).toBe('inactive')
    expect(await bench.processes()).toEqual([])
  })

  test('a browser that nobody hears any more is not said to be active', async () => {
    await bench.start({ headless: true })
    bench.parts.browser.requireSession().pages.close()
    await expect.poll(() => bench.states().at(-1), { timeout: 2000 }).toBe('failed')
    expect((await bench.parts.browser.status()).lastError?.message).toContain('broke off its conversation')
    await bench.parts.browser.stop()
  })

  test.each(['file:///etc/passwd', 'javascript:alert(1)', 'chrome://settings', '--no-sandbox', 'example.org', ''])(
    'does not open %j',
    async (url) => {
      await expect(bench.start({ url })).rejects.toMatchObject({ code: 'invalid-url', status: 400 })
      expect(bench.states()).toEqual([])
    },
  )

  test('without a Chromium it says what to install', async () => {
    vi.stubEnv('PATH', path.join(bench.dataDir, 'nothing'))
    await expect(bench.start()).rejects.toMatchObject({ code: 'install-required', status: 424 })
    const status = await bench.parts.browser.status()
    expect(status.state).toBe('install_required')
    expect(status.missingDependencies).toEqual(['chromium', 'Xvnc'])
    expect(status.installCommand).toMatch(/chromium/)
  })

  test('a Chromium that cannot start is a failure with its last words, and nothing stays', async () => {
    vi.stubEnv('PILOTHOUSE_CHROMIUM', '/bin/false')
    await expect(bench.start()).rejects.toMatchObject({ code: 'start-failed' })
    const status = await bench.parts.browser.status()
    expect(status.state).toBe('failed')
    expect(status.lastError).toMatchObject({ code: 'start-failed', message: expect.stringContaining('exit code 1') })
    vi.unstubAllEnvs()
    expect((await bench.start()).state).toBe('active')
  })
})

describe('a part that dies', () => {
  test.each(['chromium', 'Xvnc'])('%s killed: noticed, torn down, said', async (name) => {
    const status = await bench.start()
    const lease = bench.take()
    process.kill(status.processes.find((program) => program.name === name)?.pid ?? 0, 'SIGKILL')
    await expect.poll(() => bench.states().at(-1), { timeout: 5000 }).toBe('failed')
    expect(bench.events.at(-1)).toMatchObject({ type: 'takeover_lease', data: { change: 'ended' } })
    expect(bench.events.map((event) => event.type)).toContain('sandbox_terminated')
    expect(bench.parts.leases.isHeldBy(lease.leaseId)).toBe(false)
    const after = await bench.parts.browser.status()
    expect(after.lastError?.message).toContain('SIGKILL')
    expect(after).toMatchObject({ state: 'failed', processes: [], liveView: 'none' })
    await expect.poll(() => bench.processes(), { timeout: 5000 }).toEqual([])
    expect((await bench.start()).state).toBe('active')
  })
})

describe('a part that freezes', () => {
  test.each(['chromium', 'Xvnc'])('%s stopped: noticed, and ended although it does not react', async (name) => {
    bench.reopen({ pulse: quickPulse })
    const status = await bench.start()
    process.kill(status.processes.find((program) => program.name === name)?.pid ?? 0, 'SIGSTOP')
    await expect.poll(() => bench.parts.browser.trouble, { timeout: 2000, interval: 20 }).toMatch(/not answer/)
    expect((await bench.parts.browser.status()).lastError?.message).toMatch(/not answer/)
    await expect.poll(() => bench.states().at(-1), { timeout: 40_000, interval: 100 }).toBe('failed')
    expect((await bench.parts.browser.status()).lastError?.message).toContain('does not answer')
    await expect.poll(() => bench.processes(), { timeout: 10_000 }).toEqual([])
  })
})

describe('kill -9 of the agent', () => {
  test.runIf(process.platform === 'linux')(
    'takes the browser and its display down, every process of them',
    async () => {
      const script = `
      import { createBrowserParts } from ${JSON.stringify(path.resolve(import.meta.dirname, 'parts.ts'))}
      import { startBrowser } from ${JSON.stringify(path.resolve(import.meta.dirname, '../../shared/contract/browser.ts'))}
      const parts = createBrowserParts({ dataDir: process.argv[1], publish() {}, audit: { recordSystem() {} }, log() {} })
      const status = await parts.browser.start(startBrowser.params.parse({}))
      console.log(JSON.stringify(status.processes.map((program) => program.pid)))`
      const agent = spawn(process.execPath, ['--input-type=module', '-e', script, bench.dataDir], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const said = await new Promise<Buffer>((resolve) => agent.stdout.once('data', resolve))
      bench.pids.push(...(JSON.parse(String(said)) as number[]))
      expect((await bench.processes()).length).toBeGreaterThan(5)
      agent.kill('SIGKILL')
      await expect.poll(() => bench.processes(), { timeout: 10_000 }).toEqual([])
      expect((await bench.start()).state).toBe('active')
    },
  )
})
