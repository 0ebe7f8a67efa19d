import type { PageState } from '../../shared/contract/engines.ts'
import type { BrowserService } from '../browser/browser.service.ts'
import { readVersion } from '../browser/devtools.ts'
import type { CdpClients } from '../cdp/clients.ts'
import { type HeldInput, releaseHeld } from '../cdp/held-input.ts'
import type { Freedom } from './engine-link.ts'
import { type Gate, openGate } from './gate.ts'
import { capturePage, type PageFacts, readFacts, resumePage } from './page-state.ts'

/** What changing engines needs of the browser, over the agent's own connection. */
export interface BrowserPort {
  /** Throws `not-active` when there is no browser. */
  require(): void
  openGate(name: string, freedom: () => Freedom): Promise<Gate>
  capture(): Promise<PageState>
  /** The address of a tab, or of the one in front, as Chromium's browser process says it. */
  url(tabId?: string | null): string
  alive(): Promise<boolean>
  resume(state: PageState): Promise<void>
  facts(): Promise<PageFacts>
  /** A small JPEG of the page, base64; null when it cannot be drawn. */
  thumbnail(): Promise<string | null>
  /** Lets go of what an engine held down. */
  release(held: HeldInput): Promise<void>
}

const aliveLimitMs = 5000
const drawLimitMs = 3000

export function browserPort(browser: BrowserService, clients: CdpClients, uploadDir: string): BrowserPort {
  const front = () => browser.requireSession().pages.requireFront()
  return {
    require: () => void browser.requireSession(),
    openGate: async (name, freedom) => {
      const { devTools } = browser.requireSession()
      return openGate({ name, devTools, clients, freedom, uploadDir })
    },
    capture: async () => capturePage(browser.requireSession()),
    url(tabId) {
      const pages = browser.session?.pages
      const tab = pages?.list().find(({ id }) => id === tabId) ?? pages?.front
      return tab?.url ?? 'about:blank'
    },
    async alive() {
      const { session } = browser
      if (session === null) return false
      const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), aliveLimitMs).unref())
      const answers = readVersion(session.devTools.port).then(
        () => browser.session === session,
        () => false,
      )
      return Promise.race([answers, late])
    },
    resume: async (state) => resumePage(browser.requireSession(), state),
    facts: async () => readFacts(front()),
    async thumbnail() {
      try {
        // Not scaled down by Chromium: that would lay out the page anew, under an operator's eyes.
        const options = { format: 'jpeg', quality: 30, optimizeForSpeed: true }
        const { data } = await front().cdp.send('Page.captureScreenshot', options, drawLimitMs)
        return String(data)
      } catch {
        return null
      }
    },
    release: (held) => releaseHeld(browser.session?.pages.front ?? null, held),
  }
}
