import fs from 'node:fs'
import path from 'node:path'
import type { Locator } from 'playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importServiceImage, setJobs } from '../agent/deploys/test-image.ts'
import { startTestMachine, type TestMachine } from '../agent/deploys/test-machine.ts'
import { startTestAgent, type TestAgent } from './rigs/agent.ts'
import { type Dockerd, noDockerd, startDockerd } from './rigs/dockerd.ts'
import { startConsole, type TestConsole } from './rigs/electron.ts'
import { freshFolder } from './rigs/folder.ts'
import { type Keychain, startKeychain } from './rigs/keychain.ts'
import { type SlowLine, startSlowLine } from './rigs/slow-line.ts'
import { until } from './rigs/until.ts'

const salt = { PILOTHOUSE_FLEET_SALT: 'one salt for both machines' }
const envText = `# the shop
API_URL=https://one.example.org   # kept
API_KEY=canary-of-the-first
SHARED_TOKEN=the-same
GREETING="two words"
`

/** The tabs of a machine with real Docker on it, beside a second machine without: each test goes on where the last ended. */
describe.skipIf(noDockerd !== undefined)(`a machine’s tabs ${noDockerd ?? ''}`, () => {
  const { folder, remove } = freshFolder('tabs')
  const otherEnv = path.join(folder, 'other.env')
  const userData = path.join(folder, 'data')
  let dockerd: Dockerd
  let machine: TestMachine
  let other: TestAgent
  let line: SlowLine
  let keychain: Keychain
  let console: TestConsole
  const at = (id: string) => console.window.getByTestId(id)
  const file = () => fs.readFileSync(path.join(machine.folder, '.env'), 'utf8')
  const port = () => machine.services.services.worker.port
  const workerEnv = async () => (await fetch(`http://127.0.0.1:${port()}/cgi-bin/worker/env`)).text()
  const text = (locator: Locator, words: RegExp) => locator.filter({ hasText: words }).first().waitFor()
  const openTab = async (name: string, tab: string) => {
    await console.window.getByRole('button', { name: 'Fleet' }).first().click()
    await console.window.locator('[data-testid=fleet-table] [data-row]', { hasText: name }).dblclick()
    await at(`tab-${tab}`).click()
  }
  const add = (name: string, agentPort: number, secret: string) =>
    console.window.evaluate(
      async (wish) => {
        const answer = await window.pilothouse.invoke('fleet.add', wish)
        if (!answer.ok) throw new Error(answer.problem.detail)
      },
      {
        ...{ name, environment: 'prod', machineType: 'ssh_host', secret },
        tunnel: { kind: 'direct', host: '127.0.0.1', port: agentPort },
      },
    )
  const start = async () => {
    const { XDG_RUNTIME_DIR, XDG_DATA_HOME, DBUS_SESSION_BUS_ADDRESS } = keychain.env
    console = await startConsole({ userData, env: { XDG_RUNTIME_DIR, XDG_DATA_HOME, DBUS_SESSION_BUS_ADDRESS } })
  }

  beforeAll(async () => {
    fs.mkdirSync(userData, { mode: 0o700 })
    fs.writeFileSync(otherEnv, 'API_URL=https://two.example.org\nAPI_KEY=another\nSHARED_TOKEN=the-same\n')
    ;[dockerd, keychain] = await Promise.all([startDockerd(), startKeychain()])
    await importServiceImage(dockerd, 'ghosthands:v1', 'good')
    machine = await startTestMachine(dockerd, {}, { ...salt, PILOTHOUSE_ALLOW_REVEAL: '1' })
    fs.writeFileSync(path.join(machine.folder, '.env'), envText)
    other = await startTestAgent({ ...salt, PILOTHOUSE_ENV_FILE: otherEnv, DOCKER_HOST: 'unix:///nowhere.sock' })
    await machine.rig.client.call('deploys.deploy', { image_tag: 'v1' }, { timeoutMs: 60_000 })
    await start()
    await add('shop-1', machine.rig.port, machine.rig.secret)
    line = await startSlowLine(other.port)
    await add('shop-2', line.port, other.secret)
  }, 240_000)
  afterAll(async () => {
    await console?.stop()
    await line?.stop()
    await other?.stop()
    await machine?.clear()
    await machine?.stop()
    await dockerd?.stop()
    await keychain?.stop()
    remove()
  })

  test('a machine that takes its time: what is being read is said, with a way out, and what was last known is shown meanwhile', async () => {
    const waiting = () =>
      at('waiting')
        .getByText(/^Reading the/)
        .innerText()
    line.hold('/env', '/deploys', '/audit', '/containers')
    await openTab('shop-2', 'deploys')
    expect(await waiting()).toBe('Reading the deploys of shop-2')
    for (const [tab, words] of [
      ['audit', 'Reading the audit of shop-2'],
      ['containers', 'Reading the containers of shop-2'],
      ['env', 'Reading the variables of shop-2'],
    ] as const) {
      await at(`tab-${tab}`).click()
      expect(await waiting()).toBe(words)
    }
    await console.window.getByRole('button', { name: 'Stop waiting' }).click()
    await at('problem').getByText('cancelled').waitFor()
    line.release()
    await console.window.getByRole('button', { name: 'Ask the machine again' }).click()
    await at('env-table').getByText('https://two.example.org').waitFor()
    line.hold('/env')
    await at('tab-audit').click()
    await at('tab-env').click()
    await text(at('freshness'), /last known/)
    await at('env-table').getByText('SHARED_TOKEN').waitFor()
    line.release()
    await at('env-table').getByText('https://two.example.org').waitFor()
    // What is saved says so while it is, and goes on when nobody waits for it any more.
    await at('env-edit-API_URL').click()
    await at('env-value').fill('https://saved.example.org')
    await at('env-keep').click()
    await at('env-review').click()
    line.hold('/env')
    await at('env-save').click()
    await console.window.getByRole('progressbar', { name: 'Saving' }).waitFor()
    await console.window.getByRole('button', { name: 'Leave it to the machine' }).click()
    await at('env-diff').waitFor({ state: 'detached' })
    line.release()
    await until('it in the file', () => fs.readFileSync(otherEnv, 'utf8').includes('API_URL=https://saved.example.org'))
    await at('env-draft').waitFor({ state: 'detached' })
    await at('env-table').getByText('https://saved.example.org').waitFor()
  })

  test('a variable is changed, its diff shown, the services restarted, and everything else in the file kept', async () => {
    await openTab('shop-1', 'env')
    await at('env-table').getByText('API_URL', { exact: true }).waitFor()
    expect(await console.window.content()).not.toContain('canary-of-the-first')
    await at('env-edit-GREETING').click()
    await at('env-value').fill('three more words')
    await at('env-keep').click()
    await at('env-delete-SHARED_TOKEN').click()
    await text(at('env-draft'), /1 changed, 1 removed/)
    await at('env-review').click()
    await text(at('env-diff').locator('[data-key=GREETING]'), /two words → three more words/)
    expect(file()).toBe(envText)
    await at('env-restart').check()
    await at('env-save').click()
    await at('env-diff').waitFor({ state: 'detached', timeout: 60_000 })
    expect(file()).toBe(
      `# the shop\nAPI_URL=https://one.example.org   # kept\nAPI_KEY=canary-of-the-first\nGREETING='three more words'\n`,
    )
    await until('the worker with the new value', async () => (await workerEnv()).includes('GREETING=three more words'))
    expect(await workerEnv()).not.toContain('SHARED_TOKEN')
  }, 90_000)

  test('a pasted file becomes a diff; what someone else changed meanwhile is shown, and nothing typed is lost', async () => {
    await at('env-import').click()
    await at('env-paste').fill('# not taken over\nGREETING=pasted\nSHARED_TOKEN=the-same\nthis is no line\n')
    await text(at('env-import-said'), /2 variables found, 2 would change.*cannot be read: this is no line/)
    await at('env-import-review').click()
    await at('env-diff').locator('[data-key=SHARED_TOKEN][data-kind=added]').waitFor()
    expect(await at('env-diff').innerText()).not.toContain('the-same')
    fs.writeFileSync(path.join(machine.folder, '.env'), file().replace('three more words', 'theirs'))
    await at('env-save').click()
    await text(at('env-overtaken'), /Someone else changed this/)
    await text(at('env-diff').locator('[data-key=GREETING]'), /theirs → pasted/)
    expect(file()).toContain('theirs')
    await at('env-save').click()
    await at('env-diff').waitFor({ state: 'detached' })
    expect(file()).toContain('GREETING=pasted\n')
    expect(file()).toContain('SHARED_TOKEN=the-same\n')
  }, 60_000)

  test('a value is revealed where the machine allows it, with a reason in its audit', async () => {
    await at('env-reveal-API_KEY').click()
    await at('env-reason').fill('incident 12')
    await at('env-reveal-submit').click()
    await console.window.getByText('canary-of-the-first').waitFor()
    const { entries } = await machine.rig.client.call('audit.list', { action: 'reveal_env' })
    expect(entries[0]?.details).toMatchObject({ reason: 'incident 12', variable: 'API_KEY' })
  })

  test('two machines are compared by fingerprints, key by key', async () => {
    await at('env-compare').click()
    await console.window.getByRole('combobox', { name: 'Add a machine to the comparison' }).click()
    await console.window.getByRole('option', { name: 'shop-2' }).click()
    const cell = (key: string) => at('compare-env').locator(`tr[data-key=${key}] td`).nth(1)
    await text(cell('API_URL'), /differs/)
    await text(cell('API_KEY'), /differs/)
    await text(cell('GREETING'), /missing/)
    await text(at('compare-count'), /3 of 4 keys differ/)
    await at('compare-only').uncheck()
    await text(cell('SHARED_TOKEN'), /same/)
    await console.window.getByText(/cannot be copied from here/).waitFor()
    await console.window.keyboard.press('Escape')
    await at('compare-env').waitFor({ state: 'detached' })
  })

  test('a worker is drained after a question that names it, and the screen follows the machine', async () => {
    await at('tab-workers').click()
    const row = at('workers-table').locator('[data-row$="ghosthands-worker"]')
    await text(row, /Idle/)
    await setJobs(port(), 1)
    await text(row, /Busy/)
    await at('worker-drain-ghosthands-worker').click()
    await console.window.getByText('Drain ghosthands-worker on shop-1?').waitFor()
    await at('confirm').click()
    await text(row, /Draining/)
    expect((await machine.rig.client.call('workers.list'))[0]?.status).toBe('draining')
    await at('worker-start').click()
    await at('worker-id').fill('blue')
    await at('worker-start-submit').click()
    // Its row may be there before its form is gone, and keys are the form's until then.
    await at('worker-id').waitFor({ state: 'detached' })
    await text(at('workers-table').locator('[data-row$="ghosthands-worker-blue"]'), /Idle/)
    await console.window.keyboard.press('g')
    await console.window.keyboard.press('w')
    await at('workers-screen').waitFor()
    await at('workers-stop-idle').click()
    await console.window.getByText(/None of them has a job.*blue on shop-1/).waitFor()
    await at('confirm').click()
    await text(at('workers-table').locator('[data-row$="ghosthands-worker-blue"]'), /Stopped/)
  }, 60_000)

  test('a container is restarted after a question that names it', async () => {
    // A link of the chain leads to where one looks after it.
    await openTab('shop-1', 'env')
    await at('chain')
      .getByRole('button', { name: /^Docker/ })
      .click()
    await at('containers-tab').waitFor()
    const startedAt = () => dockerd.docker('inspect', '-f', '{{.State.StartedAt}}', 'ghosthands-api')
    const before = await startedAt()
    await openTab('shop-1', 'containers')
    await text(at('containers-table').locator('[data-row]', { hasText: 'ghosthands-api' }), /Running.*MB/s)
    // Whatever is chosen is drawn over time, from what the machine itself has kept.
    await at('containers-table').locator('[data-row]', { hasText: 'ghosthands-worker' }).first().click()
    await at('container-load').getByText('Load of ghosthands-worker').waitFor()
    await at('containers-table').locator('[data-row]', { hasText: 'ghosthands-api' }).click()
    await at('container-load').getByText('Load of ghosthands-api').waitFor()
    const memory = at('container-load').locator('[data-chart=Memory]')
    const kept = async () => (await memory.getByText('Nothing was heard in this time').count()) === 0
    await until('its memory over time', kept, 40_000)
    // One cursor moves in both; the other one may be below what was said last.
    await at('container-load').locator('[data-chart=CPU] .u-over').hover()
    await memory.locator('[data-hovered]', { hasText: 'MB' }).waitFor()
    await at('container-restart-ghosthands-api').click()
    await console.window.getByText('Restart ghosthands-api on shop-1?').waitFor()
    await at('confirm').click()
    await until('the container to have restarted', async () => (await startedAt()) !== before, 30_000)
    await text(at('containers-table').locator('[data-row]', { hasText: 'ghosthands-api' }), /Running/)
    await at('container-logs-ghosthands-api').click()
    await console.window
      .getByText(/starting good-api on/)
      .first()
      .waitFor()
  }, 60_000)

  test('a command runs on the machine, and its output and end are shown', async () => {
    await at('run-task').click()
    await at('task-command-line').fill('sh -c "echo to-out; echo to-err >&2; exit 3"')
    await at('task-run').click()
    await text(at('task-output'), /to-out/)
    await console.window.getByText('It ended with exit code 3.').waitFor()
    await at('task-output').locator('[data-from=stderr]', { hasText: 'to-err' }).waitFor()
    await console.window.keyboard.press('Escape')
    await at('task-output').waitFor({ state: 'detached' })
  })

  test('the load is drawn, and one cursor tells all four values of a moment', async () => {
    await at('tab-overview').click()
    await text(at('metrics'), /CPU\s*\d+ %/)
    await text(at('overview'), /Imagev1/)
    const over = console.window.locator('[data-chart=CPU] .u-over')
    const box = await until('the chart', async () => (await over.boundingBox()) ?? undefined)
    await until('all charts to tell the same moment', async () => {
      // From elsewhere, so that it is a movement each time: values come in while one points.
      await console.window.mouse.move(box.x + box.width / 2, box.y + 20)
      await console.window.mouse.move(box.x + box.width - 1, box.y + 30)
      const told = await at('metrics-at').innerText()
      return /^at \d\d:\d\d:\d\d$/.test(told) && (await at('metrics').locator('strong[data-hovered]').count()) === 5
    })
    await at('range-7d').click()
    await at('range-7d').and(console.window.locator('[aria-checked=true]')).waitFor()
    expect(await at('metrics').locator('canvas').count()).toBe(4)
  })

  test('the audit is filtered, and its chain is sound', async () => {
    await at('tab-audit').click()
    await console.window.getByRole('combobox', { name: 'Action' }).click()
    await console.window.getByRole('option', { name: 'set_env', exact: true }).click()
    const rows = at('audit-table').locator('[data-row]')
    await until('only what was set', async () => {
      const shown = await rows.allInnerTexts()
      return shown.length >= 3 && shown.every((row) => row.includes('set_env'))
    })
    expect(await at('audit-table').innerText()).not.toContain('canary')
    await at('audit-check').click()
    await text(at('audit-verdict'), /Sound: \d+ links/)
  })

  test('the timeline leads to the deploy, the worker and the command of an entry', async () => {
    const row = (words: RegExp) => at('timeline-list').locator('[data-row]').filter({ hasText: words }).first()
    const open = async (words: RegExp, source: string) => {
      await at('tab-timeline').click()
      await at('timeline-fit').click()
      // Of a long list only what is in sight is there.
      await at('timeline-search').fill(words.source.split(/[^\w -]/)[0] ?? '')
      await row(words).click()
      await at(`timeline-open-${source}`).click()
    }
    await open(/Deploy.*v1/, 'deploys')
    await text(console.window.locator('[data-testid=machine-deploys] [data-aimed]'), /v1/)
    await open(/Drain ghosthands-worker/, 'workers')
    await text(at('workers-table'), /ghosthands-worker/)
    await open(/Ran sh/, 'audit')
    await text(console.window.getByRole('dialog'), /to-out/)
    await console.window.keyboard.press('Escape')
  })

  test('the secret is rotated in main: the agent answers to a new one, and no window has seen it', async () => {
    await at('tab-connection').click()
    await text(at('secret-state'), /Kept for this machine/)
    await listenToMain(console)
    await at('rotate-secret').click()
    await at('confirm').click()
    await console.window.getByText('shop-1 has a new secret').first().waitFor()
    const kept = fs.readFileSync(path.join(machine.rig.dataDir, 'rotated-secret'), 'utf8')
    const { secret } = JSON.parse(kept) as { secret: string }
    expect(secret).not.toBe(machine.rig.secret)
    await machine.rig.clientAs({ secret }).call('env.get')
    await at('health-check').click()
    await console.window.getByText('shop-1 is running').first().waitFor()
    const told = await console.app.evaluate(() => (globalThis as unknown as { told: string[] }).told)
    expect(told.some((message) => message.includes('oldValidUntil'))).toBe(true)
    expect(told.some((message) => message.includes(secret))).toBe(false)
  }, 60_000)

  test('the next start, without the machine, shows what was last known of it, and offers nothing that needs it', async () => {
    await console.stop()
    await machine.rig.agent.stop('gone')
    await start()
    await openTab('shop-1', 'workers')
    await text(at('workers-table'), /ghosthands-worker/)
    await text(at('freshness'), /last known/)
    expect(await at('worker-start').getAttribute('aria-disabled')).toBe('true')
    await at('tab-env').click()
    await text(at('env-table'), /API_KEY/)
    await text(at('env-table'), /not kept here/)
    await text(at('freshness'), /last known/)
    expect(await at('env-add').getAttribute('aria-disabled')).toBe('true')
    await at('tab-containers').click()
    await text(at('containers-table'), /ghosthands-api/)
    await at('tab-audit').click()
    await text(at('audit-table'), /rotate_secret|set_env/)
    await at('tab-deploys').click()
    await text(at('deploys-last-known'), /cannot be asked.*last known/)
    await text(at('machine-deploys').locator('[data-testid^=agent-deploy-]').first(), /v1/)
    await at('tab-overview').click()
    await text(at('overview'), /Imagev1/)
    await at('state-strip').waitFor()
    for (const name of fs.readdirSync(userData).filter((one) => one.includes('.db'))) {
      const bytes = fs.readFileSync(path.join(userData, name))
      for (const value of ['canary-of-the-first', 'one.example.org', 'the-same']) {
        expect(bytes.includes(value), `${value} in ${name}`).toBe(false)
      }
    }
  }, 90_000)
})

/** Every answer and every event that goes to a window from now on, in main's `told`. */
async function listenToMain({ app }: TestConsole): Promise<void> {
  await app.evaluate(({ ipcMain, webContents }) => {
    const told: string[] = []
    Object.assign(globalThis, { told })
    type Handlers = Map<string, (...args: unknown[]) => Promise<unknown>>
    const handlers = (ipcMain as unknown as { _invokeHandlers: Handlers })._invokeHandlers
    for (const [channel, handler] of handlers) {
      handlers.set(channel, async (...args) => {
        const answer = await handler(...args)
        told.push(JSON.stringify(answer))
        return answer
      })
    }
    for (const contents of webContents.getAllWebContents()) {
      const send = contents.send.bind(contents)
      contents.send = (channel, ...args) => {
        told.push(JSON.stringify(args))
        send(channel, ...args)
      }
    }
  })
}
