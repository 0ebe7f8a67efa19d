import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestAgent, type TestAgent } from './rigs/agent.ts'
import { startConsole, type TestConsole } from './rigs/electron.ts'
import { freshFolder } from './rigs/folder.ts'
import { ask } from './rigs/ipc.ts'
import { hostileNames, keepFleet } from './rigs/kept-fleet.ts'
import { until } from './rigs/until.ts'

/** The fleet as a whole: two machines that run and many that were kept. Each test goes on where the one before ended. */
describe('the fleet', () => {
  const { folder, remove } = freshFolder('fleet-e2e')
  const userData = path.join(folder, 'data')
  const agents: TestAgent[] = []
  let console: TestConsole
  let window: Page
  const at = (id: string) => window.getByTestId(id)
  const rows = () => at('fleet-table').locator('[role=row][data-row]')
  const shownNames = () => rows().locator('[data-column=name]').allInnerTexts()
  const selectedCount = async () => (await at('selection').getByRole('status').innerText()).trim()

  beforeAll(async () => {
    const kept = [
      ...hostileNames.map((name, index) => ({ id: `hostile-${index}`, name, environment: 'staging' as const })),
      ...Array.from({ length: 40 }, (_, index) => ({
        ...{ id: `m${index}`, name: `prod-${index}`, imageTag: `gh:2.${index % 2}` },
        state: (['terminated', 'killed'] as const)[index % 2] ?? 'killed',
      })),
    ]
    keepFleet(userData, kept)
    agents.push(await startTestAgent(), await startTestAgent())
    console = await startConsole({ userData })
    window = console.window
    for (const [index, agent] of agents.entries()) await addAgent(`live-${index}`, agent)
    await window.getByText('49 machines').first().waitFor()
  }, 180_000)
  afterAll(async () => {
    await console?.stop()
    for (const agent of agents) await agent.stop()
    remove()
  })
  const addAgent = (name: string, { port, secret }: TestAgent) =>
    ask(window, 'fleet.add', {
      ...{ name, environment: 'dev', machineType: 'ssh_host', secret },
      tunnel: { kind: 'direct', host: '127.0.0.1', port },
    })

  test('cards, chips and search narrow it, and what was chosen is remembered', async () => {
    await at('summary-running').click()
    await until('the two that run', async () => (await rows().count()) === 2)
    await at('open-tunnels').filter({ hasText: '2 tunnels up' }).waitFor()
    await at('summary-total').click()
    await at('filter-environment').click()
    await at('option-staging').click()
    await window.keyboard.press('Escape')
    await until('the hostile ones', async () => (await rows().count()) === hostileNames.length)
    await at('fleet-search').fill('orbit')
    await until('one', async () => (await rows().count()) === 1)
    await at('fleet-search').fill('')
    await window.reload()
    await window.getByRole('button', { name: /^Environment: staging/ }).waitFor()
    await until('the same rows after a reload', async () => (await rows().count()) === hostileNames.length)
  })

  test('in the smallest window the tools stand in one line, none of them cut off', async () => {
    const size = (width: number, height: number) =>
      console.app.evaluate(
        ({ BrowserWindow }, [wide, high]) => BrowserWindow.getAllWindows()[0]?.setContentSize(wide, high),
        [width, height] as const,
      )
    await size(1024, 700)
    await until('the small window', () => window.evaluate(() => innerWidth === 1024))
    const look = () =>
      window.evaluate(() => {
        const tools = '[data-testid^="filter-"], [data-testid="fleet-search"], [data-testid="add-machine"]'
        const boxes = [...document.querySelectorAll<HTMLElement>(tools)].map((tool) => {
          const { top, height, left, right } = tool.getBoundingClientRect()
          return { middle: top + height / 2, left, right, cut: tool.scrollWidth > tool.clientWidth + 1 }
        })
        const middles = boxes.map(({ middle }) => middle)
        return {
          tools: boxes.length,
          lines: Math.max(...middles) - Math.min(...middles) < 8 ? 1 : 2,
          cut: boxes.filter(({ cut }) => cut).length,
          outside: boxes.filter(({ left, right }) => left < 0 || right > innerWidth).length,
        }
      })
    await until('one line', async () => {
      const { tools, lines, cut, outside } = await look()
      return tools === 7 && lines === 1 && cut === 0 && outside === 0
    })
    const sideways = () =>
      at('fleet-table').evaluate(({ scrollWidth, clientWidth }) => Math.max(0, scrollWidth - clientWidth))
    for (const width of [1024, 1180, 1320, 1440]) {
      await size(width, 900)
      // The display takes a pixel of the largest.
      await until(`a window of ${width}`, () => window.evaluate((wanted) => wanted - innerWidth < 2, width))
      await until(`a table that fits into ${width}`, async () => (await sideways()) === 0)
    }
    const zoom = (factor: number) =>
      console.app.evaluate(
        ({ BrowserWindow }, by) => BrowserWindow.getAllWindows()[0]?.webContents.setZoomFactor(by),
        factor,
      )
    await size(1024, 700)
    await zoom(1.5)
    await until('the enlarged window', () => window.evaluate(() => innerWidth < 700))
    // With a filter set there is more to show than one line holds: nothing lies over anything else.
    const covered = () =>
      window.evaluate(() => {
        const parts =
          '[data-testid^="filter-"], [data-testid="fleet-form"], [data-testid="add-machine"], [role="status"]'
        const tools = document.querySelector('[data-testid="fleet-search"]')?.parentElement?.parentElement
        const boxes = [...(tools?.querySelectorAll(parts) ?? [])].map((part) => part.getBoundingClientRect())
        const over = boxes.filter((a, index) =>
          boxes.some(
            (b, other) => other > index && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom,
          ),
        )
        return { parts: boxes.length, over: over.length }
      })
    expect(await covered()).toEqual({ parts: 8, over: 0 })
    await zoom(1)
    await size(1440, 900)
    await until('the usual window', () => window.evaluate(() => innerWidth > 1400))
  })

  test('a letter is in the search before the list has followed: typing never waits for it', async () => {
    const seen = await window.evaluate(async () => {
      const one = <Kind extends Element>(id: string) => document.querySelector(`[data-testid="${id}"]`) as Kind
      const input = one<HTMLInputElement>('fleet-search')
      const rowCount = () => one('fleet-table').getAttribute('aria-rowcount')
      const before = rowCount()
      const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value') ?? {}
      set?.call(input, 'orbit')
      input.dispatchEvent(new Event('input', { bubbles: true }))
      // React has drawn what a key needs when its event is over; what may wait comes in a task of its own.
      for (let turn = 0; turn < 20; turn++) await Promise.resolve()
      const narrowed = [...document.querySelectorAll('button')].some(({ textContent }) => textContent === 'Show all')
      return { typed: input.value, narrowed, rows: rowCount() === before ? 'as before' : 'filtered already' }
    })
    expect(seen).toEqual({ typed: 'orbit', narrowed: true, rows: 'as before' })
    await until('the list to follow', async () => (await rows().count()) === 1)
    await at('fleet-search').fill('')
  })

  test('whatever a machine is called, it is text, in its own cell', async () => {
    // The list follows the search when there is time.
    await until('every name', async () => {
      const names = await shownNames()
      return hostileNames.every((name) => names.includes(name.trim().replace(/\s+/g, ' ')))
    })
    const broken = await window.evaluate(() =>
      [...document.querySelectorAll('[data-testid=fleet-table] [data-row]')]
        .filter((row) => row.clientHeight !== 33 && row.clientHeight !== 34)
        .map((row) => row.getAttribute('data-row')),
    )
    expect(broken).toEqual([])
    expect(await window.evaluate(() => document.documentElement.scrollWidth <= globalThis.innerWidth)).toBe(true)
    await window.getByRole('button', { name: 'Clear Environment' }).click()
    // The question that names it has room for all of it, and its page for what stands beside the name.
    await window.evaluate(() => {
      location.hash = '#/machine/hostile-0/overview'
    })
    await window.locator('[data-testid=overview]').waitFor()
    await window.locator('body').press('Shift+X')
    await window.locator('[data-dialog]').waitFor()
    const cut = await window.evaluate(() =>
      ['[data-dialog]', 'header', '[data-testid=state-badge]'].filter((place) => {
        const element = document.querySelector(place)
        return element === null || element.scrollWidth > element.clientWidth
      }),
    )
    expect(cut).toEqual([])
    await window.keyboard.press('Escape')
    await window.locator('[data-dialog]').waitFor({ state: 'detached' })
    await window.evaluate(() => {
      location.hash = '#/fleet'
    })
    await at('fleet-table').waitFor()
  })

  test('columns sort, in both directions', async () => {
    await window.getByRole('button', { name: 'Name', exact: true }).click()
    await until('by name', async () => (await at('fleet-table').locator('[aria-sort=ascending]').count()) === 1)
    await window.getByRole('button', { name: 'Name', exact: true }).click()
    await until('the other way', async () => {
      const names = (await shownNames()).filter((name) => name.startsWith('prod-'))
      return names[0] === 'prod-39' && names[1] === 'prod-38'
    })
    await window.getByRole('button', { name: 'Name', exact: true }).click()
  })

  test('by keyboard: rows are selected one by one, as a range and all, and the menu opens', async () => {
    await at('summary-running').click()
    await until('two rows', async () => (await rows().count()) === 2)
    await at('fleet-table').focus()
    await window.keyboard.press('Home')
    await window.keyboard.press('Space')
    expect(await selectedCount()).toBe('1 selected')
    await window.keyboard.press('Shift+ArrowDown')
    expect(await selectedCount()).toBe('2 selected')
    await window.keyboard.press('Escape')
    await at('selection').waitFor({ state: 'detached' })
    await window.keyboard.press('.')
    await at('menu-machine.window').waitFor()
    await window.keyboard.press('Escape')
    await at('menu-machine.window').waitFor({ state: 'detached' })
    await until('the focus back', () => window.evaluate(() => document.activeElement?.getAttribute('role') === 'grid'))
    await window.keyboard.press('Control+a')
    expect(await selectedCount()).toBe('2 selected')
  })

  test('the menu of a row has what its machine can do now: one that runs is edited, one that stands still is woken', async () => {
    const menuOf = async (name: string) => {
      await at('fleet-search').fill(name)
      await until('its row', async () => (await shownNames()).join() === name)
      await rows().first().click({ button: 'right' })
      await at('menu-open').waitFor()
    }
    await menuOf('live-1')
    expect(await at('menu-machine.wake').count()).toBe(0)
    await at('menu-machine.edit').click()
    await at('edit-name').fill('live-one')
    await at('edit-submit').click()
    await at('edit-name').waitFor({ state: 'detached' })
    await menuOf('live-one')
    await at('menu-machine.edit').click()
    await at('edit-name').fill('live-1')
    await at('edit-submit').click()
    await at('edit-name').waitFor({ state: 'detached' })
    await at('summary-total').click()
    await menuOf('prod-0')
    expect(await at('menu-machine.take-over').count()).toBe(0)
    await at('menu-machine.wake').click()
    // Nobody answers there: the wake says so, where the person is.
    await window
      .getByText(/prod-0/)
      .filter({ hasText: /not|cannot|could/ })
      .first()
      .waitFor()
    await at('fleet-search').fill('')
    await at('summary-running').click()
    await until('the two that run', async () => (await rows().count()) === 2)
    await at('fleet-table').focus()
    await window.keyboard.press('Control+a')
  })

  test('the keyboard stays with the machine it was moved to, whichever row that stands in by now', async () => {
    await at('fleet-search').fill('live-')
    await until('both rows', async () => (await shownNames()).join() === 'live-0,live-1')
    await at('fleet-table').focus()
    await window.keyboard.press('Home')
    const activeName = () => at('fleet-table').locator('[data-row][data-active] [data-column=name]').innerText()
    expect(await activeName()).toBe('live-0')
    const machines = await ask<{ id: string; name: string }[]>(window, 'fleet.list', {})
    const machineId = machines.find(({ name }) => name === 'live-0')?.id
    await ask(window, 'fleet.update', { machineId, name: 'live-2' })
    await until('the other order', async () => (await shownNames()).join() === 'live-1,live-2')
    expect(await activeName()).toBe('live-2')
    await ask(window, 'fleet.update', { machineId, name: 'live-0' })
    await at('fleet-search').fill('')
    await at('fleet-table').focus()
    await window.keyboard.press('Control+a')
  })

  test('a command runs on both, and the answers stand side by side', async () => {
    await at('fleet.run').click()
    await at('command').fill('node -p process.env.PILOTHOUSE_ANSWER||6*7')
    await at('command-run').click()
    await until('both answers', async () => (await at('answers').locator('[data-state=ended]').count()) === 2)
    expect(await at('answer').locator('pre').allInnerTexts()).toEqual(['42\n', '42\n'])
    await window.getByText('all answered the same').waitFor()
    for (const agent of agents) {
      const { entries } = await agent.client.call('audit.list', { action: 'exec' })
      expect(entries.map(({ result }) => result)).toEqual(['success'])
    }
    await window.keyboard.press('Escape')
    await at('command').waitFor({ state: 'detached' })
  })

  test('the variables of both are compared', async () => {
    await at('fleet.compare-env').click()
    const compared = window.getByRole('dialog', { name: 'Compare variables' })
    for (const name of ['live-0', 'live-1']) await compared.getByText(name).first().waitFor()
    await window.keyboard.press('Escape')
    await compared.waitFor({ state: 'detached' })
  })

  test('what cannot be done is left out with its reason, and nothing happens without a yes', async () => {
    await at('fleet.start').click()
    await window.getByText(/Left out: live-0 \(it runs already\), live-1/).waitFor()
    expect(await at('batch-go').getAttribute('aria-disabled')).toBe('true')
    await window.keyboard.press('Escape')
    await at('fleet.drain').click()
    await at('batch-go').click()
    await until('both ended', async () => /^2 of 2 done/.test(await at('batch-status').innerText()))
    // There is no Docker behind these agents: each says so by itself.
    expect(await at('batch-machines').locator('[data-state=failed]').count()).toBe(2)
    await at('batch-close').click()
    await window.keyboard.press('f')
    await window.keyboard.press('c')
    await at('selection').waitFor({ state: 'detached' })
    await at('summary-total').click()
  })

  test('as a map: tiles by environment, walked by keys, with a card for each', async () => {
    await at('fleet-form').click()
    await at('fleet-map').focus()
    expect(await at('fleet-map').getByRole('option').count()).toBe(49)
    await window.keyboard.press('End')
    await at('hover-card').locator('bdi').waitFor()
    const active = () =>
      window.evaluate(() =>
        document
          .getElementById(document.activeElement?.getAttribute('aria-activedescendant') ?? '')
          ?.getAttribute('aria-label'),
      )
    const last = await active()
    await window.keyboard.press('ArrowUp')
    expect(await active()).not.toBe(last)
    await window.keyboard.press('Space')
    expect(await selectedCount()).toBe('1 selected')
    await window.keyboard.press('.')
    await at('menu-open').waitFor()
    await window.keyboard.press('Escape')
    await at('menu-open').waitFor({ state: 'detached' })
    await window.keyboard.press('Escape')
    await at('fleet-form').click()
  })

  test('everyone’s audit: this console and every agent in one list, searched, exported, with sound chains', async () => {
    await window.getByRole('button', { name: 'Audit' }).click()
    await until('the agents’ own entries', async () => {
      const texts = await at('audit-table').locator('[data-column=source]').allInnerTexts()
      return texts.includes('its agent') && texts.includes('this console')
    })
    await at('audit-search').fill('6*7')
    await until('the two entries of the agents', async () => {
      const found = await at('audit-table').locator('[data-row] [data-column=action]').allInnerTexts()
      return found.length === 2 && found.every((action) => action === 'exec')
    })
    await at('audit-table').locator('[data-row]').first().click()
    await at('audit-details')
      .getByText(/process\.env/)
      .waitFor()
    await at('audit-verify').click()
    await window.getByText('3 chains are sound').waitFor()
    // That it is exported, and what was looked for, is an entry itself.
    const file = path.join(folder, 'audit.csv')
    await console.app.evaluate(({ dialog }, chosen) => {
      dialog.showSaveDialog = async () => ({ canceled: false, filePath: chosen })
    }, file)
    await at('audit-export').click()
    await at('menu-csv').click()
    await window.getByText('3 entries exported').waitFor()
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(4)
    await at('audit-search').fill('')
    await window.keyboard.press('Escape')
  })

  test('while it is followed, what happens elsewhere appears by itself; a machine that is gone is shown from the copy', async () => {
    await at('audit-follow').click()
    await agents[1]
      ?.clientAs({ secret: agents[1].secret, operator: 'Someone else' })
      .call('exec.run', { command: 'true' })
    await at('audit-table').getByText('Someone else').first().waitFor()
    await at('audit-follow').click()
    const machines = await ask<{ id: string; name: string }[]>(window, 'fleet.list', {})
    const gone = machines.find(({ name }) => name === 'live-1')
    await agents[1]?.agent.stop('the test ends it')
    await until('the machine to be seen as gone', async () => {
      const list = await ask<{ id: string; state: string }[]>(window, 'fleet.list', {})
      return list.find(({ id }) => id === gone?.id)?.state !== 'running'
    })
    await window.getByText(/shown from the copy kept here/).waitFor()
    expect(await at('audit-table').getByText('Someone else').count()).toBeGreaterThan(0)
  })

  test('a machine in a window of its own; both windows hear of changes, and each may ask', async () => {
    await window.getByRole('button', { name: 'Fleet' }).first().click()
    await at('fleet-search').fill('live-0')
    await until('one row', async () => (await rows().count()) === 1)
    const opening = console.app.waitForEvent('window')
    await rows()
      .first()
      .click({ modifiers: ['Control'] })
    const second = await opening
    await second.getByRole('heading', { name: 'live-0' }).waitFor()
    expect(second.url()).toMatch(/#\/machine\/.+\/live$/)
    // Among the windows of the system each is known by what it shows.
    const titles = () =>
      console.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().map((one) => one.getTitle()))
    await until('titles of their own', async () => {
      return (await titles()).sort().join() === 'Fleet · Pilothouse,live-0 · Pilothouse'
    })
    // Whichever window a stream goes to, all of them count it.
    const machineId = decodeURIComponent(second.url().split('/').at(-2) ?? '')
    await ask(second, 'stream.open', { machineId, socket: 'events', params: {} })
    for (const page of [window, second])
      await page
        .getByTestId('open-streams')
        .filter({ hasText: /^1 stream$/ })
        .waitFor()
    await ask(second, 'settings.set', { operator: 'From the second window' })
    await window.getByText('From the second window').first().waitFor()
    await second.getByText('From the second window').first().waitFor()
    // The palette opens where it was asked for, and only there.
    await second.bringToFront()
    await second.keyboard.press('Control+k')
    await second.getByTestId('palette-input').waitFor()
    expect(await at('palette-input').count()).toBe(0)
    await second.keyboard.press('Escape')
  })

  test('notifications come from the system, only when chosen, and lead to the machine', async () => {
    await console.app.evaluate(({ Notification }) => {
      const shown: { title: string; press: () => void }[] = []
      Object.assign(globalThis, { shown })
      Notification.isSupported = () => true
      Notification.prototype.show = function show(this: Electron.Notification) {
        shown.push({ title: this.title, press: () => this.emit('click') })
      }
    })
    const titles = () =>
      console.app.evaluate(() =>
        (globalThis as never as { shown: { title: string }[] }).shown.map(({ title }) => title),
      )
    await ask(window, 'notifications.test', {})
    expect(await titles()).toEqual(['Pilothouse'])
    await ask(window, 'settings.set', { notifications: { takeovers: true, deploys: true, lost: true, sound: false } })
    await window.evaluate(() => {
      globalThis.location.hash = '#/settings'
    })
    const second = console.app.windows().find((page) => page !== window)
    await second?.close()
    await agents[0]?.agent.stop('the test ends it')
    await until('the notification', async () => (await titles()).includes('A machine is lost: live-0'), 60_000)
    await console.app.evaluate(() => (globalThis as never as { shown: { press: () => void }[] }).shown.at(-1)?.press())
    await window.getByRole('heading', { name: 'live-0' }).waitFor()
  })

  test('the next start has the same windows, at the same places', async () => {
    const opening = console.app.waitForEvent('window')
    await window.keyboard.press('Shift+O')
    await (await opening).getByRole('heading', { name: 'live-0' }).waitFor()
    await window.evaluate(() => {
      globalThis.location.hash = '#/audit'
    })
    await window.getByRole('heading', { name: 'Audit' }).waitFor()
    await console.stop()
    console = await startConsole({ userData })
    const places = () => console.app.windows().map((page) => new URL(page.url()).hash.split('/')[1])
    await until('both windows', () => {
      const shown = places().sort().join()
      if (shown === 'audit,machine') return true
      throw new Error(`there are: ${shown}`)
    })
    window = console.app.windows().find((page) => page.url().includes('#/audit')) ?? console.window
    // From the copy: neither agent is there any more.
    await at('audit-table').getByText('Someone else').first().waitFor()
  })
})
