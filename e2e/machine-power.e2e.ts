import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestAgent, type TestAgent } from './rigs/agent.ts'
import { type Ec2Rig, startEc2 } from './rigs/ec2.ts'
import { startConsole, type TestConsole } from './rigs/electron.ts'
import { until } from './rigs/until.ts'

const keys = { accessKeyId: 'AKIACANARY00000001', secretAccessKey: 'canary-aws-secret-51d2' }

/** A machine of EC2, from finding it to waking it: each test goes on where the one before ended. */
describe('a machine that EC2 switches on and off', () => {
  let console: TestConsole
  let agent: TestAgent
  let ec2: Ec2Rig
  let instanceId: string
  const at = (id: string) => console.window.getByTestId(id)
  const panel = (words: RegExp) => console.window.getByTestId('state-panel').filter({ hasText: words })

  beforeAll(async () => {
    // Nothing changes by itself: what a person sees on the way is looked at as long as it takes.
    ec2 = await startEc2()
    agent = await startTestAgent()
    instanceId = ec2.add({ tags: { Name: 'shop-1', fleet: 'browsers' }, type: 't3.large' }).id
    console = await startConsole()
  }, 180_000)
  afterAll(async () => {
    await console?.stop()
    await agent?.stop()
    await ec2?.stop()
  })

  test('keys are entered once, and only their name is shown afterwards', async () => {
    await console.window.getByRole('button', { name: 'Settings' }).click()
    await at('settings-credentials').click()
    for (const [key, value] of Object.entries({ name: 'ops', ...keys })) await at(`aws-${key}`).fill(value)
    await at('aws-submit').click()
    await console.window
      .getByText(/The keys are/)
      .first()
      .waitFor()
    expect(await console.window.content()).not.toContain(keys.secretAccessKey)
  })

  test('it is found by its tag, and added', async () => {
    await console.window.keyboard.press('Escape')
    await console.window.getByRole('button', { name: 'Fleet' }).first().click()
    await console.window.locator('body').press('Shift+F')
    await at('provider-region').fill('eu-central-1')
    await console.window.getByRole('combobox', { name: 'AWS credentials' }).click()
    await console.window.getByRole('option', { name: 'Keys in the keychain' }).click()
    await at('provider-account').fill('ops')
    await at('provider-endpoint').fill(ec2.endpoint)
    await at('discover-value').fill('browsers')
    await at('discover-submit').click()
    await at('discovered').getByText('shop-1').waitFor()
    await at('discovered').getByRole('button', { name: 'Add…' }).click()
    expect(await at('provider-instanceId').inputValue()).toBe(instanceId)
    await console.window.getByRole('combobox', { name: /Reach/ }).click()
    await console.window.getByRole('option', { name: 'Directly' }).click()
    await at('machine-host').fill('127.0.0.1')
    await at('machine-port').fill(String(agent.port))
    await at('machine-secret').fill(agent.secret)
    await at('machine-submit').click()
    await at('power').waitFor()
    await panel(/browser is off|missing/).waitFor()
  })

  test('it is stopped from the menu, shown as paused, and woken by the button of the panel', async () => {
    await at('power').click()
    await at('menu-power.stop').click()
    await console.window.getByRole('button', { name: 'Stop machine' }).click()
    await panel(/Paused/).waitFor()
    await until('the instance to be stopping', () => ec2.instances.get(instanceId)?.state === 'stopping')
    ec2.arrive(instanceId)
    await at('tab-overview').click()
    await at('state-strip')
      .filter({ hasText: /Paused/ })
      .waitFor()
    await at('tab-live').click()
    await at('panel-wake').click()
    await at('wake-progress')
      .filter({ hasText: /Starting the instance/ })
      .waitFor()
    await until('the instance to be starting', () => ec2.instances.get(instanceId)?.state === 'pending')
    ec2.arrive(instanceId)
    await panel(/browser is off|missing/).waitFor()
    await at('wake-progress').waitFor({ state: 'detached' })
    expect(ec2.asked.map(({ action }) => action)).toEqual(expect.arrayContaining(['StopInstances', 'StartInstances']))
  })

  test('the menu of its row in the fleet stops it after a question, and wakes it', async () => {
    await console.window.evaluate(() => {
      location.hash = '#/fleet'
    })
    const row = at('fleet-table').locator('[data-row]').first()
    const choose = async (entry: string) => {
      await row.click({ button: 'right' })
      await at(`menu-machine.${entry}`).click()
    }
    await choose('stop')
    await console.window.getByRole('button', { name: 'Stop machine' }).click()
    await row.getByText('Paused').waitFor()
    await until('the instance to be stopping', () => ec2.instances.get(instanceId)?.state === 'stopping')
    ec2.arrive(instanceId)
    await choose('wake')
    await until('the instance to be starting', () => ec2.instances.get(instanceId)?.state === 'pending')
    ec2.arrive(instanceId)
    await row.getByText('Running').waitFor()
    await row.click()
    await at('tab-live').waitFor()
  })

  test('what it costs, and auto-stop, are on its page', async () => {
    await console.window.getByRole('tab', { name: 'Overview' }).click()
    await console.window.getByText(/\$0.0832 per hour/).waitFor()
    await console.window.getByRole('button', { name: 'Settings' }).click()
    await at('settings-prices').click()
    const price = at('price-t3.large')
    await price.fill('0.09 dollars')
    await console.window.getByText('A price is a number from 0 to 1000.').waitFor()
    expect(await at('prices-save').getAttribute('aria-disabled')).toBe('true')
    await price.fill('0.0901')
    await at('prices-save').click()
    await console.window.getByText(`as of ${new Date().toISOString().slice(0, 10)}`).waitFor()
    await console.window.goBack()
    await console.window.goBack()
    await console.window.getByText(/\$0.0901 per hour/).waitFor()
    await at('power').click()
    await at('menu-power.auto-stop').click()
    await console.window.getByRole('combobox', { name: 'Stop it when it is idle' }).click()
    await console.window.getByRole('option', { name: 'On', exact: true }).click()
    await at('idle-minutes').fill('45')
    await at('auto-stop-submit').click()
    await console.window.getByText('after 45 idle minutes').waitFor()
  })

  test('the audit has it all, its chain is sound, and nothing secret stands in it', async () => {
    await console.window.getByRole('button', { name: 'Audit' }).click()
    for (const action of ['set_aws_keys', 'add_machine', 'stop', 'wake', 'auto_stop']) {
      await at('audit').getByRole('gridcell', { name: action, exact: true }).first().waitFor()
    }
    await at('audit-verify').click()
    await console.window.getByText(/chains? (is|are) sound/).waitFor()
    const text = await console.window.content()
    expect(text).not.toContain(keys.secretAccessKey)
    expect(text).not.toContain(agent.secret)
  })

  test('the diagnostics count it', async () => {
    await console.window.getByRole('button', { name: 'Diagnostics' }).click()
    await until('the running machine', async () => (await at('diagnostics-text').innerText()).includes('running 1'))
    expect(await at('diagnostics-text').innerText()).toMatch(/Transitions in the last hour: [3-9]/)
  })

  test('a wake that nobody waits for any more is left alone, and what was switched on stays on', async () => {
    await console.window.getByRole('button', { name: 'Fleet' }).first().click()
    await console.window.getByRole('row', { name: /shop-1/ }).dblclick()
    await at('power').click()
    await at('menu-power.stop').click()
    await console.window.getByRole('button', { name: 'Stop machine' }).click()
    await panel(/Paused/).waitFor()
    ec2.arrive(instanceId)
    await at('panel-wake').click()
    await until('the instance to be starting', () => ec2.instances.get(instanceId)?.state === 'pending')
    await at('wake-progress').getByRole('button', { name: 'Stop waiting' }).click()
    await at('wake-progress').waitFor({ state: 'detached' })
    expect(ec2.instances.get(instanceId)?.state).toBe('pending')
    ec2.arrive(instanceId)
    await at('health-check').click()
    await panel(/browser is off|missing/).waitFor()
  })

  test('a machine that EC2 no longer knows is gone, and says so', async () => {
    await console.window.getByRole('button', { name: 'Fleet' }).first().click()
    await console.window.getByRole('row', { name: /shop-1/ }).dblclick()
    ec2.instances.delete(instanceId)
    await agent.agent.stop('the instance is gone')
    await panel(/EC2 no longer knows/).waitFor()
    await at('panel-wake').click()
    await console.window
      .getByText(/register its successor/)
      .first()
      .waitFor()
  })
})
