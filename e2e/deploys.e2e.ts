import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Dockerd, noDockerd, startDockerd } from './rigs/dockerd.ts'
import { startConsole, type TestConsole } from './rigs/electron.ts'
import { freshFolder } from './rigs/folder.ts'
import { type Keychain, startKeychain } from './rigs/keychain.ts'
import { type NotificationServer, serveNotifications } from './rigs/notification-server.ts'
import {
  type DeployPause,
  importServiceImage,
  setJobs,
  startTestMachine,
  type TestMachine,
} from './rigs/service-machine.ts'
import { type SlowLine, startSlowLine } from './rigs/slow-line.ts'
import { until } from './rigs/until.ts'

interface Box {
  name: string
  dockerd: Dockerd
  machine: TestMachine
  /** What runs there, as Docker says. */
  images(): Promise<string[]>
}

/** A deploy over real machines with real Docker. Each test goes on where the one before ended. */
describe.skipIf(noDockerd !== undefined)(`rolling deploys ${noDockerd ?? ''}`, () => {
  let console: TestConsole
  let keychain: Keychain
  let desktop: NotificationServer
  const data = freshFolder('deploys-data')
  const boxes: Box[] = []
  /** The way to the third machine. */
  let line: SlowLine
  /** Holds the deploy of the second machine until the test lets it go. */
  let hold: Promise<void> | undefined
  let isHeld = false
  const pauseDeploy: DeployPause = async ({ when, step }) => {
    if (when !== 'stored' || step !== 'start' || hold === undefined) return
    isHeld = true
    await hold
  }

  const at = (id: string) => console.window.getByTestId(id)
  const card = () => console.window.locator('[data-testid^="rollout-"]').first()
  const state = (name: string) => card().getByTestId(`leg-${name}`).getAttribute('data-state')
  const status = (wanted: string) =>
    until(`the deploy to be ${wanted}`, async () => (await card().getAttribute('data-status')) === wanted, 60_000)
  const start = () => startConsole({ userData: data.folder, env: keychain.env })
  const deploy = async (tag: string, atOnce: string) => {
    await at('new-deploy').click()
    await at('deploy-tag').fill(tag)
    await at('choose-staging').click()
    await at('at-once').fill(atOnce)
    await console.window.locator('[data-testid="plan"][data-ready]').waitFor()
    await at('deploy-submit').click()
  }

  async function startBox(name: string, behaviourOfV2: 'good' | 'sick-api'): Promise<Box> {
    const dockerd = await startDockerd()
    await importServiceImage(dockerd, 'ghosthands:v1', 'good')
    await importServiceImage(dockerd, 'ghosthands:v2', behaviourOfV2)
    await importServiceImage(dockerd, 'ghosthands:v3', 'good')
    const machine = await startTestMachine(dockerd, name === 'box-2' ? { pauseDeploy } : {})
    const images = async () => {
      const containers = await machine.rig.client.call('containers.list')
      return [...new Set(containers.filter((one) => one.state === 'running').map(({ image }) => image))]
    }
    return { name, dockerd, machine, images }
  }

  beforeAll(async () => {
    const names = ['box-1', 'box-2', 'box-3']
    const starting = names.map((name) => startBox(name, name === 'box-2' ? 'sick-api' : 'good'))
    keychain = await startKeychain()
    desktop = await serveNotifications(keychain.env['DBUS_SESSION_BUS_ADDRESS'] ?? '')
    boxes.push(...(await Promise.all(starting)))
    console = await start()
    line = await startSlowLine(boxes[2]?.machine.rig.port ?? 0)
    for (const { name, machine } of boxes) {
      const port = name === 'box-3' ? line.port : machine.rig.port
      const wish = {
        ...{ name, environment: 'staging', machineType: 'ssh_host', secret: machine.rig.secret },
        tunnel: { kind: 'direct', host: '127.0.0.1', port },
      }
      const answer = await console.window.evaluate((params) => window.pilothouse.invoke('fleet.add', params), wish)
      expect(answer.ok).toBe(true)
    }
    await console.window.locator('body').press('g')
    await console.window.locator('body').press('e')
  }, 180_000)
  afterAll(async () => {
    await console?.stop()
    await line?.stop()
    await Promise.all(
      boxes.map(async ({ machine, dockerd }) => {
        await machine.stop()
        await dockerd.stop()
      }),
    )
    desktop?.stop()
    await keychain?.stop()
    data.remove()
  })

  test('the plan says what it would meet, and all three get the first image at once', async () => {
    await deploy('v1', '3')
    await status('completed')
    for (const box of boxes) expect(await box.images()).toEqual(['ghosthands:v1'])
    // What a worker is busy with stands in the plan of the next one.
    const [first] = boxes
    await setJobs(first?.machine.services.services.worker.port ?? 0, 1)
    await at('new-deploy').click()
    await at('choose-box-1').check()
    await at('planned-box-1').getByText('1 job', { exact: false }).waitFor()
    await at('planned-box-1').getByText('v1 →').waitFor()
    await console.window.keyboard.press('Escape')
    await setJobs(first?.machine.services.services.worker.port ?? 0, 0)
  })

  test('a plan says how far it has come, and can be stopped: what was found until then is shown', async () => {
    line.hold('/workers')
    await at('new-deploy').click()
    await at('choose-staging').click()
    let atOnce = 1
    await until(
      'a look that was stopped',
      async () => {
        // A computer that is too busy comes when the machine has been given up already: the plan is made anew then.
        if ((await at('plan').getAttribute('data-ready')) !== null) await at('at-once').fill(String(++atOnce))
        await at('plan').getByText('Looking at 3 machines… 2 of 3').waitFor({ timeout: 5000 })
        await at('plan-stop').click({ timeout: 5000 })
        await at('plan-partly').getByText('2 of 3 were looked at').waitFor({ timeout: 5000 })
        return true
      },
      50_000,
    )
    await at('planned-box-1').getByText('v1 →').waitFor()
    await at('planned-box-3').getByText('not looked at').waitFor()
    line.release()
    await at('plan-partly').getByRole('button', { name: 'Look again' }).click()
    await at('planned-box-3').getByText('v1 →').waitFor()
    await console.window.keyboard.press('Escape')
  })

  test('one that never becomes healthy stops it: the first has the new image, the others what they had', async () => {
    const chosen = { notifications: { takeovers: false, deploys: true, lost: false, sound: false } }
    await console.window.evaluate((params) => window.pilothouse.invoke('settings.set', params), chosen)
    await deploy('v2', '1')
    // The person turns to another program: what they look at, nobody has to tell them.
    await console.app.evaluate(({ BrowserWindow }) => {
      for (const one of BrowserWindow.getAllWindows()) one.blur()
    })
    await status('failed')
    expect([await state('box-1'), await state('box-2'), await state('box-3')]).toEqual([
      'completed',
      'failed',
      'skipped',
    ])
    await card().getByText('cannot reach the database').waitFor()
    await card().getByText('What ran before runs again', { exact: false }).waitFor()
    expect(await Promise.all(boxes.map((box) => box.images()))).toEqual([
      ...[['ghosthands:v2'], ['ghosthands:v1'], ['ghosthands:v1']],
    ])
  })

  test('the desktop says that it failed, and a press on it leads to the machine', async () => {
    const told = await until('the notification', () => desktop.shown[0])
    expect(told).toMatchObject({ title: 'A deploy failed: box-2', body: expect.stringContaining('v2') })
    expect(desktop.shown).toHaveLength(1)
    desktop.press(told)
    await at('machine-deploys').waitFor()
    await console.window.getByRole('heading', { name: 'box-2' }).waitFor()
    await console.window.locator('body').press('g')
    await console.window.locator('body').press('e')
    await card().waitFor()
  })

  test('rolled back, the first has the very image again that it had before', async () => {
    const [first] = boxes
    const digestOf = async () => (await first?.machine.rig.client.call('deploys.list'))?.deploys[0]?.digest
    const before = (await first?.machine.rig.client.call('deploys.list'))?.deploys[0]?.previousDigest
    await card().getByTestId('roll-back').click()
    await console.window.getByText('box-1 to v1', { exact: false }).waitFor()
    await at('confirm').click()
    await card().getByText('Roll back to').waitFor()
    await status('completed')
    expect(await first?.images()).toEqual(['ghosthands:v1'])
    expect(await digestOf()).toBe(before)
  })

  test('killed in the middle: it shows where it was, goes on when told, and nothing runs twice', async () => {
    let release = () => {}
    hold = new Promise((resolve) => {
      release = resolve
    })
    await deploy('v3', '1')
    await until('the second machine to be in the middle of it', () => isHeld)
    await console.window.getByRole('button', { name: 'Fleet' }).first().click()
    await at('deploy-banner').getByText('3 machines in staging').waitFor()
    // Closing the last window would end it: that is asked first, and Stay is what Escape says.
    const asked = await console.app.evaluate(({ BrowserWindow, dialog }) => {
      const questions: string[] = []
      dialog.showMessageBoxSync = ((_window: unknown, { message }: { message: string }) => {
        questions.push(message)
        return 0
      }) as typeof dialog.showMessageBoxSync
      BrowserWindow.getAllWindows()[0]?.close()
      return questions
    })
    expect(asked).toEqual(['The deploy of v3 is at 1 of 3 machines.'])
    await at('deploy-banner').waitFor()
    process.kill(console.pid, 'SIGKILL')
    await console.stop()

    console = await start()
    // It may open where it was a moment before: what a window shows is kept a little later.
    await console.window.getByRole('button', { name: 'Fleet' }).first().click()
    await at('deploy-banner').getByRole('button', { name: 'Decide…' }).click()
    await status('interrupted')
    expect([await state('box-1'), await state('box-2'), await state('box-3')]).toEqual([
      ...['completed', 'deploying', 'waiting'],
    ])
    release()
    await until('the second to be found out', async () => (await state('box-2')) === 'completed', 30_000)
    // Nobody has said yet that it goes on.
    expect(await state('box-3')).toBe('waiting')
    await at('go-on').click()
    await status('completed')
    for (const { machine } of boxes) {
      const { deploys } = await machine.rig.client.call('deploys.list')
      expect(deploys.filter(({ imageTag }) => imageTag === 'v3')).toHaveLength(1)
    }
  })

  test('the machine’s own page has its record, and the way back', async () => {
    await card().getByRole('button', { name: 'box-2' }).click()
    await at('machine-deploys').getByText('Runs v3').waitFor()
    await at('machine-deploys').getByText('cannot reach the database', { exact: false }).waitFor()
    await at('machine-roll-back').click()
    await at('confirm').click()
    await at('machine-deploys').getByText('Runs v1').waitFor({ timeout: 60_000 })
    expect(await boxes[1]?.images()).toEqual(['ghosthands:v1'])
  })

  test('the history is found by words and results, and the audit has who did what', async () => {
    await console.window.getByRole('button', { name: 'Deploys', exact: false }).first().click()
    await console.window.getByRole('combobox', { name: 'Result' }).click()
    await console.window.getByRole('option', { name: 'Failed' }).click()
    await until(
      'one row',
      async () => (await console.window.locator('[data-testid^="history-"][aria-expanded]').count()) === 1,
    )
    const answer = await console.window.evaluate(() => window.pilothouse.invoke('audit.console', { limit: 100 }))
    const { entries } = (answer as unknown as { value: { entries: { action: string; result: string }[] } }).value
    const actions = entries.filter(({ result }) => result === 'success').map(({ action }) => action)
    for (const action of ['deploy', 'rollback', 'deploy_resume']) expect(actions).toContain(action)
  })
})
