import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestAgent, type TestAgent } from '../../e2e/rigs/agent.ts'

let rig: TestAgent
beforeAll(async () => {
  rig = await startTestAgent()
})
afterAll(() => rig.stop())

test('a browser that freezes for a moment is said to be silent within two seconds, and goes on', async () => {
  const events = await rig.client.open('events')
  const told: string[] = []
  events.onMessage = (event) => {
    if (event.type === 'health') told.push(`${String(event['status'])}: ${String(event['reason'])}`)
  }
  const { processes } = await rig.client.call('browser.start', { headless: true }, { timeoutMs: 60_000 })
  const pid = processes.find(({ name }) => name === 'chromium')?.pid ?? 0
  const health = async () => (await rig.client.call('machine.health')).status
  await expect.poll(health).toBe('ok')
  process.kill(pid, 'SIGSTOP')
  await expect.poll(() => told.at(-1), { timeout: 2500, interval: 20 }).toContain('Chromium has not answered')
  expect(await health()).toBe('degraded')
  expect(await rig.client.call('browser.status')).toMatchObject({
    ...{ state: 'active', lastError: { code: 'timeout', message: expect.stringContaining('Chromium') as string } },
  })
  process.kill(pid, 'SIGCONT')
  await expect.poll(() => told.at(-1), { timeout: 10_000 }).toBe('ok: ')
  expect(await rig.client.call('browser.status')).toMatchObject({ state: 'active', lastError: null })
  events.close()
})
