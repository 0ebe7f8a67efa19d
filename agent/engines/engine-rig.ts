import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { startTestAgent, type TestAgent } from '../../e2e/rigs/agent.ts'
import { type CdpPage, chromiumAddress, findPage } from '../../e2e/rigs/cdp-page.ts'
import { type Llm, type Script, startLlm } from '../../e2e/rigs/llm.ts'
import type { AgentEvent } from '../../shared/contract/index.ts'

/** Pages that look like the real ones, as far as platforms are told apart. */
const pages: Record<string, string> = {
  '/form': `<title>Form</title><form action="/sent"><label>Name <input name="name"></label>
    <label>Email <input name="email"></label><span id="place"><button id="submit">Send it</button></span></form>
    <button id="restore" onclick="place.innerHTML = '<button id=submit>Send it</button>'">Restore</button>
    <script>window.breakForm = () => { place.innerHTML = '<canvas></canvas>' }</script>`,
  '/sent': '<title>Sent</title><h1>Thank you</h1>',
  '/count': `<title>Count</title><body style="margin:0;height:3000px"><input id="field"><button id="big"
    style="position:fixed;inset:40px 0 0 0">Count</button><iframe srcdoc="<p>inside</p>"></iframe><script>
    window.seen = { mousedown: 0, click: 0, keydown: 0, scroll: 0 }
    for (const type in seen) addEventListener(type, (event) => event.isTrusted && seen[type]++, true)</script>`,
  '/other': '<title>Other</title><h1>Another tab</h1>',
  '/apply': `<title>Apply</title><p>Step 1 of 3</p><form action="/apply2"><label>Full name <input name="fullName"></label>
    <label>Country <select name="country"><option><option>Norway<option>Peru</select></label><button>Next</button></form>`,
  '/apply2': `<title>Apply</title><p>Step 2 of 3</p><form action="/apply3"><label>Resume <input type="file" name="resume"></label>
    <div data-captcha="open" id="captcha"><button type="button" id="human" onclick="captcha.dataset.captcha='solved'">I am human</button></div>
    <button>Next</button></form>`,
  '/apply3': `<title>Apply</title><p>Step 3 of 3</p><form action="/applied"><label>Notice period <input name="notice"></label>
    <button>Submit application</button></form>`,
  '/applied': '<title>Applied</title><h1>Application received</h1>',
  '/workday': '<title>Careers</title><div data-automation-id="jobApplication"><input data-automation-id="name"></div>',
  '/greenhouse': '<title>Jobs</title><div id="grnhse_app"><form id="application_form"></form></div>',
  '/lever': '<title>Jobs</title><form class="posting-apply"><button data-qa="btn-submit">Apply</button></form>',
  '/linkedin': '<title>Jobs</title><div class="jobs-easy-apply-modal"></div>',
}

export interface EngineRig {
  agent: TestAgent
  llm: Llm
  site: string
  /** What the site was asked for, in order. */
  asked: string[]
  page(path: string): Promise<CdpPage>
  go(path: string): Promise<void>
  events(): Promise<AgentEvent[]>
  stop(): Promise<void>
}

/** An agent with a headless browser, a site to work on, and a model that follows a script. */
export async function startEngineRig(script: Script, env: Record<string, string> = {}): Promise<EngineRig> {
  const asked: string[] = []
  const server = http.createServer((request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?')
    asked.push(request.url ?? '/')
    response.setHeader('set-cookie', 'session=kept; Path=/')
    response.setHeader('content-type', 'text/html')
    response.statusCode = path in pages ? 200 : 404
    response.end(pages[path] ?? 'nothing here')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const llm = await startLlm(script)
  const agent = await startTestAgent({
    ...{ PILOTHOUSE_LLM_URL: llm.baseUrl, PILOTHOUSE_LLM_KEY: 'canary-key', PILOTHOUSE_LLM_MODEL: 'scripted' },
    ...env,
  })
  await agent.client.call('browser.start', { headless: true, url: `${site}/form` }, { timeoutMs: 60_000 })
  return {
    agent,
    llm,
    site,
    asked,
    async page(path) {
      const found = await findPage(chromiumAddress(agent.dataDir), (url) => url.startsWith(`${site}${path}`))
      if (found === undefined) throw new Error(`no page shows ${path}`)
      return found
    },
    async go(path) {
      await agent.client.call('browser.navigate', { url: `${site}${path}` })
    },
    async events() {
      const socket = await agent.client.open('events', { since: 0 })
      const found: AgentEvent[] = []
      const { promise, resolve } = Promise.withResolvers<void>()
      let last = Number.POSITIVE_INFINITY
      socket.onMessage = (message) => {
        if (message.type === 'hello') last = Number(message['seq'])
        else if ('seq' in message) found.push(message as unknown as AgentEvent)
        if ((found.at(-1)?.seq ?? 0) >= last) resolve()
      }
      await promise
      socket.close()
      return found
    },
    async stop() {
      await agent.stop()
      await llm.stop()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
