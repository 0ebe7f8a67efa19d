import type { Page } from 'playwright'
import { goneMachine } from '../rigs/filled-fleet.ts'
import type { Camera } from './camera.ts'
import type { PicturedMachines } from './machines.ts'

/** What the tabs of a machine ask for. */
const asked = { workers: '/workers', containers: '/containers', env: '/env', deploys: '/deploys', audit: '/audit' }
const tabs = Object.keys(asked) as (keyof typeof asked)[]

/** A machine that takes its time: what stands where its answers will be. */
export async function loading(window: Page, camera: Camera, machines: PicturedMachines): Promise<void> {
  machines.dawdle(Object.values(asked))
  for (const tab of tabs)
    await camera.take(`loading-${tab}`, `#/machine/${machines.ids[0] ?? ''}/${tab}`, async () => {
      // What the console has heard already needs no waiting.
      const wayOut = window.getByRole('button', { name: 'Stop waiting' })
      await wayOut.waitFor({ timeout: 4000 }).catch(() => {})
    })
  machines.dawdle([])
}

/** A machine without Docker, and one that is gone: what its tabs say then. */
export async function failing(camera: Camera, machines: PicturedMachines): Promise<void> {
  for (const tab of [...tabs, 'overview', 'connection']) {
    await camera.take(`failing-${tab}`, `#/machine/${machines.ids[2] ?? ''}/${tab}`)
    await camera.take(`gone-${tab}`, `#/machine/${goneMachine}/${tab}`)
  }
  for (const [state, id] of [
    ['expired', 'kept-2'],
    ['shut-down', 'kept-3'],
  ])
    await camera.take(`state-${state}`, `#/machine/${id}/live`)
}

/** Everything that opens above a screen. */
export async function dialogs(window: Page, camera: Camera, machines: PicturedMachines): Promise<void> {
  const at = (id: string) => window.getByTestId(id)
  const shop = `#/machine/${machines.ids[0] ?? ''}`
  const shut = async () => {
    for (let layer = 0; layer < 3; layer++) await window.keyboard.press('Escape')
  }
  const take = async (name: string, place: string, open: () => Promise<void>) => {
    await camera.take(`dialog-${name}`, place, open)
    await shut()
  }
  await take('add-machine', '#/fleet', () => at('add-machine').click())
  await take('selection', '#/fleet', async () => {
    await at('fleet-table').focus()
    await window.keyboard.press('Control+a')
  })
  await take('row-menu', '#/fleet', async () => {
    await at('fleet-table').focus()
    await window.keyboard.press('Home')
    await window.keyboard.press('.')
  })
  await take('filter', '#/fleet', () => at('filter-status').click())
  await take('shortcuts', '#/fleet', () => window.keyboard.press('?'))
  await take('new-deploy', '#/deploys', () => window.getByRole('button', { name: 'New deploy' }).click())
  await take('feed', '#/deploys', () => window.getByRole('button', { name: 'Set up…' }).first().click())
  await take('env-edit', `${shop}/env`, () => at('env-edit-API_URL').click())
  await take('env-import', `${shop}/env`, () => at('env-import').click())
  await take('env-compare', `${shop}/env`, () => at('env-compare').click())
  await take('env-review', `${shop}/env`, async () => {
    await at('env-delete-REGION').click()
    await at('env-review').click()
  })
  await take('run-task', `${shop}/overview`, () => at('run-task').click())
  await take('power', `${shop}/overview`, () => at('power').click())
  await take('terminate', `${shop}/overview`, async () => {
    await at('more').click()
    await at('menu-machine.terminate').click()
  })
  await take('rotate', `${shop}/connection`, () => window.getByRole('button', { name: 'Rotate the secret…' }).click())
  await take('audit-entry', '#/audit', () => at('audit-table').locator('[data-row]').first().click())
  await take('machine-audit-entry', `${shop}/audit`, () => at('audit-table').locator('[data-row]').first().click())
}
