import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Locator } from 'playwright'
import { type AddedMachine, addMachine, invoke } from './added-machine.ts'
import { startTestAgent, type TestAgent } from './agent.ts'
import { startConsole, type TestConsole } from './electron.ts'

export interface OpenedBrowser {
  console: TestConsole
  agent: TestAgent
  machine: AddedMachine
  /** Where the pages are: `http://127.0.0.1:port`. */
  site: string
  at(testId: string): Locator
  stop(): Promise<void>
}

interface Wish {
  /** The pages of the site; html in UTF-8 unless an answer says otherwise. */
  answer: (request: http.IncomingMessage, response: http.ServerResponse, site: string) => void
  /** Path of the first page; a blank one without. */
  first?: string
  size?: { width: number; height: number }
  /** Without a display: the picture is the page alone. */
  headless?: boolean
  tab: 'live' | 'inspector'
}

/** A console in which Ada has a tab of the machine shop-1 open, whose browser shows a page of a site of the test's. */
export async function openBrowser({ answer, first, size, headless = false, tab }: Wish): Promise<OpenedBrowser> {
  let site = ''
  const server = http.createServer((request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    answer(request, response, site)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const agent = await startTestAgent()
  const url = first === undefined ? 'about:blank' : `${site}${first}`
  // Neither waits for the other.
  const [console] = await Promise.all([
    startConsole(),
    agent.client.call('browser.start', { url, headless, ...size }, { timeoutMs: 60_000 }),
  ])
  const machine = await addMachine(console, agent, 'shop-1')
  await invoke(console, 'settings.set', { operator: 'Ada' })
  await console.window.evaluate((hash) => {
    window.location.hash = hash
  }, `#/machine/${machine.id}/${tab}`)
  return {
    ...{ console, agent, machine, site },
    at: (testId) => console.window.getByTestId(testId),
    async stop() {
      await console.stop()
      await machine.stop()
      await agent.stop()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
