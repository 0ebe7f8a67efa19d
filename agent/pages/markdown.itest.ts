import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentProcess, startAgentProcess } from '../../e2e/rigs/agent-process.ts'
import { type PageServer, startPages } from '../../e2e/rigs/pages.ts'

/** The agent as it is on a machine: one file, from which it starts its threads as well. */
let agent: AgentProcess
let pages: PageServer
beforeAll(async () => {
  pages = await startPages()
  agent = await startAgentProcess()
  await agent.client.call('browser.start', { headless: true }, { timeoutMs: 60_000 })
})
afterAll(async () => {
  await agent.stop()
  await pages.stop()
})
const api = () => agent.client.nouns.browser
const open = (path: string) => api().navigate({ url: pages.origin + path })

test('a page is converted, in the order of its parts', async () => {
  await open('/article')
  const { markdown } = await api().markdown()
  expect(markdown).toMatch(/^# The article\n\nFirst \*\*bold\*\* word, \[a link\]\([^)]*\/form\)\./)
})

test('a page that takes minutes ends in time, and the agent answers all the while', async () => {
  let isOver = false
  const crawl = api()
    .crawl({ url: `${pages.origin}/spaces`, maxPages: 1, timeout: 5000 })
    .finally(() => {
      isOver = true
    })
  let answered = 0
  while (!isOver) {
    await agent.client.call('machine.health')
    answered++
  }
  expect((await crawl).pages).toMatchObject([{ error: expect.stringContaining('into Markdown in time') }])
  expect(answered).toBeGreaterThan(5)
  await open('/article')
  expect((await api().markdown()).markdown).toContain('# The article')
})

test('what lies three thousand levels deep is read', async () => {
  await open('/nested')
  const { markdown, truncated } = await api().markdown()
  expect(markdown.replace(/\s+/g, ' ')).toBe('level 0 level 1000 level 2000 deep down')
  expect(truncated).toBe(false)
})
