import path from 'node:path'
import { parseArgs } from 'node:util'
import { machineTabs, settingsSections } from '../../renderer/app/route.ts'
import { projectRoot } from '../rigs/built.ts'
import { startConsole, type TestConsole } from '../rigs/electron.ts'
import { goneMachine, keepFilledFleet } from '../rigs/filled-fleet.ts'
import { freshFolder } from '../rigs/folder.ts'
import { ask } from '../rigs/ipc.ts'
import { type Camera, cameraFor } from './camera.ts'
import { takeHandsOn } from './hands-on.ts'
import { startMachines } from './machines.ts'
import { dialogs, failing, loading } from './states.ts'
import { keepThousand } from './thousand.ts'

/** Pictures of every screen from the real app: `--only fleet` takes those whose name begins so, `--size 1024x700` smaller ones. */
const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    size: { type: 'string', default: '1440x900' },
    out: { type: 'string', default: path.join(projectRoot, 'resources', 'docs', 'pictures') },
  },
})
const wanted = (name: string) => options.only.split(',').some((part) => name.startsWith(part))
/** Whether any of a group of pictures is asked for. */
const anyOf = (group: string) =>
  options.only.split(',').some((part) => part.startsWith(group) || group.startsWith(part))
const { folder, remove } = freshFolder('pictures')

async function withConsole(name: string, use: (console: TestConsole, camera: Camera) => Promise<void>): Promise<void> {
  const console = await startConsole({ userData: path.join(folder, name) })
  try {
    const [width = 1440, height = 900] = options.size.split('x').map(Number)
    await console.app.evaluate(
      ({ BrowserWindow }, size) => BrowserWindow.getAllWindows()[0]?.setContentSize(size.width, size.height),
      { width, height },
    )
    await use(console, cameraFor(console.window, options.out, wanted))
  } finally {
    await console.stop()
  }
}

async function firstRun(): Promise<void> {
  if (!wanted('first-run')) return
  await withConsole('first', (_console, camera) => camera.take('first-run', '#/fleet'))
}

async function aThousand(): Promise<void> {
  if (!wanted('fleet-thousand')) return
  keepThousand(path.join(folder, 'thousand'))
  await withConsole('thousand', async ({ window }, camera) => {
    await camera.take('fleet-thousand', '#/fleet')
    await camera.take('fleet-thousand-map', '#/fleet', async () => {
      await window.locator('body').press('f')
      await window.locator('body').press('m')
    })
  })
}

/** What operators work with, in states that the other pictures do not come by: `--only hands`, or `hands-logs`. */
async function handsOn(): Promise<void> {
  if (options.only !== '' && !options.only.includes('hands')) return
  await withConsole('hands', (console) =>
    takeHandsOn(
      console,
      cameraFor(console.window, options.out, () => true),
      wanted,
    ),
  )
}

/** Three machines that run, and three that did: every screen, and then the next start without any of them. */
async function atWork(): Promise<void> {
  if (options.only !== '' && options.only.split(',').every((part) => part.startsWith('hands'))) return
  keepFilledFleet(path.join(folder, 'work'))
  const machines = await startMachines()
  try {
    await withConsole('work', async (console, camera) => {
      await ask(console.window, 'settings.set', { operator: 'Ada' })
      await machines.addTo(console)
      const shop = machines.ids[0] ?? ''
      if (anyOf('loading')) await loading(console.window, camera, machines)
      await machines.callForHelp()
      await console.window.getByTestId('wanted-count').waitFor()
      await camera.take('fleet', '#/fleet')
      for (const screen of ['takeovers', 'wall', 'workers', 'deploys', 'audit', 'diagnostics', 'logs'])
        await camera.take(screen, `#/${screen}`)
      for (const section of settingsSections) await camera.take(`settings-${section}`, `#/settings/${section}`)
      for (const tab of machineTabs) await camera.take(`machine-${tab}`, `#/machine/${shop}/${tab}`)
      if (anyOf('failing') || anyOf('gone') || anyOf('state')) await failing(camera, machines)
      if (anyOf('dialog')) await dialogs(console.window, camera, machines)
      await camera.take('killed', `#/machine/${goneMachine}/live`)
      await camera.take('palette', '#/fleet', () => console.window.keyboard.press('Control+k'))
      await console.window.keyboard.press('Escape')
      await camera.take('taken-over', `#/machine/${shop}/live`, async () => {
        const { window } = console
        await window.locator('[data-testid=browser-viewer][data-phase=live]').waitFor()
        await window.getByTestId('take-over').click()
        await window.locator('[data-testid=lease-bar][data-lease=mine]').waitFor()
        await window.locator('[data-testid=browser-viewer][data-phase=live][data-mode=control]').waitFor()
      })
    })
  } finally {
    await machines.stop()
  }
  await withConsole('work', async (_console, camera) => {
    await camera.take('offline-fleet', '#/fleet')
    await camera.take('offline-machine', `#/machine/${machines.ids[0] ?? ''}/overview`)
  })
}

try {
  await firstRun()
  await aThousand()
  await atWork()
  await handsOn()
} finally {
  remove()
}
