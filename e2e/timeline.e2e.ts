import { writeFileSync } from 'node:fs'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import path from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AddedMachine, addMachine, invoke } from './rigs/added-machine.ts'
import { startTestAgent, type TestAgent } from './rigs/agent.ts'
import { startConsole, type TestConsole } from './rigs/electron.ts'
import { freshFolder } from './rigs/folder.ts'
import { until } from './rigs/until.ts'

const broken = `<title>Broken shop</title><body style="background:#264">Shop<script>
  fetch('/api/cart?token=canary-query').catch(() => {})
  setTimeout(() => { throw new TypeError('cart is undefined') }, 300)
</script>`

const later = `<title>Later</title><script>
  const request = new XMLHttpRequest()
  request.open('GET', '/api/later', false)
  request.send()
  console.error('later is undefined')
</script>`
const pages: Record<string, string> = { '/broken': broken, '/later': later }

/** What an engineer opens first after a page at night; each test goes on where the one before ended. */
describe('the timeline', () => {
  const { folder, remove } = freshFolder('timeline')
  const server = http.createServer((request, response) => {
    const api = request.url?.startsWith('/api/') === true
    response.writeHead(api ? 503 : 200, { 'content-type': 'text/html' })
    response.end(api ? 'no' : (pages[request.url ?? ''] ?? '<title>Fine</title>Fine'))
  })
  let site: string
  let console: TestConsole
  let agent: TestAgent
  let machine: AddedMachine
  const at = (id: string) => console.window.getByTestId(id)
  const rows = () => at('timeline-list').locator('[data-row]')
  const row = (text: string | RegExp) => rows().filter({ hasText: text })
  const track = () => at('timeline-track')
  const shownSpan = async () => {
    const [from, to] = await Promise.all(['data-from', 'data-to'].map((name) => track().getAttribute(name)))
    return Date.parse(to ?? '') - Date.parse(from ?? '')
  }
  const go = (id: string, tab: string) =>
    console.window.evaluate(
      ([to, name]) => {
        window.location.hash = `#/machine/${to}/${name}`
      },
      [id, tab] as const,
    )

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const envFile = path.join(folder, '.env')
    writeFileSync(envFile, 'GREETING=old\n')
    ;[agent, console] = await Promise.all([startTestAgent({ PILOTHOUSE_ENV_FILE: envFile }), startConsole()])
    machine = await addMachine(console, agent, 'night-1')
    await invoke(console, 'settings.set', { operator: 'Ada' })
  }, 120_000)
  afterAll(async () => {
    await console?.stop()
    await machine?.stop()
    await agent?.stop()
    server.close()
    remove()
  })

  test('an env change, a command, a takeover, an error and a failed request stand in order, without secrets', async () => {
    const { client } = agent
    await client.call('env.set', { vars: { GREETING: 'canary-env' } })
    await client.call('exec.run', { command: 'echo hello' })
    await client.call('browser.start', { url: `${site}/fine`, headless: true })
    const { leaseId } = await client.call('takeover.take', { operator: 'Ada', reason: 'stuck on a form' })
    await client.call('takeover.handBack', { leaseId, note: 'filled it in' })
    await go(machine.id, 'live')
    await console.window.keyboard.press('m')
    await console.window.keyboard.press('h')
    await row('Ran echo hello').waitFor()
    // While it is looked at: what happens now appears by itself.
    await client.call('browser.navigate', { url: `${site}/broken` })
    await row(/TypeError: cart is undefined/).waitFor()
    await row(/GET 503 .*token=\*\*\*/).waitFor()
    const titles = await rows().locator('[data-column=what]').allInnerTexts()
    const order = [
      /Set GREETING/,
      /Ran echo hello/,
      /Browser runs/,
      /Ada had control/,
      /gave control back/,
      /GET 503/,
      /TypeError/,
    ]
    const places = order.map((words) => titles.findIndex((title) => words.test(title)))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places[0]).toBeGreaterThanOrEqual(0)
    expect(await console.window.content()).not.toContain('canary')
  }, 60_000)

  test('the takeover has its picture, its time and its words', async () => {
    await row('Ada had control').click()
    await at('timeline-picture').waitFor()
    const drawn = await at('timeline-picture').evaluate((image: HTMLImageElement) =>
      image.decode().then(() => image.naturalWidth),
    )
    expect(drawn).toBeGreaterThan(300)
    expect(await at('timeline-detail').innerText()).toMatch(/stuck on a form[\s\S]*in control \d+ ms/)
  })

  test('it is filtered by kind, by words and to errors only', async () => {
    const all = await rows().count()
    await at('timeline-errors').click()
    await until('errors alone', async () => (await rows().count()) < all)
    expect(await rows().locator('[data-column=kind]').allInnerTexts()).toEqual(
      expect.arrayContaining(['Failed requests', 'Page errors']),
    )
    expect(await row('Ran echo hello').count()).toBe(0)
    await at('timeline-search').fill('typeerror cart')
    await until('the one', async () => (await rows().count()) === 1)
    await at('timeline-search').fill('')
    await at('timeline-errors').click()
    await at('timeline-kinds').click()
    await at('option-commands').click()
    await console.window.keyboard.press('Escape')
    await until('commands alone', async () => (await rows().count()) === 2)
    await console.window.getByRole('button', { name: 'Clear Kind' }).click()
    await row('Ada had control').waitFor()
  })

  test('wheel, keys and buttons zoom, a drag moves, a double click shows all, and arrows go from entry to entry', async () => {
    const box = (await track().boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    const before = await shownSpan()
    await at('timeline-zoom-in').click()
    await until('half as much', async () => (await shownSpan()) < before * 0.6)
    await at('timeline-zoom-out').click()
    await until('as much as before', async () => Math.abs((await shownSpan()) - before) < before * 0.1)
    await console.window.mouse.move(box.x + box.width / 2, box.y + 100)
    await console.window.mouse.wheel(0, -400)
    await until('the wheel', async () => (await shownSpan()) < before * 0.9)
    const from = await track().getAttribute('data-from')
    await console.window.mouse.down()
    await console.window.mouse.move(box.x + box.width / 2 + 120, box.y + 100, { steps: 4 })
    await console.window.mouse.up()
    await until('the drag', async () => ((await track().getAttribute('data-from')) ?? '') < (from ?? ''))
    await console.window.mouse.dblclick(box.x + box.width - 30, box.y + 10)
    await row('Set GREETING').waitFor()
    await row(/TypeError/).waitFor()
    await track().focus()
    await console.window.keyboard.press('Home')
    const title = () => at('timeline-detail').locator('h2').innerText()
    expect(await title()).toBe(await rows().first().locator('[data-column=what]').innerText())
    await console.window.keyboard.press('ArrowRight')
    expect(await title()).toBe(await rows().nth(1).locator('[data-column=what]').innerText())
    const zoomed = await shownSpan()
    await console.window.keyboard.press('+')
    await until('closer', async () => (await shownSpan()) < zoomed * 0.6)
    await console.window.keyboard.press('0')
  })

  test('the entry that the keys are at is in sight, however few the list has room for', async () => {
    const show = (height: number, zoom: number) =>
      console.app.evaluate(
        ({ BrowserWindow }, [pixels, factor]) => {
          const [window] = BrowserWindow.getAllWindows()
          window?.setContentSize(1440, pixels ?? 0)
          window?.webContents.setZoomFactor(factor ?? 1)
        },
        [height, zoom],
      )
    await show(700, 1.25)
    await until('a low window', () => console.window.evaluate(() => innerHeight < 600))
    await track().focus()
    await console.window.keyboard.press('Home')
    const inSight = () =>
      at('timeline-list')
        .locator('[aria-selected=true]')
        .evaluate((row) => {
          const [entry, list] = [row, row.closest('[role=grid], [role=table]') ?? document.body]
          const { top, bottom } = entry.getBoundingClientRect()
          const head = list.querySelector('[role=columnheader]')?.getBoundingClientRect().bottom ?? 0
          return top >= head - 2 && bottom <= list.getBoundingClientRect().bottom + 1
        })
    for (let entry = 0; entry < 6; entry++) {
      await until(`entry ${entry}`, inSight)
      await console.window.keyboard.press('ArrowRight')
    }
    for (let entry = 6; entry > 0; entry--) {
      await until(`entry ${entry} on the way back`, inSight)
      await console.window.keyboard.press('ArrowLeft')
    }
    await show(900, 1)
    await until('a high window', () => console.window.evaluate(() => innerHeight > 800))
  })

  test('a mark is clicked where it is drawn, and leads to the entry and its sources', async () => {
    await at('timeline-search').fill('echo hello')
    await until('one mark', async () => (await track().getAttribute('data-marks')) === '1')
    await at('timeline-fit').click()
    const box = (await track().boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    // Of the lane of commands: the only one with a mark, somewhere in the middle.
    const y = box.y + 24 + 14 + 6.5 * 24
    await until('the mark under the pointer', async () => {
      await console.window.mouse.move(box.x + box.width / 2 + Math.random(), y)
      return (await track().getAttribute('data-under')) !== null
    })
    await console.window.mouse.down()
    await console.window.mouse.up()
    await at('timeline-detail').getByRole('heading', { name: 'Ran echo hello' }).waitFor()
    await at('timeline-open-audit').click()
    const entry = console.window.getByRole('dialog')
    await entry.getByText('echo hello').waitFor()
    expect(await entry.innerText()).toContain('exec, entry')
    await console.window.keyboard.press('Escape')
    await go(machine.id, 'timeline')
    // It is where it was left.
    await at('timeline-detail').getByRole('heading', { name: 'Ran echo hello' }).waitFor()
    await at('timeline-open-logs').click()
    await at('logs-aimed').waitFor()
    await go(machine.id, 'timeline')
    await at('timeline-search').fill('')
  })

  test('a variable and a terminal lead to where they are', async () => {
    const terminal = await agent.client.open('terminal', { cols: 80, rows: 24 })
    await row('Opened a terminal').click()
    await at('timeline-open-terminal').click()
    await console.window.locator('[data-testid=terminal][data-phase=open]').waitFor()
    terminal.close()
    await go(machine.id, 'timeline')
    await row('Set GREETING').click()
    await at('timeline-open-env').click()
    await at('env-table').getByText('GREETING', { exact: true }).waitFor()
    // By keys as well: Enter opens the likeliest source of what is chosen.
    await go(machine.id, 'timeline')
    await row('Set GREETING').click()
    await track().focus()
    await console.window.keyboard.press('Enter')
    await console.window.getByRole('dialog').getByText('set_env, entry').waitFor()
    await console.window.keyboard.press('Escape')
    await go(machine.id, 'timeline')
  })

  test('an error leads to its message, a failed request to that request, also when nobody looked at the time', async () => {
    const marked = () => console.window.locator('[data-testid=console-row][data-aimed]')
    await go(machine.id, 'timeline')
    await row(/TypeError: cart is undefined/).click()
    await at('timeline-open-console').click()
    await marked().filter({ hasText: 'Uncaught TypeError: cart is undefined' }).waitFor()
    await go(machine.id, 'timeline')
    await row(/GET 503/).click()
    await at('timeline-open-network').click()
    await at('request-detail').getByText('/api/cart').first().waitFor()
    // What happened since the inspector was last open is in the machine's record only.
    await go(machine.id, 'timeline')
    await agent.client.call('browser.navigate', { url: `${site}/later` })
    await agent.client.call('browser.navigate', { url: `${site}/fine` })
    // Of a long list only what is in sight is there.
    await at('timeline-search').fill('later')
    await until('what came since', async () => {
      await at('timeline-fit').click()
      return (await row(/later is undefined/).count()) > 0
    })
    await row(/GET 503 .*api\/later/).click()
    await at('timeline-open-network').click()
    await at('request-detail').getByText('/api/later').first().waitFor()
    await go(machine.id, 'timeline')
    await row(/later is undefined/).click()
    await at('timeline-open-console').click()
    await marked().filter({ hasText: 'later is undefined' }).waitFor()
    expect(await marked().count()).toBe(1)
    await go(machine.id, 'timeline')
    await at('timeline-search').fill('')
  })

  test('nothing is in the way of a screen reader or of the keyboard', async () => {
    for (const theme of ['dark', 'light'] as const) {
      await invoke(console, 'settings.set', { theme })
      await console.window.locator(`html[data-theme=${theme}]`).waitFor()
      const axe = new AxeBuilder({ page: console.window }).include('[data-testid=timeline-tab]').setLegacyMode()
      // Only colours differ between the themes.
      const { violations } = await (theme === 'dark' ? axe : axe.withRules('color-contrast')).analyze()
      expect(violations.map(({ id, nodes }) => `${theme} ${id}: ${nodes[0]?.html}`)).toEqual([])
    }
  })

  test('a machine that is gone is read from what was last known, with its age', async () => {
    machine.cut('')
    await console.window
      .locator('[data-testid=timeline-tab] [data-testid=freshness][data-old]')
      .waitFor({ timeout: 40_000 })
    // Of a long list only what is in sight is there.
    await at('timeline-search').fill('echo hello')
    await row('Ran echo hello').waitFor()
    await console.window.reload()
    await go(machine.id, 'timeline')
    await at('timeline-fit').click()
    await at('timeline-search').fill('typeerror cart')
    await row(/TypeError: cart is undefined/).waitFor()
    await at('timeline-search').fill('had control')
    await row('Ada had control').click()
    await at('timeline-detail').getByText('The picture is on the machine').waitFor()
    machine.mend()
  }, 90_000)

  test('an agent without a timeline: what is missing is said, and what was heard is shown', async () => {
    const old = await startTestAgent()
    const line = await withoutTimeline(old.port)
    await old.client.call('exec.run', { command: 'echo long ago' })
    const other = await addMachine(console, { port: line.port, secret: old.secret }, 'old-1')
    try {
      await go(other.id, 'timeline')
      await at('timeline-limited').filter({ hasText: 'Update the agent' }).waitFor()
      await row('Ran echo long ago').waitFor()
    } finally {
      await other.stop()
      line.stop()
      await old.stop()
    }
  }, 60_000)
})

/** The way to an agent as if it were older: asked for its timeline, it knows no such call. */
async function withoutTimeline(to: number): Promise<{ port: number; stop(): void }> {
  const open = new Set<net.Socket>()
  const server = net.createServer((near) => {
    const far = net.connect(to, '127.0.0.1')
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => open.delete(socket))
    }
    near.on('data', (chunk: Buffer) => {
      far.write(Buffer.from(chunk.toString('latin1').replaceAll('GET /timeline', 'GET /timelin0'), 'latin1'))
    })
    near.on('end', () => far.end())
    far.pipe(near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    stop() {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}
