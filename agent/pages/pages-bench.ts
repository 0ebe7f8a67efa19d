import path from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { startTestAgent, type TestAgent } from '../../e2e/rigs/agent.ts'
import { type PageServer, startPages } from '../../e2e/rigs/pages.ts'
import type { Nouns } from '../../shared/client/client.ts'
import { CdpConnection } from '../browser/cdp.ts'
import { findDevTools } from '../browser/devtools.ts'

/** One agent with one headless browser, and pages to try it on, for all tests of a file. */
export interface PagesBench {
  readonly rig: TestAgent
  readonly pages: PageServer
  /** The calls, as a script would make them. */
  readonly api: Nouns
  /** Opens one of the test's pages in front. */
  open(path: string): Promise<void>
  /** Evaluates in the page in front. */
  evaluate(expression: string): Promise<unknown>
  /** Ends the process of the page in front, as running out of memory would. */
  crash(): Promise<void>
  /** Has Chromium do something to the frame of another site, without waiting for it. */
  toFarFrame(method: string, params?: object): Promise<void>
  /** Waits until the page in front is in the endless loop that it begins after it has loaded. */
  untilStuck(): Promise<void>
  /** Back to one tab that shows nothing, whatever happened before. */
  reset(): Promise<void>
}

export function benchForFile(env: () => Record<string, string> = () => ({})): PagesBench {
  let rig: TestAgent | undefined
  let pages: PageServer | undefined
  beforeAll(async () => {
    pages = await startPages()
    rig = await startTestAgent(env())
    await rig.client.nouns.browser.start({ headless: true, width: 1000, height: 700 })
  })
  afterAll(async () => {
    await rig?.stop()
    await pages?.stop()
  })
  const bench: PagesBench = {
    get rig() {
      if (rig === undefined) throw new Error('used outside a test')
      return rig
    },
    get pages() {
      if (pages === undefined) throw new Error('used outside a test')
      return pages
    },
    get api() {
      return bench.rig.client.nouns
    },
    async open(path) {
      await bench.api.browser.navigate({ url: bench.pages.origin + path })
    },
    async evaluate(expression) {
      return (await bench.api.browser.execute({ expression })).result
    },
    async crash() {
      const profile = path.join(bench.rig.dataDir, 'contexts', 'default', 'profile')
      const { browserUrl } = await findDevTools(profile, AbortSignal.timeout(5000))
      const cdp = await CdpConnection.connect(browserUrl)
      const { tabs } = await bench.api.tabs.list()
      const page = await cdp.attach(tabs.find((tab) => tab.active)?.id ?? '')
      // A page that crashes does not answer.
      await page.send('Page.crash', {}, 500).catch(() => {})
      cdp.close()
    },
    async toFarFrame(method, params = {}) {
      const profile = path.join(bench.rig.dataDir, 'contexts', 'default', 'profile')
      const { browserUrl } = await findDevTools(profile, AbortSignal.timeout(5000))
      const cdp = await CdpConnection.connect(browserUrl)
      const { targetInfos } = await cdp.send('Target.getTargets')
      const frame = (targetInfos as { type: string; targetId: string }[]).find(({ type }) => type === 'iframe')
      const session = await cdp.attach(frame?.targetId ?? '')
      await session.send(method, { ...params }, 500).catch(() => {})
      cdp.close()
    },
    async untilStuck() {
      // Not by executing something: that would end the loop when its time is up.
      const answers = async () => (await bench.api.browser.wait({ selector: 'p', timeout: 500 })).found
      await expect.poll(answers, { timeout: 10_000 }).toBe(false)
    },
    async reset() {
      const fresh = await bench.api.tabs.open()
      const { tabs } = await bench.api.tabs.list()
      for (const tab of tabs) if (tab.id !== fresh.id) await bench.api.tabs.close({ id: tab.id })
    },
  }
  return bench
}
