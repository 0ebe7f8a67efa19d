import http from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { type AgentProcess, startAgentProcess } from '../rigs/agent-process.ts'
import { type CdpPage, chromiumAddress, findPage } from '../rigs/cdp-page.ts'
import { action, find, startLlm, steps } from '../rigs/llm.ts'

/** The libraries alone, as someone would use them who has no agent. */
export interface BareLibraries {
  /** Connects, reads the address of the page, and leaves again; milliseconds. */
  stagehand(): Promise<number>
  magnitude(): Promise<number>
}

export interface EngineBrowser {
  agent: AgentProcess
  bare: BareLibraries
  page: CdpPage
  close(): Promise<void>
}

const site = `<title>Count</title><body style="margin:0"><button style="position:fixed;inset:0">Count</button>
<script>seen = 0; for (const type of ['mousedown', 'keydown']) addEventListener(type, () => seen++, true)</script>`

/** The bundled agent with a headless browser on a page that counts, and a model that always clicks. */
export async function openEngineBrowser(): Promise<EngineBrowser> {
  const server = http.createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(site)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const llm = await startLlm((asked) =>
    asked.kind === 'magnitude'
      ? steps({ variant: 'mouse:click', x: 200, y: 200 })
      : action(find(asked, /button: Count/), 'click'),
  )
  const env = { PILOTHOUSE_LLM_URL: llm.baseUrl, PILOTHOUSE_LLM_KEY: 'key', PILOTHOUSE_LLM_MODEL: 'scripted' }
  const agent = await startAgentProcess(env)
  const close = async () => {
    await agent.stop()
    await llm.stop()
    server.closeAllConnections()
    server.close()
  }
  try {
    await agent.client.call('browser.start', { headless: true, url }, { timeoutMs: 60_000 })
    const address = chromiumAddress(agent.dataDir)
    const page = await findPage(address, (one) => one === url)
    if (page === undefined) throw new Error('the page is not there')
    const version = (await (await fetch(`${address}/json/version`)).json()) as { webSocketDebuggerUrl: string }
    const bare = await loadBare(version.webSocketDebuggerUrl, llm.baseUrl)
    return {
      agent,
      bare,
      page,
      async close() {
        page.close()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

interface Stagehand {
  init(): Promise<void>
  close(): Promise<void>
  context: { activePage(): { evaluate(expression: string): Promise<unknown> } | undefined }
}
interface Browser {
  close(): Promise<void>
}
interface Magnitude {
  page: { evaluate(expression: string): Promise<unknown> }
  require(connector: unknown): { getHarness(): { stop(): Promise<void> } }
}

async function loadBare(cdpUrl: string, baseURL: string): Promise<BareLibraries> {
  const names = ['@browserbasehq/stagehand', 'magnitude-core'] as const
  const { Stagehand } = (await import(names[0])) as { Stagehand: new (options: object) => Stagehand }
  const { startBrowserAgent, BrowserConnector } = (await import(names[1])) as {
    startBrowserAgent(options: object): Promise<Magnitude>
    BrowserConnector: unknown
  }
  const here = createRequire(import.meta.url)
  const { chromium } = createRequire(here.resolve(names[1]))('playwright') as {
    chromium: { connectOverCDP(url: string): Promise<Browser> }
  }
  const href = 'location.href'
  return {
    async stagehand() {
      const began = performance.now()
      const model = { modelName: 'openai/scripted', apiKey: 'key', baseURL, openaiEndpointFormat: 'chat' }
      const quiet = { disableAPI: true, disablePino: true, verbose: 0, logger: () => {} }
      const connection = { env: 'LOCAL', keepAlive: true, localBrowserLaunchOptions: { cdpUrl } }
      const stagehand = new Stagehand({ ...connection, ...quiet, model })
      await stagehand.init()
      await stagehand.context.activePage()?.evaluate(href)
      await stagehand.close()
      return performance.now() - began
    },
    async magnitude() {
      const began = performance.now()
      const browser = await chromium.connectOverCDP(cdpUrl)
      const llm = { provider: 'openai-generic', options: { model: 'scripted', baseUrl: baseURL, apiKey: 'key' } }
      const agent = await startBrowserAgent({ telemetry: false, browser: { instance: browser }, llm })
      await agent.page.evaluate(href)
      await agent.require(BrowserConnector).getHarness().stop()
      await browser.close()
      return performance.now() - began
    },
  }
}
