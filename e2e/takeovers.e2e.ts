import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { invoke } from './rigs/added-machine.ts'
import type { TestAgent } from './rigs/agent.ts'
import { type EngineConsole, patient, startEngineConsole } from './rigs/engine-console.ts'
import { until } from './rigs/until.ts'

/** Engines that get stuck, and the person who helps; each test goes on where the one before ended. */
describe('takeovers', () => {
  let started: EngineConsole
  let console: EngineConsole['console']
  let rig: EngineConsole['rig']
  let machine: EngineConsole['machine']
  let other: EngineConsole['other']
  let at: EngineConsole['at']
  let lease: EngineConsole['lease']
  let driver: EngineConsole['driver']
  let openLiveOf: EngineConsole['openLiveOf']
  let openLive: EngineConsole['openLive']
  /** What the operation that got stuck came to. */
  let outcome: Promise<string>
  const request = () => at('request').first()
  /** An engine tries once and fails, then a person is wanted. */
  const stuck = async () => {
    await rig.agent.client.call('engine.setConfig', {
      cascade: {
        totalMs: 300_000,
        levels: [
          { engine: 'stagehand', mode: 'dom', retries: 0, timeMs: 4_000 },
          { engine: 'human', retries: 0, timeMs: 120_000 },
        ],
        platforms: {},
      },
    })
    const ran = rig.agent.client.call('engine.run', { instruction: 'click the button nobody finds' }, patient)
    outcome = ran.then(
      (result) => result.attempts.at(-1)?.detail ?? 'nothing was tried',
      (error: Error) => error.message,
    )
    await at('wanted-count').filter({ hasText: '1' }).waitFor()
  }
  /** A person is wanted at once, by an agent that has no engine to try before. */
  const call = async ({ client }: Pick<TestAgent, 'client'>, instruction: string) => {
    const levels = [{ engine: 'human', retries: 0, timeMs: 120_000 } as const]
    await client.call('engine.setConfig', { cascade: { totalMs: 300_000, levels, platforms: {} } })
    // Declined in the end, which is no failure of the test.
    client.call('engine.run', { instruction }, patient).catch(() => {})
    return until('the request', async () => {
      const { requests } = await client.call('takeover.requests')
      return requests.find((one) => one.state === 'open' && one.instruction === instruction)?.id
    })
  }
  const windows: Page[] = []
  /** Counts the notes that a window plays from now on. */
  const listen = async (window: Page) => {
    windows.push(window)
    await window.evaluate(() => {
      const counted = window as unknown as { notes: number }
      counted.notes = 0
      const make = AudioContext.prototype.createOscillator
      AudioContext.prototype.createOscillator = function (this: AudioContext) {
        counted.notes++
        return make.call(this)
      }
    })
  }
  /** Those of all windows; a tone has two. */
  const notes = async () => {
    const each = windows.map((window) => window.evaluate(() => (window as unknown as { notes: number }).notes))
    return (await Promise.all(each)).reduce((sum, count) => sum + count, 0)
  }
  const told = () => console.app.evaluate(() => (globalThis as never as { told: string[] }).told)

  beforeAll(async () => {
    started = await startEngineConsole()
    ;({ console, rig, machine, other, at, lease, driver, openLiveOf, openLive } = started)
  }, 180_000)
  afterAll(async () => {
    await started?.stop()
  })

  test('a call for help stands in the queue with its picture, its reason and what was tried, and is heard', async () => {
    const opening = console.app.waitForEvent('window')
    await invoke(console, 'window.open', { machineId: machine.id, tab: 'logs' })
    const beside = await opening
    await beside.getByRole('button', { name: /Takeovers/ }).waitFor()
    await beside.evaluate(() => {
      window.location.hash = '#/machine/elsewhere/live'
    })
    for (const window of [console.window, beside]) await listen(window)
    await console.window.getByRole('button', { name: /Takeovers/ }).click()
    await console.window.getByText('No machine asks for a person').waitFor()
    await at('takeover-sound').check()
    await until('the setting to be kept', () =>
      console.window.evaluate(async () => {
        const answer = await window.pilothouse.invoke('app.info', {})
        return answer.ok && (answer.value as { settings: { takeoverSound: boolean } }).settings.takeoverSound
      }),
    )
    // What the system is told, looked at where it is handed over.
    await console.app.evaluate(({ Notification }) => {
      const told: string[] = []
      Object.assign(globalThis, { told })
      Notification.isSupported = () => true
      Notification.prototype.show = function show(this: Electron.Notification) {
        told.push(`${this.title}. ${this.body}`)
      }
    })
    const chosen = { takeovers: false, deploys: true, lost: true, sound: false }
    await invoke(console, 'settings.set', { notifications: chosen })
    await at('takeover-notify').check()
    // Another machine's page: whoever looks at the queue needs no call.
    await openLiveOf('elsewhere')
    const before = await notes()
    await stuck()
    await until('the system to be told', async () =>
      (await told()).some((one) => one.startsWith('A person is wanted: jobs-1')),
    )
    await console.window.getByRole('button', { name: /Takeovers/ }).click()
    await until('the tone', async () => (await notes()) > before)
    // The system was told a second later: by now another window would have played it as well.
    expect(await notes()).toBe(before + 2)
    await beside.close()
    windows.pop()
    await request().getByText('click the button nobody finds').waitFor()
    await request().getByTestId('request-tried').getByText('Stagehand dom').waitFor()
    await request()
      .getByTestId('request-left')
      .filter({ hasText: /[12]:\d\d left/ })
      .waitFor()
    await until('the picture', () =>
      request()
        .locator('img')
        .evaluate((picture) => (picture as HTMLImageElement).naturalWidth > 100),
    )
    // Whoever looks at the machine itself sees it there.
    await openLive()
    await at('lease-wanted')
      .filter({ hasText: /[12]:\d\d left · click the button nobody finds/ })
      .waitFor()
    // It stands on top of the fleet as well, for whoever looks there.
    await console.window.getByRole('button', { name: 'Fleet' }).first().click()
    await at('fleet-request').getByText('jobs-1').waitFor()
    await at('fleet-request')
      .getByText(/tried Stagehand dom/)
      .waitFor()
    await at('fleet-table').getByText('Needs you').waitFor()
    expect(await at('summary-attention').innerText()).toMatch(/1$/)
    await console.window.getByRole('button', { name: /Takeovers/ }).click()
  })

  test('it is handed on to someone else, who is named', async () => {
    await request().getByTestId('request-hand-on').click()
    await at('request-hand-on-text').fill('Grace')
    await at('request-hand-on-submit').click()
    await request().getByText('handed on to Grace').waitFor()
    const [first] = (await rig.agent.client.call('takeover.requests')).requests
    expect(first).toMatchObject({ state: 'open', assignedTo: 'Grace' })
  })

  test('whoever it is handed on to hears it, and finds it marked', async () => {
    const before = await notes()
    const id = (await request().getAttribute('data-request')) ?? ''
    await rig.agent.client.call('takeover.handOn', { id, to: 'Ada' })
    await request().getByText('handed on to you').waitFor()
    expect(await request().getAttribute('data-for-me')).toBe('')
    await until('the tone', async () => (await notes()) === before + 2)
    // Once more where nobody looks at the queue: the system says it.
    await openLiveOf('elsewhere')
    await rig.agent.client.call('takeover.handOn', { id, to: 'Ada' })
    await until('the system to be told', async () =>
      (await told()).some((one) => one.startsWith('A person is wanted: jobs-1. Handed on to you: ')),
    )
    await console.window.getByRole('button', { name: /Takeovers/ }).click()
  })

  test('accepting opens Live with control; giving back says how it ended and who goes on', async () => {
    await request().getByTestId('request-accept').click()
    await lease('mine').waitFor()
    await console.window.locator('[data-testid=browser-viewer][data-phase=live][data-mode=control]').waitFor()
    expect((await rig.agent.client.call('takeover.get')).lease).toMatchObject({ operator: 'Ada' })
    await driver('human').waitFor()
    await at('give-back').click()
    await console.window.getByRole('combobox', { name: 'How did it end?' }).click()
    await console.window.getByRole('option', { name: 'Resolved', exact: true }).click()
    await console.window.getByRole('combobox', { name: 'Who goes on?' }).click()
    await console.window.getByRole('option', { name: 'Stagehand, reading the page' }).click()
    await console.window.getByRole('textbox', { name: /Note/ }).fill('the field was hidden')
    await at('give-back-confirm').click()
    await lease('none').waitFor()
    expect(await outcome).toBe('Ada: resolved (the field was hidden)')
    await driver('stagehand').waitFor()
    await console.window.getByRole('button', { name: 'Fleet' }).first().click()
    await at('fleet-table').getByText('Stagehand dom').waitFor()
    expect(await at('summary-engines').innerText()).toMatch(/1$/)
  })

  test('the operator’s own history tells how long each change of hand took', async () => {
    await console.window.getByRole('button', { name: /Takeovers/ }).click()
    const row = at('takeover-history').getByRole('row').filter({ hasText: 'the field was hidden' })
    await row.getByText('resolved', { exact: true }).waitFor()
    const cells = await row.getByRole('cell').allInnerTexts()
    // To accept, to control, held, to an engine that acts.
    for (const cell of cells.slice(3, 7)) expect(cell).toMatch(/^[\d.]+ (ms|s)$/)
    expect(await at('requests-over').innerText()).toContain('given back')
  })

  test('declining ends the waiting, with the reason in the trail', async () => {
    await stuck()
    await request().getByTestId('request-decline').click()
    await at('request-decline-text').fill('the site is down')
    await at('request-decline-submit').click()
    expect(await outcome).toContain('the site is down')
    await console.window.getByText('No machine asks for a person').waitFor()
    expect(await at('wanted-count').count()).toBe(0)
  })

  test('whoever has waited longest stands first, whichever machine it is', async () => {
    const older = await call(other, 'a captcha that is older')
    const newer = await call(rig.agent, 'a form that is newer')
    await until('both, by age', async () => {
      const shown = await at('request').evaluateAll((cards) => cards.map((card) => card.getAttribute('data-request')))
      return shown[0] === older && shown[1] === newer
    })
    await at('takeovers').getByText('2 requests wait, the longest first.').waitFor()
    for (const [{ client }, id] of [
      [other, older],
      [rig.agent, newer],
    ] as const)
      await client.call('takeover.decline', { id, reason: '' })
    await console.window.getByText('No machine asks for a person').waitFor()
  })

  test('what is over is not heard again after a drop, and the own history outlives its machine', async () => {
    await console.window.getByRole('button', { name: /Takeovers/ }).click()
    const row = at('takeover-history').getByRole('row').filter({ hasText: 'the field was hidden' })
    await row.waitFor()
    const declined = () => at('requests-over').locator('[data-state=declined]').count()
    const [before, known] = [await notes(), await declined()]
    machine.cut('')
    await until('the machine to be missed', async () => {
      const machines = (await invoke(console, 'fleet.list', {})) as { id: string; state: string }[]
      return machines.some(({ id, state }) => id === machine.id && state !== 'running')
    })
    const id = await call(rig.agent, 'a form that nobody saw')
    await rig.agent.client.call('takeover.decline', { id, reason: '' })
    await console.window.getByRole('button', { name: 'Fleet' }).first().click()
    await console.window.getByRole('button', { name: /Takeovers/ }).click()
    await row.getByRole('button', { name: 'jobs-1' }).waitFor()
    machine.mend()
    await invoke(console, 'fleet.verify', { machineId: machine.id })
    await until('the request that is over', async () => (await declined()) === known + 1)
    expect(await notes()).toBe(before)
    await invoke(console, 'fleet.remove', { machineId: machine.id })
    await row.getByText('the machine was removed').waitFor()
    expect(await row.innerText()).toContain('jobs-1')
    await console.window.reload()
    await row.getByText('the machine was removed').waitFor()
  })
})
