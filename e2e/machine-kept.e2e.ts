import path from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestAgent, type TestAgent } from './rigs/agent.ts'
import { startConsole, type TestConsole } from './rigs/electron.ts'
import { keptDeploy, keptLeg, keptRollout } from './rigs/filled-fleet.ts'
import { freshFolder } from './rigs/folder.ts'
import { ask } from './rigs/ipc.ts'
import { keepFleet } from './rigs/kept-fleet.ts'
import { freePort } from './rigs/ports.ts'
import { until } from './rigs/until.ts'

const busyLine = {
  ...{ cpu: { usagePercent: 50, cores: 2 }, memory: { usedMb: 1, totalMb: 2, usagePercent: 50 } },
  ...{ disk: { usedGb: 1, totalGb: 2, usagePercent: 50 }, network: { rxBytesPerSec: 85e6, txBytesPerSec: 2e4 } },
}

/** What the console is told of a machine, and what it keeps of one that is gone. */
describe('a machine of the fleet', () => {
  const { folder, remove } = freshFolder('machine-e2e')
  const userData = path.join(folder, 'data')
  const agents: TestAgent[] = []
  let console: TestConsole
  let window: Page
  const at = (id: string) => window.getByTestId(id)

  beforeAll(async () => {
    const kept = [1, 3, 5].map((number) => ({
      ...{ id: `m${number}`, name: `prod-${number}`, imageTag: 'gh:2.1', state: 'killed' as const },
    }))
    keepFleet(userData, kept, (store) => {
      const deploys = [keptDeploy(3, 'failed'), keptDeploy(2, 'completed')]
      const at = new Date(Date.now() - 12 * 60_000).toISOString()
      store.answers.save('m1', 'deploys.list', at, { deploys, page: 1, pageSize: 50, total: 2 })
      for (let minute = 1; minute < 30; minute++) store.metrics.add('m5', busyLine, Date.now() - minute * 60_000)
      const container = { id: 'c1', name: 'ghosthands-api', image: 'gh:2.1', state: 'running', status: 'Up 3 hours' }
      const seen = [{ ...container, ports: [], createdAt: at, labels: {} }]
      store.answers.save('m1', 'containers.list', at, seen)
      store.rollouts.add(keptRollout([keptLeg('m1', 'prod-1', 0, 'completed'), keptLeg('m3', 'prod-3', 1, 'failed')]))
    })
    agents.push(await startTestAgent(), await startTestAgent())
    console = await startConsole({ userData })
    window = console.window
    for (const [index, { port, secret }] of agents.entries())
      await ask(window, 'fleet.add', {
        ...{ name: `live-${index}`, environment: 'dev', machineType: 'ssh_host', secret },
        tunnel: { kind: 'direct', host: '127.0.0.1', port },
      })
  }, 180_000)
  afterAll(async () => {
    await console?.stop()
    for (const agent of agents) await agent.stop()
    remove()
  })

  test('a machine that has moved is told its new way, and answers again', async () => {
    const machines = await ask<{ id: string; name: string }[]>(window, 'fleet.list', {})
    const machineId = machines.find(({ name }) => name === 'live-1')?.id
    const now = async () => {
      const list = await ask<{ id: string; state: string; address: string }[]>(window, 'fleet.list', {})
      return list.find(({ id }) => id === machineId)
    }
    await window.evaluate((id) => {
      location.hash = `#/machine/${id}/connection`
    }, machineId)
    const form = window.getByRole('dialog', { name: 'Edit live-1' })
    const change = async () => {
      await window.getByRole('button', { name: 'Change the way…' }).click()
      await form.waitFor()
    }
    const nobody = await freePort()
    await change()
    expect(await at('machine-port').inputValue()).toBe(String(agents[1]?.port))
    await at('machine-port').fill(` ${nobody} `)
    await at('edit-submit').click()
    await form.waitFor({ state: 'detached' })
    await until('nobody to answer there', async () => {
      const found = await now()
      return found?.state === 'unknown' && found.address.endsWith(String(nobody))
    })
    await change()
    await at('edit-name').fill('live-0')
    await at('machine-host').fill('http://127.0.0.1')
    await at('machine-port').fill('80000')
    await at('edit-submit').click()
    await form.getByText('There is a machine of that name already.').waitFor()
    await form.getByText('Only the host: no scheme, user, path or spaces.').waitFor()
    await form.getByText('1 to 65535.').waitFor()
    await until('the first mistake to have the focus', () =>
      at('edit-name').evaluate((field) => field === document.activeElement),
    )
    expect((await now())?.address).toContain(String(nobody))
    await at('edit-name').fill('live-1')
    await at('machine-host').fill('127.0.0.1')
    await at('machine-port').fill(String(agents[1]?.port))
    await at('edit-submit').click()
    await form.waitFor({ state: 'detached' })
    await until('it to be heard again', async () => (await now())?.state === 'running')
    await window.locator('body').press('Shift+E')
    await at('new-secret').fill(`  ${agents[1]?.secret}\t`)
    await at('new-secret-submit').click()
    await at('new-secret').waitFor({ state: 'detached' })
    expect((await now())?.state).toBe('running')
    await window.evaluate(() => {
      location.hash = '#/fleet'
    })
    await at('fleet-table').waitFor()
  })

  test('what is refused is brought into sight, however long the form is', async () => {
    const size = (width: number, height: number) =>
      console.app.evaluate(
        ({ BrowserWindow }, [wide, high]) => BrowserWindow.getAllWindows()[0]?.setContentSize(wide, high),
        [width, height] as const,
      )
    await size(1024, 700)
    await until('the small window', () => window.evaluate(() => innerHeight < 720))
    await window.locator('body').press('a')
    const form = window.getByRole('dialog', { name: 'Add a machine' })
    await at('machine-name').fill('twin')
    await form.getByRole('combobox', { name: 'Type' }).click()
    await window.getByRole('option', { name: 'EC2' }).click()
    await at('machine-host').fill('127.0.0.1')
    await at('machine-port').fill(String(agents[0]?.port))
    await at('machine-secret').fill(agents[0]?.secret ?? '')
    await at('machine-submit').click()
    const refused = form.getByTestId('problem').filter({ hasText: 'in the fleet already, as live-0' })
    await until('the refusal to be seen', () =>
      refused.evaluate((shown) => {
        const { left, top, width, height } = shown.getBoundingClientRect()
        return shown.contains(document.elementFromPoint(left + width / 2, top + height / 2))
      }),
    )
    await window.keyboard.press('Escape')
    await form.waitFor({ state: 'detached' })
    await size(1440, 900)
    await until('the large window', () => window.evaluate(() => innerHeight > 850))
  })

  test('of a machine that is gone its own record of deploys is shown as it was last told; without one, what was deployed from here', async () => {
    const deploysOf = async (id: string) => {
      await window.evaluate((machineId) => {
        location.hash = `#/machine/${machineId}/deploys`
      }, id)
      await at('machine-deploys').waitFor()
    }
    await deploysOf('m1')
    await at('deploys-last-known')
      .filter({ hasText: /last known 1\d min ago/ })
      .waitFor()
    await at('agent-deploy-3').filter({ hasText: '2.4.3' }).waitFor()
    await at('machine-deploys').getByText('ghosthands-api did not become healthy within 60 s.').waitFor()
    await at('agent-deploy-2').filter({ hasText: 'Ada' }).waitFor()
    await deploysOf('m3')
    await window.getByText('This is what was deployed there from this console.').waitFor()
    await at('machine-deploys').getByRole('row').filter({ hasText: '2.4.1' }).filter({ hasText: 'Failed' }).waitFor()
    expect(await at('deploys-last-known').count()).toBe(0)
    await deploysOf('m5')
    await window.getByText('this console has deployed nothing there').waitFor()
    await window.evaluate(() => {
      location.hash = '#/fleet'
    })
    await at('fleet-table').waitFor()
  })

  test('a scale is written whole, however large its numbers', async () => {
    await window.evaluate(() => {
      const { fillText } = CanvasRenderingContext2D.prototype
      const begins: Record<string, number> = {}
      Object.assign(window, { begins })
      CanvasRenderingContext2D.prototype.fillText = function (text, x, ...rest) {
        if (this.textAlign === 'right') begins[text] = x - this.measureText(text).width
        fillText.call(this, text, x, ...rest)
      }
      location.hash = '#/machine/m5/overview'
    })
    const begins = () => window.evaluate(() => (window as unknown as { begins: Record<string, number> }).begins)
    await until('the scale of the network', async () => (await begins())['50.0 MB/s'] !== undefined)
    for (const [text, from] of Object.entries(await begins())) expect(from, text).toBeGreaterThanOrEqual(0)
  })

  test('of a long paste each line that cannot be read is named, and only the list of changes scrolls', async () => {
    const machines = await ask<{ id: string; name: string }[]>(window, 'fleet.list', {})
    const id = machines.find(({ name }) => name === 'live-0')?.id
    await window.evaluate((machine) => {
      location.hash = `#/machine/${machine}/env`
    }, id)
    await at('env-import').click()
    const lines = Array.from({ length: 60 }, (_, index) => `NAME_${index}=a://${index} => b`)
    await at('env-paste').fill(['one that is none', ...lines, '1ST=x'].join('\n'))
    await at('env-import-said').filter({ hasText: '2 lines cannot be read: one that is none · 1ST' }).waitFor()
    await at('env-import-review').click()
    const heights = await window.getByRole('dialog').evaluate((dialog) => [dialog.scrollHeight, dialog.clientHeight])
    expect(heights[0]).toBe(heights[1])
    const value = at('env-diff').locator('[data-key=NAME_1] ins')
    expect(await value.evaluate((shown) => getComputedStyle(shown).fontVariantLigatures)).toBe('none')
  })

  test('the load of a container of a machine that is gone is not drawn as a silent one', async () => {
    await window.evaluate(() => {
      location.hash = '#/machine/m1/containers'
    })
    await at('container-load').getByText('Only the machine keeps this.').waitFor()
    expect(await at('container-load').locator('canvas').count()).toBe(0)
  })
})
