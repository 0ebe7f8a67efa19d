import fs from 'node:fs'
import path from 'node:path'
import { invoke } from '../rigs/added-machine.ts'
import { until } from '../rigs/until.ts'
import type { Camera } from './camera.ts'
import type { Rig } from './hands-on-rig.ts'

export async function inspector({ console, shop, machine, site, at }: Rig, camera: Camera): Promise<void> {
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

export async function terminal({ console, machine, at }: Rig, camera: Camera): Promise<void> {
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

export async function logs({ console, dockerd, folder, machine, second, at }: Rig, camera: Camera): Promise<void> {
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
