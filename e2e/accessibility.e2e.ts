import fs from 'node:fs'
import path from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { machineTabs, settingsSections } from '../renderer/app/route.ts'
import { type AddedMachine, addMachine } from './rigs/added-machine.ts'
import { startTestAgent, type TestAgent } from './rigs/agent.ts'
import { chromiumAddress, findPage } from './rigs/cdp-page.ts'
import { startConsole, type TestConsole } from './rigs/electron.ts'
import { goneMachine, keepFilledFleet } from './rigs/filled-fleet.ts'
import { freshFolder } from './rigs/folder.ts'
import { ask } from './rigs/ipc.ts'
import { until } from './rigs/until.ts'

const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']
const plainScreens = ['fleet', 'takeovers', 'wall', 'workers', 'deploys', 'audit', 'diagnostics', 'logs']

/** Every screen for those who do not see it, do not see it well, or use no mouse: each test goes on where the last ended. */
describe('accessibility', () => {
  const { folder, remove } = freshFolder('a11y')
  let agent: TestAgent
  let console: TestConsole
  let machine: AddedMachine
  const at = (id: string) => console.window.getByTestId(id)
  const page = () => console.window
  const press = (keys: string) => page().keyboard.press(keys)
  const go = async (hash: string) => {
    await page().evaluate((place) => {
      window.location.hash = place
    }, hash)
    await settled()
  }
  /** What was asked for has come, and nothing moves any more. */
  const settled = () =>
    page().evaluate(async () => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
      for (let quiet = 0, tried = 0; quiet < 4 && tried < 60; tried++) {
        const before = document.body.innerHTML.length
        await frame()
        await frame()
        const moving = document.getAnimations().some((one) => one.playState === 'running')
        quiet = document.body.innerHTML.length === before && !moving ? quiet + 1 : 0
      }
    })
  /** What axe finds wrong in the theme that is on, and what cannot be read in the other one. */
  const faults = (where: string) =>
    page().evaluate(
      async ([place, tags]) => {
        const axe = (window as never as { axe: typeof import('axe-core') }).axe
        const run = async (rules: import('axe-core').RunOptions, theme: string) => {
          document.documentElement.dataset['theme'] = theme
          const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
          // Colours are on their way for a frame or two, even without motion.
          do await frame()
          while (document.getAnimations().some((one) => one.playState === 'running'))
          await frame()
          // A dialog stands alone; what is behind it was looked at by itself.
          const shown = document.querySelector('[data-dialog]') ?? document
          const { violations } = await axe.run(shown, { ...rules, resultTypes: ['violations'] })
          return violations.flatMap(({ id, nodes }) =>
            nodes.map(
              ({ html, failureSummary = '' }) => `${place}, ${theme}: ${id}: ${html.slice(0, 160)} ${failureSummary}`,
            ),
          )
        }
        const shown = document.documentElement.dataset['theme'] ?? ''
        const found = await run({ runOnly: tags }, shown)
        const other = shown === 'dark' ? 'light' : 'dark'
        found.push(...(await run({ runOnly: { type: 'rule', values: ['color-contrast'] } }, other)))
        document.documentElement.dataset['theme'] = shown
        return found
      },
      [where, wcag] as const,
    )
  const moving = (place: string) =>
    page().evaluate(
      (where) =>
        document
          .getAnimations()
          // What is over a frame or two after it began is a change, not a movement, also where it begins late.
          .filter((one) => Number(one.effect?.getComputedTiming().activeDuration ?? 0) > 50)
          .map((one) => `${where} moves: ${(one.effect as KeyframeEffect | null)?.target?.outerHTML.slice(0, 100)}`),
      place,
    )
  /** The window itself never scrolls: what would push it up stands outside of what scrolls. */
  const scrolls = (place: string) =>
    page().evaluate((where) => {
      const { scrollHeight, clientHeight, scrollWidth, clientWidth } = document.documentElement
      const over = [scrollHeight - clientHeight, scrollWidth - clientWidth]
      return over.every((px) => px === 0) ? [] : [`${where}: the window can be scrolled by ${over.join(' and ')} px`]
    }, place)
  /** Where the focus is can be seen: it has an outline, or stands on a ground of its own. */
  const focusSeen = () =>
    page().evaluate(() => {
      const focused = document.activeElement
      if (!(focused instanceof HTMLElement) || focused === document.body) return 'nothing has the focus'
      const { outlineStyle, outlineWidth } = getComputedStyle(focused)
      const seen = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1
      return seen ? '' : `${focused.outerHTML.slice(0, 120)} shows no focus`
    })
  /** Tabs to something as a person without a mouse does, looking at the focus on the way. */
  const tabTo = async (testId: string) => {
    for (let step = 0; step < 80; step++) {
      if (await at(testId).evaluateAll((found) => found.some((one) => one === document.activeElement))) return
      await press('Tab')
      expect(await focusSeen()).toBe('')
    }
    throw new Error(`${testId} was not reached with Tab`)
  }

  beforeAll(async () => {
    fs.writeFileSync(path.join(folder, 'shop.env'), 'API_URL=https://one.example.org\nAPI_KEY=secret\n')
    keepFilledFleet(path.join(folder, 'data'))
    agent = await startTestAgent({ PILOTHOUSE_ENV_FILE: path.join(folder, 'shop.env') })
    await agent.client.call('browser.start', { url: 'data:text/html,<h1>A page</h1>' }, { timeoutMs: 60_000 })
    console = await startConsole({ userData: path.join(folder, 'data') })
    // Nothing fades, so that nothing is looked at half faded; and it is what the last test looks at.
    await page().emulateMedia({ reducedMotion: 'reduce' })
    machine = await addMachine(console, agent, 'shop-1')
    await ask(page(), 'settings.set', { theme: 'dark' })
    await page().locator('html[data-theme=dark]').waitFor()
    // Brings axe into the page; from then on it is asked directly, which is many times faster.
    await new AxeBuilder({ page: page() }).setLegacyMode(true).withRules(['html-has-lang']).analyze()
  }, 180_000)
  afterAll(async () => {
    await console?.stop()
    await machine?.stop()
    await agent?.stop()
    remove()
  })

  const places = () => [
    ...plainScreens.map((screen) => `#/${screen}`),
    ...settingsSections.map((section) => `#/settings/${section}`),
    ...[goneMachine, machine.id].flatMap((id) => machineTabs.map((tab) => `#/machine/${id}/${tab}`)),
  ]

  test('every screen and tab, dark and light, and with reduced motion nothing moves', async () => {
    const found: string[] = []
    for (const place of places()) {
      await go(place)
      found.push(
        ...(await faults(place.replace(machine.id, 'live'))),
        ...(await moving(place)),
        ...(await scrolls(place)),
      )
    }
    expect(found).toEqual([])
  }, 240_000)

  const dialogs: [name: string, place: () => string, open: () => Promise<void>][] = [
    ['palette', () => '#/fleet', () => press('Control+k')],
    ['keys', () => '#/fleet', () => page().locator('body').press('?')],
    ['add a machine', () => '#/fleet', () => page().locator('body').press('a')],
    ['install the agent', () => '#/fleet', () => page().locator('body').press('Shift+I')],
    ['find machines', () => '#/fleet', () => page().locator('body').press('Shift+F')],
    ['new deploy', () => '#/deploys', () => at('new-deploy').click()],
    ['edit machine', () => `#/machine/${machine.id}/overview`, () => page().locator('body').press('e')],
    ['compare env', () => `#/machine/${machine.id}/overview`, () => sequence('m', 'v')],
    ['run a task', () => `#/machine/${machine.id}/overview`, () => sequence('m', 'x')],
    ['terminate', () => `#/machine/${machine.id}/overview`, () => sequence('m', 'z')],
    ['change keys', () => '#/settings/shortcuts', () => at('keys-palette').getByRole('button').click()],
    ['clear everything', () => '#/settings/data', () => at('data-clear-all').click()],
  ]
  const sequence = async (first: string, second: string) => {
    await page().locator('body').press(first)
    await page().locator('body').press(second)
  }

  test('the dialogs, dark and light', async () => {
    const found: string[] = []
    for (const [name, place, open] of dialogs) {
      await go(place())
      await open()
      await page().locator('[data-dialog]').first().waitFor()
      await settled()
      found.push(...(await faults(name)), ...(await scrolls(name)))
      expect(await focusSeen(), name).not.toContain('nothing has')
      await press('Escape')
      await page().locator('[data-dialog]').waitFor({ state: 'detached' })
    }
    expect(found).toEqual([])
  }, 120_000)

  test('by keys alone: the palette runs an action', async () => {
    await go('#/fleet')
    await press('Control+k')
    await page().keyboard.type('go to aud')
    await press('Enter')
    await page().getByRole('heading', { name: 'Audit' }).waitFor()
  })

  test('by keys alone: a control of a row is reached by its name, and so is one with keys of its own', async () => {
    await go(`#/machine/${goneMachine}/containers`)
    await press('Control+k')
    await page().keyboard.type('logs of ghosthands-api')
    await press('Enter')
    await until('the logs to be shown', () => page().url().endsWith('/logs'))
    await go(`#/machine/${machine.id}/env`)
    await at('env-add').waitFor()
    await sequence('v', 'i')
    await at('env-paste').waitFor()
    await press('Escape')
    await page().locator('[data-dialog]').waitFor({ state: 'detached' })
  })

  test('by keys alone: the form for a new machine is filled in and left', async () => {
    await go('#/fleet')
    await page().locator('body').press('a')
    await at('machine-name').waitFor()
    await tabTo('machine-name')
    await page().keyboard.type('by-keys')
    await tabTo('machine-secret')
    await page().keyboard.type('not its secret')
    await tabTo('machine-submit')
    await press('Escape')
    await page().locator('[data-dialog]').waitFor({ state: 'detached' })
    // Where the person was, they are again.
    expect(await page().evaluate(() => document.activeElement?.closest('[data-dialog]') === null)).toBe(true)
  })

  test('by keys alone: a deploy is prepared', async () => {
    await go('#/deploys')
    await tabTo('new-deploy')
    await press('Enter')
    await at('deploy-tag').waitFor()
    await tabTo('deploy-tag')
    await page().keyboard.type('2.5.0')
    await tabTo('deploy-submit')
    await press('Escape')
    await page().locator('[data-dialog]').waitFor({ state: 'detached' })
  })

  test('by keys alone: a variable is added, looked at in the diff and saved', async () => {
    await go(`#/machine/${machine.id}/env`)
    await at('env-add').waitFor()
    await tabTo('env-add')
    await press('Enter')
    await tabTo('env-key')
    await page().keyboard.type('GREETING')
    await tabTo('env-value')
    await page().keyboard.type('yes')
    await tabTo('env-keep')
    await press('Enter')
    await tabTo('env-review')
    await press('Enter')
    await tabTo('env-save')
    await press('Enter')
    await until('it is in the file', async () => {
      const { vars } = await agent.client.call('env.get')
      return vars['GREETING'] === 'yes'
    })
  })

  test('by keys alone: control is taken, the page is typed into, the keyboard comes back from the picture, and control is given back', async () => {
    await go(`#/machine/${machine.id}/live`)
    await page().locator('[data-testid=browser-viewer][data-phase=live]').waitFor()
    await page().locator('body').press('t')
    await page().locator('[data-testid=lease-bar][data-lease=mine]').waitFor()
    await page().locator('[data-testid=browser-viewer][data-phase=live][data-mode=control]').waitFor()
    const shown = await until('the machine’s page', () =>
      findPage(chromiumAddress(agent.dataDir), (url) => url.startsWith('data:')),
    )
    await shown.evaluate('window.heard = ""; addEventListener("keydown", ({ key }) => (heard += key))')
    await until('the keyboard to be the machine’s', () =>
      page().evaluate(() => document.activeElement?.matches('[data-machine-keys]') === true),
    )
    await page().keyboard.type('hi')
    await until('the page to hear it', async () => (await shown.evaluate('heard')) === 'hi')
    shown.close()
    // The picture takes the keyboard when it has control, which may come after the first try.
    await until('the way out has the focus', async () => {
      await press('Control+Alt+k')
      return at('give-back').evaluate((button) => button === document.activeElement)
    })
    expect(await focusSeen()).toBe('')
    expect(await faults('taken over')).toEqual([])
    await press('Enter')
    await tabTo('give-back-confirm')
    await press('Enter')
    await page().locator('[data-testid=lease-bar][data-lease=mine]').waitFor({ state: 'detached' })
  })
})
