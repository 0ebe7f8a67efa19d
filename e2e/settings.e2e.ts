import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AddedMachine, addMachine } from './rigs/added-machine.ts'
import { startTestAgent, type TestAgent } from './rigs/agent.ts'
import { type Ec2Rig, startEc2 } from './rigs/ec2.ts'
import { startConsole, type TestConsole } from './rigs/electron.ts'
import { keepFilledFleet } from './rigs/filled-fleet.ts'
import { freshFolder } from './rigs/folder.ts'
import { ask } from './rigs/ipc.ts'
import { until } from './rigs/until.ts'

/** The settings, section by section; each test goes on where the one before ended. */
describe('the settings', () => {
  const { folder, remove } = freshFolder('settings-e2e')
  const userData = path.join(folder, 'data')
  let agent: TestAgent
  let ec2: Ec2Rig
  let console: TestConsole
  let machine: AddedMachine
  const at = (id: string) => console.window.getByTestId(id)
  const section = (name: string) => at(`settings-${name}`).click()
  const verdict = (kind: string, wanted: string) =>
    at(`credential-${kind}`).locator(`[data-testid=verdict][data-verdict=${wanted}]`).waitFor()

  beforeAll(async () => {
    keepFilledFleet(userData)
    ;[agent, ec2] = await Promise.all([startTestAgent(), startEc2()])
    const env = { AWS_ENDPOINT_URL: ec2.endpoint, AWS_REGION: 'eu-central-1' }
    console = await startConsole({ userData, env })
    machine = await addMachine(console, agent, 'shop-1')
    await console.window.getByRole('button', { name: 'Settings' }).click()
  }, 180_000)
  afterAll(async () => {
    await console?.stop()
    await machine?.stop()
    await agent?.stop()
    await ec2?.stop()
    remove()
  })

  test('a secret is listed by its machine, tested with a call that needs it, and removed after a question', async () => {
    await section('credentials')
    const row = at('credential-agent')
    await row.getByText('shop-1').waitFor()
    await row.getByRole('button', { name: 'Test shop-1' }).click()
    await verdict('agent', 'good')
    expect(await console.window.content()).not.toContain(agent.secret)
    await row.getByRole('button', { name: 'Remove shop-1' }).click()
    await console.window.getByText(/The machine keeps it/).waitFor()
    await at('confirm').click()
    await row.waitFor({ state: 'detached' })
    await ask(console.window, 'fleet.setSecret', { machineId: machine.id, secret: agent.secret })
  })

  test('AWS keys are tested with a describe call, and one that is refused says so', async () => {
    const keys = { name: 'ops', accessKeyId: 'AKIACANARY00000001', secretAccessKey: 'canary-aws-secret-51d2' }
    for (const [key, value] of Object.entries(keys)) await at(`aws-${key}`).fill(value)
    await at('aws-submit').click()
    await at('credential-aws').getByRole('button', { name: 'Test ops' }).click()
    await verdict('aws', 'good')
    expect(ec2.asked.at(-1)).toMatchObject({ action: 'DescribeInstances', accessKeyId: keys.accessKeyId })
    ec2.trouble({ kind: 'error', status: 401, code: 'AuthFailure', message: 'no' }, 5)
    await at('credential-aws').getByRole('button', { name: 'Test ops' }).click()
    await verdict('aws', 'refused')
    expect(await console.window.content()).not.toContain(keys.secretAccessKey)
  })

  test('how machines are reached from here is looked at', async () => {
    await section('tunnels')
    await at('ssh-surroundings').getByText('Known hosts').first().waitFor()
    await at('ssh-surroundings')
      .getByText(/Native|JavaScript/)
      .waitFor()
    await at('tailscale').getByText('State').waitFor()
  })

  test('keys are changed, those of another action refused by its name, and help, palette and menu follow', async () => {
    await section('shortcuts')
    await at('shortcuts-search').fill('go to settings')
    await console.window.getByRole('button', { name: 'Change the keys of Go to Settings' }).click()
    await at('recorded-keys').press('Control+k')
    await at('keys-mistake')
      .getByText(/Search or run a command/)
      .waitFor()
    expect(await at('save-keys').getAttribute('aria-disabled')).toBe('true')
    await at('recorded-keys').press('Control+Shift+y')
    await at('recorded-keys').press('Enter')
    await at('recorded-keys').waitFor({ state: 'detached' })
    await at('keys-go.settings').getByText('Y', { exact: true }).waitFor()
    const accelerators = () =>
      console.app.evaluate(({ Menu }) => {
        const items = Menu.getApplicationMenu()?.items.flatMap((item) => item.submenu?.items ?? []) ?? []
        return items.find(({ label }) => label === 'Settings…')?.accelerator
      })
    await until('the menu to follow', async () => (await accelerators()) === 'CmdOrCtrl+Shift+Y')
    await console.window.getByRole('button', { name: 'Fleet' }).first().click()
    await console.window.locator('body').press('Control+Shift+y')
    await at('settings-shortcuts').waitFor()
    await console.window.locator('body').press('Control+k')
    await at('palette-input').fill('go to settings')
    await console.window
      .getByRole('option')
      .filter({ hasText: 'Go to Settings' })
      .getByText('Y', { exact: true })
      .waitFor()
    await console.window.keyboard.press('Escape')
    await section('shortcuts')
    await console.window.getByRole('button', { name: 'Reset the keys of Go to Settings' }).click()
    await until('the menu to follow', async () => (await accelerators()) === 'CmdOrCtrl+,')
  })

  test('notifications are chosen one by one, and a test says what the system made of it', async () => {
    await section('notifications')
    await at('notify-lost').click()
    await until('it is kept', async () => {
      const { settings } = await ask<{ settings: { notifications: { lost: boolean } } }>(console.window, 'app.info', {})
      return settings.notifications.lost
    })
    await at('notification-test').click()
    await at('notification-answer')
      .getByText(/The system/)
      .waitFor()
  })

  test('the licence of everything that is bundled can be found and read, fonts too', async () => {
    await section('about')
    await at('licences-search').fill('inter ofl')
    await at('licences')
      .getByRole('button', { name: /fontsource-variable\/inter/ })
      .click()
    await at('licence-text')
      .getByText(/SIL OPEN FONT LICENSE/i)
      .first()
      .waitFor()
    await console.window.keyboard.press('Escape')
    await at('licence-text').waitFor({ state: 'detached' })
  })

  test('data is measured, exported where the person says, and cleared by parts', async () => {
    await section('data')
    const target = path.join(folder, 'export.json')
    await console.app.evaluate(({ dialog }, filePath) => {
      dialog.showSaveDialog = async () => ({ canceled: false, filePath })
    }, target)
    await at('data-export').click()
    await console.window
      .getByText(/ written/)
      .first()
      .waitFor()
    const text = fs.readFileSync(target, 'utf8')
    expect((JSON.parse(text) as { tables: { sandboxes: unknown[] } }).tables.sandboxes).toHaveLength(4)
    expect(text).not.toContain(agent.secret)
    await at('data-deploys').getByRole('button').click()
    await console.window.getByText(/What is under way stays/).waitFor()
    await at('confirm').click()
    await at('data-deploys')
      .getByText(/^0 entries/)
      .waitFor()
  })

  test('everything is cleared only after it was typed; the next start knows nothing, and the machine lost nothing', async () => {
    await console.app.evaluate(({ app }) => {
      app.relaunch = () => {}
    })
    await at('data-clear-all').click()
    await console.window.getByText(/The machines themselves lose nothing/).waitFor()
    expect(await at('confirm').getAttribute('aria-disabled')).toBe('true')
    await at('confirm-name').fill('clear everything')
    const closed = console.app.waitForEvent('close')
    await at('confirm').click()
    await closed
    await console.stop()
    expect(await agent.client.call('machine.status')).toMatchObject({ agentVersion: expect.any(String) })
    console = await startConsole({ userData })
    await at('try-local').waitFor()
    expect(await ask(console.window, 'fleet.list', {})).toEqual([])
  })
})
