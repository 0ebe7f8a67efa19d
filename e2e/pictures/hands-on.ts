import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { type EngineRig, startEngineRig } from '../../agent/engines/engine-rig.ts'
import { type AddedMachine, addMachine, invoke } from '../rigs/added-machine.ts'
import { startTestAgent, type TestAgent } from '../rigs/agent.ts'
import { type Dockerd, noDockerd, startDockerd } from '../rigs/dockerd.ts'
import type { TestConsole } from '../rigs/electron.ts'
import { freshFolder } from '../rigs/folder.ts'
import { action, find, steps } from '../rigs/llm.ts'
import { answerAsShop } from '../rigs/shop.ts'
import { until } from '../rigs/until.ts'
import { openViewer } from '../rigs/vnc-viewer.ts'
import type { Camera } from './camera.ts'

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

interface Rig {
  console: TestConsole
  shop: TestAgent
  machine: AddedMachine
  jobs: EngineRig
  second: AddedMachine
  site: string
  /** What a container wrote; null where there is no Docker. */
  dockerd: Dockerd | null
  folder: string
  at: (id: string) => ReturnType<TestConsole['window']['getByTestId']>
}

async function startRig(console: TestConsole, ends: (() => Promise<unknown> | unknown)[]): Promise<Rig> {
  const { folder, remove } = freshFolder('hands')
  ends.push(remove)
  let site = ''
  const server = http.createServer((request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    answerAsShop(request, response, site)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.push(() => server.close())
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const dockerd = noDockerd === undefined ? await startDockerd() : null
  if (dockerd !== null) {
    ends.push(() => dockerd.stop())
    await dockerd.importBusybox('test')
  }
  const env = path.join(folder, '.env')
  fs.writeFileSync(env, 'API_URL=https://shop.example.org\n')
  const shop = await startTestAgent({
    ...{ PILOTHOUSE_SHELL: '/bin/sh', PILOTHOUSE_ENV_FILE: env },
    DOCKER_HOST: `unix://${dockerd?.socketPath ?? '/nowhere.sock'}`,
  })
  ends.push(() => shop.stop())
  await shop.client.call('browser.start', { url: `${site}/shop` }, { timeoutMs: 60_000 })
  const jobs = await startEngineRig((asked) =>
    asked.kind === 'magnitude'
      ? steps()
      : asked.text.includes('nobody finds')
        ? { status: 500 }
        : action(find(asked, /button/), 'click'),
  )
  ends.push(() => jobs.stop())
  const machine = await addMachine(console, shop, 'shop-de-01')
  ends.push(() => machine.stop())
  const second = await addMachine(console, jobs.agent, 'jobs-us-01')
  ends.push(() => second.stop())
  await invoke(console, 'settings.set', { operator: 'Ada' })
  return { console, shop, machine, jobs, second, site, dockerd, folder, at: (id) => console.window.getByTestId(id) }
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

async function inspector({ console, shop, machine, site, at }: Rig, camera: Camera): Promise<void> {
  const { window } = console
  const here = `#/machine/${machine.id}/inspector`
  const panel = async (name: string) => {
    await at(`tab-${name}`).click()
    await at(`${name}-panel`).waitFor()
  }
  machine.hold('/devtools/')
  await camera.take('hands-inspector-connecting', here)
  machine.mend()
  await window.locator('[data-testid=inspector][data-phase=open]').waitFor()
  await shop.client.call('browser.navigate', { url: `${site}/shop` })
  await camera.take('hands-inspector-console', here, async () => {
    const object = at('console-row').filter({ hasText: 'plain words' }).getByTestId('object').first()
    await object.click()
  })
  await camera.take('hands-inspector-network', here, () => panel('network'))
  await camera.take('hands-inspector-request', here, async () => {
    await at('network-table').getByRole('row').filter({ hasText: 'order.json' }).last().click()
    await at('request-detail').waitFor()
  })
  await camera.take('hands-inspector-timing', here, () => at('request-detail').getByTestId('tab-timing').click())
  await camera.take('hands-inspector-elements', here, async () => {
    await panel('elements')
    await at('dom-tree').getByRole('treeitem').filter({ hasText: 'id="mark"' }).first().click()
  })
  await camera.take('hands-inspector-accessibility', here, () => at('view-ax').click())
  await at('view-ax').click()
  await camera.take('hands-inspector-evaluate-observer', here, () => panel('evaluate'))
  await camera.take('hands-inspector-storage-observer', here, () => panel('storage'))
  await at('inspector-take-over').filter({ visible: true }).first().click()
  await camera.take('hands-inspector-evaluate', here, async () => {
    await panel('evaluate')
    const input = at('evaluate-input')
    await until('control', async () => (await input.getAttribute('readonly')) === null)
    for (const code of [
      '({ title: document.title, list: [1, 2, 3] })',
      'nowhere()',
      "[...document.querySelectorAll('*')].length",
    ]) {
      await input.fill(code)
      await input.press('Enter')
    }
    await at('evaluation').nth(2).waitFor()
    await at('evaluation').first().getByTestId('object').first().click()
  })
  await camera.take('hands-inspector-storage', here, async () => {
    await panel('storage')
    await window.getByLabel('Only those of this page').uncheck()
  })
  await camera.take('hands-inspector-cookie', here, () => at('cookie-edit-session').first().click())
  await window.keyboard.press('Escape')
  await camera.take('hands-inspector-capture', here, async () => {
    await panel('capture')
    await at('capture').click()
    await at('capture-picture').waitFor()
  })
  await camera.take('hands-inspector-contexts', here, () => panel('contexts'))
  await camera.take('hands-inspector-recordings', here, async () => {
    await panel('recordings')
    await at('recording-toggle').click()
    await until('a second of film', async () => {
      const [film] = (await shop.client.call('desktop.listRecordings')).recordings
      return (film?.durationMs ?? 0) > 1500
    })
    await at('recording-toggle').click()
    await at('recording-play').click()
    await at('recording-video').waitFor()
  })
  await camera.take('hands-inspector-diagnostics', here, () => panel('diagnostics'))
  await invoke(console, 'takeover.giveBack', { machineId: machine.id, outcome: 'resolved', note: 'paid by hand' })
  machine.cut('/devtools/')
  await camera.take('hands-inspector-lost', here, async () => {
    await panel('console')
    await window.locator('[data-testid=inspector][data-phase=lost]').waitFor()
  })
  machine.mend()
}

async function terminal({ console, machine, at }: Rig, camera: Camera): Promise<void> {
  const { window } = console
  const here = `#/machine/${machine.id}/terminal`
  const open = (place = 0) => window.locator('[data-testid=terminal][data-phase=open]').nth(place).waitFor()
  const type = async (text: string) => {
    await window.keyboard.type(text)
    await window.keyboard.press('Enter')
  }
  machine.hold('/ws/terminal')
  await camera.take('hands-terminal-connecting', here)
  machine.mend()
  await open()
  await type('PS1="$ "; clear; ls --color=always -la / | head -20; echo https://shop.example.org/orders')
  await camera.take('hands-terminal-find', here, async () => {
    await window.keyboard.press('Control+Shift+f')
    await at('terminal-find-text').fill('root')
  })
  await at('terminal-find-text').press('Escape')
  await camera.take('hands-terminal-split', here, async () => {
    await at('terminal-split-right').click()
    await open(1)
    await type('PS1="$ "; clear; for i in 31 32 33 34 35 36; do printf "\\033[%smcolour %s\\033[0m\\n" $i $i; done')
    await at('terminal-split-down').click()
    await open(2)
  })
  machine.cut('/ws/terminal')
  await camera.take('hands-terminal-reattaching', here, () => at('terminal-reattaching').first().waitFor())
  machine.mend()
  await open(2)
  await camera.take('hands-terminal-paste', here, async () => {
    await console.app.evaluate(({ clipboard }) => clipboard.writeText('echo one\necho two\nrm -rf build\n'))
    await at('terminal').nth(2).locator('.xterm-screen').click()
    await window.keyboard.press('Control+Shift+v')
    await at('paste-confirm').waitFor()
  })
  await window.keyboard.press('Escape')
  await camera.take('hands-terminal-ended', here, async () => {
    await type('exit 3')
    await at('terminal-ended').waitFor()
  })
}

async function logs({ console, dockerd, folder, machine, second, at }: Rig, camera: Camera): Promise<void> {
  if (dockerd === null) return
  const { window } = console
  const here = `#/machine/${machine.id}/logs`
  const lines = Array.from({ length: 400 }, (_, index) => {
    if (index % 17 === 5) return `[WARN] Field “Work authorization” not found, try ${(index % 3) + 1} of 3`
    if (index % 41 === 7)
      return 'Error: act timed out after 15000 ms\n    at StagehandEngine.act (engines/stagehand.ts:88)\n    at runCascade (engines/cascade.ts:41)'
    if (index % 29 === 3)
      return `{"level":30,"time":${Date.now()},"msg":"Picked up job","job":{"id":"abc-${index}","platform":"workday","steps":["fill","submit"]}}`
    if (index % 23 === 2) return `[DEBUG] observe: ${index} elements in 310 ms`
    return `[INFO] Filled first name, last name, email of applicant ${index}${index % 53 === 0 ? ` ${'with a very long tail '.repeat(20)}` : ''}`
  })
  fs.writeFileSync(path.join(folder, 'worker'), `${lines.join('\n')}\n`)
  await dockerd.docker(
    ...['run', '-d', '--network=none', '--name', 'worker', '--label', 'gh.service=worker', '-v', `${folder}:/w`],
    ...['test', 'sh', '-c', 'tail -n +1 -f /w/worker'],
  )
  machine.hold('/logs')
  await camera.take('hands-logs-loading', here)
  machine.mend()
  await camera.take('hands-logs-many', here, () => at('log-row').filter({ hasText: 'applicant 399' }).waitFor())
  await camera.take('hands-logs-search', here, async () => {
    await at('logs-search').fill('authorization')
    await at('logs-search').press('Enter')
    await at('logs-search').press('Enter')
  })
  await camera.take('hands-logs-json', here, async () => {
    await at('logs-search').fill('Picked up job')
    await at('logs-search').press('Enter')
    await window.getByRole('button', { name: 'Fold the fields out' }).last().click()
  })
  await camera.take('hands-logs-bad-expression', here, async () => {
    await at('logs-regex').click()
    await at('logs-search').fill('(')
    await at('logs-search-problem').waitFor()
  })
  await at('logs-regex').click()
  await at('logs-search').fill('')
  await camera.take('hands-logs-wrap', here, () => at('logs-wrap').click())
  await at('logs-wrap').click()
  await camera.take('hands-logs-jump', here, () => window.locator('body').press('Shift+J'))
  await window.keyboard.press('Escape')
  await camera.take('hands-logs-services', here, () => at('logs-services').click())
  await window.keyboard.press('Escape')
  await camera.take('hands-logs-merged', `#/logs/${machine.id},${second.id}`)
  await camera.take('hands-logs-failed', `#/machine/${second.id}/logs`)
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
