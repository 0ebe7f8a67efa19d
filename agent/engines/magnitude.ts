import { createRequire } from 'node:module'
import { Problem } from '../../shared/errors.ts'
import {
  type Engine,
  type EngineConnectOptions,
  type EngineKind,
  type EngineResult,
  type EngineSettings,
  GaveUp,
  within,
} from './engine.ts'

/** What is used of the library and of the driver underneath it. */
interface DriverPage {
  evaluate(expression: string): Promise<unknown>
  context(): { newCDPSession(page: DriverPage): Promise<DriverSession> }
}
interface DriverSession {
  send(method: string): Promise<{ targetInfo: { targetId: string } }>
  detach(): Promise<void>
}
interface DriverBrowser {
  contexts(): { pages(): DriverPage[] }[]
  close(): Promise<void>
}
interface Harness {
  tabs: { setActivePage(page: DriverPage): unknown }
  stop(): Promise<void>
}
interface MagnitudeAgent {
  readonly page: DriverPage
  act(task: string): Promise<void>
  pause(): void
  require(connector: unknown): { getHarness(): Harness }
}
interface MagnitudeLibrary {
  startBrowserAgent(options: Record<string, unknown>): Promise<MagnitudeAgent>
  BrowserConnector: unknown
  playwright: { chromium: { connectOverCDP(url: string, options: { timeout: number }): Promise<DriverBrowser> } }
}

const library = 'magnitude-core'
const connectLimitMs = 15_000

let loading: Promise<MagnitudeLibrary> | undefined

function load(): Promise<MagnitudeLibrary> {
  loading ??= loadBoth().catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

/** The library and the very driver that it uses: the connection is ours, so that leaving it closes nothing. */
async function loadBoth(): Promise<MagnitudeLibrary> {
  const magnitude = (await import(library)) as MagnitudeLibrary
  const here = createRequire(import.meta.url)
  const playwright = createRequire(here.resolve(library))('playwright') as MagnitudeLibrary['playwright']
  const { startBrowserAgent, BrowserConnector } = magnitude
  return { startBrowserAgent, BrowserConnector, playwright }
}

/** Sees the screen, and acts by position. */
class MagnitudeEngine implements Engine {
  readonly #settings: EngineSettings
  #browser: DriverBrowser | undefined
  #agent: MagnitudeAgent | undefined
  #harness: Harness | undefined

  constructor(settings: EngineSettings) {
    this.#settings = settings
  }

  async connect(cdpUrl: string, { tabId, signal }: EngineConnectOptions): Promise<void> {
    const magnitude = await load()
    const browser = await within(
      magnitude.playwright.chromium.connectOverCDP(cdpUrl, { timeout: connectLimitMs }),
      signal,
    )
    this.#browser = browser
    const { name, baseUrl } = this.#settings.model
    const agent = await within(
      magnitude.startBrowserAgent({
        telemetry: false,
        browser: { instance: browser },
        // Nothing of the engine's own is drawn into the operator's page.
        visuals: {
          showCursor: false,
          showHoverCircle: false,
          showClickRipple: false,
          showDragLine: false,
          showTypeEffects: false,
        },
        llm: {
          provider: 'openai-generic',
          options: { model: name, baseUrl: baseUrl ?? undefined, apiKey: this.#settings.apiKey },
        },
      }),
      signal,
    )
    this.#agent = agent
    this.#harness = agent.require(magnitude.BrowserConnector).getHarness()
    const page = await within(findPage(browser, tabId), signal)
    // Left to itself it starts on the first page, which need not be the one the operator left.
    if (page !== undefined) await within(Promise.resolve(this.#harness.tabs.setActivePage(page)), signal)
  }

  async disconnect(): Promise<void> {
    this.#agent?.pause()
    await this.#harness?.stop()
    await this.#browser?.close()
  }

  async act(instruction: string, signal: AbortSignal): Promise<EngineResult> {
    try {
      await within(this.#connected().act(instruction), signal)
    } catch (error) {
      // Its own word for that; everything else is a model or a connection that stumbled.
      throw error instanceof Error && error.message.startsWith('Task failed') ? new GaveUp(error.message) : error
    }
    return { data: null, confidence: null }
  }

  async observe(): Promise<EngineResult> {
    throw cannot('Magnitude has no observe')
  }

  async extract(): Promise<EngineResult> {
    throw cannot("Magnitude's extraction would rewrite the page that it reads")
  }

  async currentUrl(signal: AbortSignal): Promise<string> {
    return String(await within(this.#connected().page.evaluate('location.href'), signal))
  }

  #connected(): MagnitudeAgent {
    if (this.#agent === undefined) throw new Error('Magnitude is not connected')
    return this.#agent
  }
}

async function findPage(browser: DriverBrowser, tabId: string | null): Promise<DriverPage | undefined> {
  const pages = browser.contexts().flatMap((context) => context.pages())
  if (pages.length <= 1 || tabId === null) return undefined
  for (const page of pages) {
    const session = await page.context().newCDPSession(page)
    const { targetInfo } = await session.send('Target.getTargetInfo')
    await session.detach()
    if (targetInfo.targetId === tabId) return page
  }
  return undefined
}

function cannot(why: string): Problem {
  return new Problem('forbidden', `${why}. Use Stagehand for it.`)
}

export const magnitude: EngineKind = {
  name: 'magnitude',
  package: 'magnitude-core@0.3.1',
  load,
  create: (_mode, settings) => new MagnitudeEngine(settings),
}
