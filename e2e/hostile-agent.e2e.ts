import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { machineTabs } from '../renderer/app/route.ts'
import { startConsole, type TestConsole } from './rigs/electron.ts'
import { type HostileAgent, startHostileAgent } from './rigs/hostile-agent.ts'
import { until } from './rigs/until.ts'

/** A compromised machine fills every field it can with attacks; the console shows them as text, and nothing else. */
describe('a machine in an attacker’s hands', () => {
  let agent: HostileAgent
  let console: TestConsole
  let machineId = ''
  let origin = ''
  /** Screens on which an attack could be read: proof that they were shown at all. */
  const shownOn = new Set<string>()

  beforeAll(async () => {
    agent = await startHostileAgent()
    console = await startConsole()
    await console.window.evaluate(() => {
      Object.assign(globalThis, { violations: [] as string[] })
      document.addEventListener('securitypolicyviolation', (event) => {
        ;(globalThis as unknown as { violations: string[] }).violations.push(
          `${event.violatedDirective} ${event.blockedURI} ${event.sample}`,
        )
      })
    })
    origin = await console.window.evaluate(() => window.location.origin)
    machineId = await console.window.evaluate(async (port) => {
      const answer = await window.pilothouse.invoke('fleet.add', {
        name: 'hostile',
        environment: 'dev',
        machineType: 'ssh_host',
        tunnel: { kind: 'direct', host: '127.0.0.1', port },
        secret: 'x'.repeat(43),
      })
      if (!answer.ok) throw new Error(answer.problem.detail)
      return (answer.value as { id: string }).id
    }, agent.port)
  }, 120_000)
  afterAll(async () => {
    await console?.stop()
    await agent?.stop()
  })

  const go = (hash: string) =>
    console.window.evaluate((place) => {
      window.location.hash = place
    }, hash)
  const nothingRan = async () => {
    const seen = await console.window.evaluate(() => ({
      ran: (globalThis as { ran?: string }).ran ?? null,
      violations: (globalThis as unknown as { violations: string[] }).violations,
      frames: document.querySelectorAll('iframe, object, embed, base, meta[http-equiv=refresh]').length,
      origin: window.location.origin,
      broken: document.body.innerText.includes('This screen broke'),
    }))
    expect(seen).toEqual({ ran: null, violations: [], frames: 0, origin, broken: false })
    expect(console.app.windows().length).toBe(1)
    const text = await console.window.evaluate(() => document.body.innerText)
    if (text.includes('globalThis.ran')) shownOn.add(await console.window.evaluate(() => window.location.hash))
  }

  test('is shown as running', async () => {
    await until('the machine to be up', () =>
      console.window.evaluate(async () => {
        const answer = await window.pilothouse.invoke('fleet.list', {})
        return answer.ok && (answer.value as { state: string }[])[0]?.state === 'running'
      }),
    )
  })

  test.each(machineTabs)('its tab %s shows text and runs nothing', async (tab) => {
    const before = agent.sent()
    await go(`#/machine/${encodeURIComponent(machineId)}/${tab}`)
    await console.window.getByTestId(`tab-${tab}`).and(console.window.locator('[aria-selected=true]')).waitFor()
    await until('more of what it has to say', () => agent.sent() > before + 60)
    await nothingRan()
  })

  test.each(['fleet', 'takeovers', 'workers', 'deploys', 'audit', 'diagnostics', 'settings', 'logs', 'wall'])(
    'the screen %s shows text and runs nothing',
    async (screen) => {
      const before = agent.sent()
      await go(`#/${screen}`)
      await until('more of what it has to say', () => agent.sent() > before + 60)
      await nothingRan()
    },
  )

  test('a thousand different attacks were sent, and the console is usable', async () => {
    await until('a thousand', () => agent.sent() > 1000)
    await go('#/fleet')
    await console.window.getByText('hostile', { exact: true }).first().waitFor()
    await nothingRan()
    expect([...shownOn].length, [...shownOn].join()).toBeGreaterThanOrEqual(3)
  })
})
