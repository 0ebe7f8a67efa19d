import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { soaking } from '../../e2e/rigs/soak.ts'
import { type BrowserStatus, startBrowser } from '../../shared/contract/browser.ts'
import type { ParamsIn } from '../../shared/contract/define.ts'
import type { Lease } from '../../shared/contract/takeover.ts'
import { startTime } from '../processes/process-table.ts'
import type { CdpSession } from './cdp.ts'
import { listPages } from './devtools.ts'
import { type BrowserParts, type BrowserPartsOptions, createBrowserParts } from './parts.ts'

export const run = promisify(execFile)

/** A frozen part is noticed in seconds; a soak waits as long as a real machine does. */
export const quickPulse = soaking ? undefined : { everyMs: 400, noticeMs: 600, limitMs: 2500 }

export const colour = '#12a4c8'
/** A page of one colour that writes down what is done to it. */
export const probePage = `data:text/html,${encodeURIComponent(`<title>probe</title><body style="margin:0;background:${colour}"><script>
  window.log = []
  addEventListener('keydown', (e) => log.push('+' + e.key))
  addEventListener('keyup', (e) => log.push('-' + e.key))
  addEventListener('mousedown', (e) => log.push('click ' + e.clientX + ',' + e.clientY))
  addEventListener('mouseup', () => log.push('released'))
</script>`)}`

/** A real browser for each test; afterwards nothing of it may be left. For tests. */
export class BrowserBench {
  dataDir = ''
  events: { type: string; data: Record<string, unknown> }[] = []
  /** Processes that must be gone at the end. */
  readonly pids: number[] = []
  #parts: BrowserParts | undefined

  /** Registers the set-up and the clearing away with vitest. */
  static forEachTest(): BrowserBench {
    const bench = new BrowserBench()
    beforeEach(() => bench.#open())
    afterEach(() => bench.#close())
    return bench
  }

  get parts(): BrowserParts {
    if (this.#parts === undefined) throw new Error('used outside a test')
    return this.#parts
  }

  async start(params: ParamsIn<typeof startBrowser> = {}): Promise<BrowserStatus> {
    const status = await this.parts.browser.start(startBrowser.params.parse(params))
    this.pids.push(...status.processes.map((program) => program.pid))
    return status
  }

  take(): Lease {
    return this.parts.leases.take({ operator: 'Ann', reason: 'test', ttlMs: 60_000 })
  }

  states(): unknown[] {
    return this.events.filter((event) => event.type === 'browser_state').map((event) => event.data['state'])
  }

  /** Every process whose command line names the data folder, and every one seen before that still lives. */
  async processes(): Promise<string[]> {
    const { stdout } = await run('ps', ['-eo', 'pid=,stat=,args='])
    const named = stdout.split('\n').filter((line) => line.includes(this.dataDir))
    return [...named, ...this.pids.filter((pid) => startTime(pid) !== undefined).map(String)]
  }

  async openPage(): Promise<CdpSession> {
    const session = this.parts.browser.requireSession()
    const [page] = await listPages(session.devTools.port)
    return session.cdp.attach(page?.id ?? '')
  }

  /** The same, put together in another way; before anything was started. */
  reopen(options: Pick<BrowserPartsOptions, 'restart' | 'existingDisplay' | 'pulse'>): void {
    this.#parts = createBrowserParts({
      dataDir: this.dataDir,
      publish: (type, data) => this.events.push({ type, data }),
      audit: { recordSystem: () => {} },
      log: () => {},
      ...options,
    })
  }

  #open(): void {
    this.dataDir = mkdtempSync(path.join(os.tmpdir(), 'browser-'))
    this.events = []
    this.pids.length = 0
    this.reopen({})
  }

  async #close(): Promise<void> {
    vi.unstubAllEnvs()
    await this.parts.close()
    expect(await this.processes()).toEqual([])
    rmSync(this.dataDir, { recursive: true, force: true })
  }
}

export async function evaluate(page: CdpSession, expression: string): Promise<unknown> {
  const { result } = await page.send('Runtime.evaluate', { expression, returnByValue: true })
  return (result as { value?: unknown }).value
}

/**
 * Goes there and waits until it is on the screen: the answer to Page.navigate comes while the old page may still be
 * there, and Chromium drops what is typed or clicked before the first picture of the new one. For tests.
 */
export async function goTo(page: CdpSession, url: string): Promise<void> {
  await page.send('Page.navigate', { url })
  await expect.poll(() => evaluate(page, 'document.readyState + " " + location')).toBe(`complete ${url}`)
  const twoFrames = 'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))'
  await page.send('Runtime.evaluate', { expression: twoFrames, awaitPromise: true })
}
