import { invoke } from '../rigs/added-machine.ts'
import type { TestConsole } from '../rigs/electron.ts'
import { until } from '../rigs/until.ts'
import { openViewer } from '../rigs/vnc-viewer.ts'
import type { Camera } from './camera.ts'
import { type Rig, startRig } from './hands-on-rig.ts'
import { inspector, logs, terminal } from './hands-on-tools.ts'

/** Pictures of what operators have in their hands all day, in the states that are seldom seen. */
export async function takeHandsOn(
  console: TestConsole,
  camera: Camera,
  wanted: (part: string) => boolean,
): Promise<void> {
  const parts = { live, inspector, terminal, logs, takeovers, timeline, lost }
  const ends: (() => Promise<unknown> | unknown)[] = []
  try {
    const rig = await startRig(console, ends)
    for (const [name, part] of Object.entries(parts)) if (wanted(`hands-${name}`)) await part(rig, camera)
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

async function live({ console, shop, machine, second, at }: Rig, camera: Camera): Promise<void> {
  const { window } = console
  const here = `#/machine/${machine.id}/live`
  const viewer = (attributes: string) => window.locator(`[data-testid=browser-viewer]${attributes}`)
  machine.hold('/ws/vnc')
  await camera.take('hands-live-connecting', here, () => at('live-notice').waitFor())
  machine.mend()
  await camera.take('hands-live-view-menu', here, async () => {
    await viewer('[data-phase=live]').waitFor()
    await at('view-menu').click()
    await at('view-figures').check()
  })
  await window.keyboard.press('Escape')
  const grace = shop.clientAs({ secret: shop.secret, operator: 'Grace' })
  const watching = await openViewer(grace)
  const { leaseId } = await grace.call('takeover.take', { operator: 'Grace', reason: 'the form is stuck' })
  await camera.take('hands-live-other', here, () => window.locator('[data-lease=other]').waitFor())
  await grace.call('takeover.handBack', { leaseId, note: '' })
  watching.close()
  await invoke(console, 'settings.set', { leaseMinutes: 1 })
  await window.locator('[data-lease=none]').waitFor()
  await at('take-over').click()
  await camera.take('hands-live-short', here, async () => {
    await viewer('[data-phase=live][data-mode=control]').waitFor()
    await at('lease-short').waitFor()
  })
  await invoke(console, 'settings.set', { leaseMinutes: 10 })
  await at('give-back').click()
  await at('give-back-confirm').click()
  await window.locator('[data-lease=none]').waitFor()
  await at('take-over').click()
  await at('lease-left').waitFor()
  await camera.take('hands-live-keys', here, async () => {
    await at('special-keys').click()
    await at('hold-ctrl').click()
  })
  await window.keyboard.press('Escape')
  await camera.take('hands-live-tabs', here, async () => {
    await at('live-new-tab').click()
    await at('live-tabs').waitFor()
  })
  await camera.take('hands-live-clipboard', here, () => at('clipboard').click())
  await window.keyboard.press('Escape')
  await camera.take('hands-live-give-back', here, () => at('give-back').click())
  await window.keyboard.press('Escape')
  machine.cut('/ws/vnc')
  await camera.take('hands-live-reconnecting', here, () => viewer('[data-phase=reconnecting]').waitFor())
  machine.mend()
  await camera.take('hands-live-filled', here, async () => {
    await viewer('[data-phase=live]').waitFor()
    await window.getByRole('button', { name: 'Full screen', exact: true }).click()
    await viewer('[data-filled]').waitFor()
  })
  await window.getByRole('button', { name: 'Leave full screen' }).click()
  await at('give-back').click()
  await at('give-back-confirm').click()
  await window.locator('[data-lease=none]').waitFor()
  await camera.take('hands-live-screencast', `#/machine/${second.id}/live`, () => viewer('[data-phase=live]').waitFor())
  await camera.take('hands-live-switch', `#/machine/${second.id}/live`, () => at('engine-switch').click())
  await window.keyboard.press('Escape')
}

async function takeovers({ console, jobs, second, at }: Rig, camera: Camera): Promise<void> {
  const { window } = console
  await camera.take('hands-takeovers-empty', '#/takeovers')
  await jobs.agent.client.call('engine.setConfig', {
    cascade: {
      totalMs: 300_000,
      levels: [
        { engine: 'stagehand', mode: 'dom', retries: 1, timeMs: 4_000 },
        { engine: 'stagehand', mode: 'cua', retries: 0, timeMs: 4_000 },
        { engine: 'human', retries: 0, timeMs: 120_000 },
      ],
      platforms: {},
    },
  })
  const stuck = async (instruction: string) => {
    void jobs.agent.client.call('engine.run', { instruction }, { timeoutMs: 200_000 }).catch(() => {})
    await at('wanted-count').waitFor({ timeout: 60_000 })
  }
  await stuck('click the button nobody finds')
  await camera.take('hands-takeovers-one', '#/takeovers', () => at('request').locator('img').waitFor())
  await camera.take('hands-live-wanted', `#/machine/${second.id}/live`)
  await window.evaluate(() => {
    location.hash = '#/takeovers'
  })
  await at('request-accept').click()
  await camera.take('hands-live-accepted', null, () => window.locator('[data-lease=mine]').waitFor())
  await invoke(console, 'takeover.giveBack', {
    machineId: second.id,
    outcome: 'resolved',
    note: 'The field was hidden behind a banner.',
  })
  await stuck('click what nobody finds either')
  await camera.take('hands-takeovers-history', '#/takeovers', () => at('takeover-history').waitFor())
  await camera.take('hands-engine-details', `#/machine/${second.id}/live`, async () => {
    await at('engine-more').click()
    await at('menu-engine-details').click()
  })
  await window.keyboard.press('Escape')
}

async function timeline({ shop, machine, second, console, at }: Rig, camera: Camera): Promise<void> {
  await shop.client.call('env.set', { vars: { API_URL: 'https://shop.example.com' } })
  await shop.client.call('exec.run', { command: 'echo hello' })
  machine.hold('/timeline')
  await camera.take('hands-timeline-loading', `#/machine/${machine.id}/timeline`)
  machine.mend()
  const row = at('timeline-list').locator('[data-row]')
  await camera.take('hands-timeline-full', `#/machine/${machine.id}/timeline`, async () => {
    await row.first().waitFor()
    await at('timeline-fit').click()
  })
  await camera.take('hands-timeline-detail', `#/machine/${second.id}/timeline`, async () => {
    await row.filter({ hasText: 'Ada had control' }).first().click()
    await at('timeline-detail').locator('img').first().waitFor()
  })
  await camera.take('hands-timeline-nothing', `#/machine/${machine.id}/timeline`, () =>
    at('timeline-search').fill('nothing has this'),
  )
  await at('timeline-search').fill('')
  await console.window.keyboard.press('Escape')
}

/** The whole machine out of reach. */
async function lost({ console, machine }: Rig, camera: Camera): Promise<void> {
  machine.cut('')
  await until(
    'it to be noticed',
    async () => {
      const machines = (await invoke(console, 'fleet.list', {})) as { id: string; state: string }[]
      return machines.find(({ id }) => id === machine.id)?.state !== 'running'
    },
    60_000,
  )
  for (const tab of ['live', 'inspector', 'terminal', 'logs', 'timeline'])
    await camera.take(`hands-lost-${tab}`, `#/machine/${machine.id}/${tab}`)
  machine.mend()
}
