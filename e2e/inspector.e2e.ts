import { AxeBuilder } from '@axe-core/playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CdpPage, chromiumAddress, findPage } from './rigs/cdp-page.ts'
import { type OpenedBrowser, openBrowser } from './rigs/opened-browser.ts'
import { answerAsShop } from './rigs/shop.ts'
import { until } from './rigs/until.ts'

/** The inspector on a real page; each test goes on where the one before ended. */
describe('the inspector', () => {
  let opened: OpenedBrowser
  let console: OpenedBrowser['console']
  let agent: OpenedBrowser['agent']
  let machine: OpenedBrowser['machine']
  let site: string
  let page: CdpPage
  let at: OpenedBrowser['at']
  const panel = async (name: string) => {
    await at(`tab-${name}`).click()
    await at(`${name}-panel`).waitFor()
  }
  const rows = (level: string) => console.window.locator(`[data-testid=console-row][data-level=${level}]`)
  const phase = (state: string) => console.window.locator(`[data-testid=inspector][data-phase=${state}]`).waitFor()
  const treeRow = (text: string) => at('dom-tree').getByRole('treeitem').filter({ hasText: text }).first()

  /** What the page answers to this. */
  const evaluated = async (expression: string) => {
    await panel('evaluate')
    await at('evaluate-input').fill(expression)
    await at('evaluate-input').press('Enter')
    const answer = at('evaluation').last().filter({ hasText: expression }).getByTestId('evaluation-answer')
    return until('an answer', async () => ((await answer.textContent()) ?? '').replace(/^running.*/, '') || undefined)
  }

  beforeAll(async () => {
    opened = await openBrowser({ answer: answerAsShop, tab: 'inspector' })
    ;({ console, agent, machine, site, at } = opened)
    await phase('open')
    page = await until('the page over CDP', () => findPage(chromiumAddress(agent.dataDir), () => true))
  }, 180_000)
  afterAll(async () => {
    page?.close()
    await opened?.stop()
  })

  test('the console shows what the page says, by level, as it says it', async () => {
    await page.evaluate(`location.href = '${site}/shop'`)
    await at('console-mark')
      .filter({ hasText: `Navigated to ${site}/shop` })
      .waitFor()
    await rows('warn').filter({ hasText: 'careful' }).waitFor()
    await rows('info').filter({ hasText: 'for your information' }).waitFor()
    await rows('debug').filter({ hasText: 'in detail' }).waitFor()
    await rows('error').filter({ hasText: 'Uncaught TypeError: nobody caught this' }).waitFor()
    await rows('error').filter({ hasText: '404' }).filter({ hasText: 'missing' }).waitFor()
    expect(await rows('error').filter({ hasText: 'bad false' }).getByTestId('console-count').textContent()).toBe('7')
    expect(await rows('warn').filter({ hasText: 'careful' }).textContent()).toMatch(/shop:\d+/)
    await at('console-level-error').click()
    expect(await rows('error').count()).toBe(0)
    await at('console-level-error').click()
    await at('console-filter').fill('CAREFUL')
    await until('the filter', async () => (await at('console-row').count()) === 1)
    await at('console-filter').fill('')
  })

  test('an object is opened by someone who only looks, and none of its code runs', async () => {
    const object = rows('log').filter({ hasText: 'plain words' }).getByTestId('object').first()
    await object.click()
    await at('object')
      .filter({ hasText: /^deep:/ })
      .click()
    await console.window.getByText('"two"', { exact: true }).waitFor()
    await console.window.getByText('getter', { exact: true }).waitFor()
    expect(await page.evaluate('globalThis.trapped ?? null')).toBeNull()
    // A list that would take the page down to describe is not read at all.
    await page.evaluate(`console.log('very long', new Array(1e6).fill(7))`)
    await rows('log').filter({ hasText: 'very long' }).getByTestId('object').click()
    await console.window.getByText('1,000,000 elements').waitFor()
    expect(await page.evaluate('1 + 1')).toBe(2)
  })

  test('a request is there with its status, size and time, and opens into its headers, body and phases', async () => {
    await panel('network')
    const request = at('network-table').getByRole('row').filter({ hasText: 'order.json?id=7' })
    await request.waitFor()
    await until('the request to be over', async () => /200.*\d+ B.*ms/.test((await request.textContent()) ?? ''))
    await at('network-table').getByRole('row').filter({ hasText: 'missing' }).filter({ hasText: '404' }).waitFor()
    await request.click()
    const detail = at('request-detail')
    await detail.getByText('x-trace').waitFor()
    expect(await detail.textContent()).not.toContain('canary-cookie')
    await detail.getByText('Copy as cURL').click()
    const copied = await until('the command', () => console.app.evaluate(({ clipboard }) => clipboard.readText()))
    expect(copied).toMatch(/^curl 'http:\/\/127\.0\.0\.1:\d+\/api\/order\.json\?id=7'/)
    expect(copied).toContain("-H 'x-trace: abc'")
    await detail.getByTestId('tab-response').click()
    await at('response-body').filter({ hasText: '"tea"' }).waitFor()
    await detail.getByTestId('tab-timing').click()
    await at('timing').filter({ hasText: 'Waiting for the answer' }).waitFor()
    await at('network-filter').fill('/order\\.json\\?id=\\d$/')
    await until('the pattern', async () => (await at('network-table').locator('[data-row]').count()) === 1)
    await at('network-filter').fill('/(/')
    await at('network-sum').getByRole('alert').waitFor()
    await at('network-filter').fill('')
    await at('detail-close').click()
  })

  test('what streams say is there as it comes, pictures are drawn, and a frame that leaves leaves nothing pending', async () => {
    const only = async (part: string) => {
      await at('network-filter').fill(part)
      const row = at('network-table').locator('[data-row]').filter({ hasText: part })
      await row.first().click()
      return row.first()
    }
    await page.evaluate(`(() => { globalThis.news = new EventSource('/news'); near.contentWindow.fetch('/silent').catch(() => {})
      fetch('/sent-on').then((answer) => answer.text()); new Image().src = '/dot.png' })()`)
    await only('news')
    const detail = at('request-detail')
    await detail.getByTestId('tab-messages').click()
    await at('messages-table').locator('[data-row]').filter({ hasText: 'price' }).click()
    expect(await at('message').textContent()).toContain('"tea": 12')
    // Back by keys, one step at a time, to the list that it came from.
    await console.window.keyboard.press('Escape')
    await at('message').waitFor({ state: 'detached' })
    await console.window.keyboard.press('Escape')
    await detail.waitFor({ state: 'detached' })
    expect(await at('network-table').evaluate((table) => table === document.activeElement)).toBe(true)
    await only('dot.png')
    await detail.getByTestId('tab-response').click()
    await detail.getByText('1 × 1').waitFor()
    await only('sent-on')
    await detail.getByText('The page was sent on to').waitFor()
    await at('detail-close').click()
    const silent = await only('silent')
    await until('it to wait', async () => /pending/.test((await silent.textContent()) ?? ''))
    await at('detail-close').click()
    await page.evaluate('near.contentWindow.location.reload()')
    await until('it to be given up', async () => {
      const text = (await silent.textContent()) ?? ''
      return /ERR_ABORTED|cancelled|not known/.test(text) && !text.includes('pending')
    })
    await at('network-filter').fill('')
  })

  test('the tree has shadow roots and frames, and what is pointed at is marked on the live page', async () => {
    await panel('elements')
    await treeRow('id="mark"').waitFor()
    // A frame of another site runs in a process of its own, and still hangs where it is shown.
    await treeRow('id="far"').and(console.window.locator('[aria-expanded]')).waitFor()
    const before = await display()
    await treeRow('id="mark"').hover()
    // On the machine's own display, not only in the console's picture of it.
    const marked = await until('the mark on the display', async () => {
      const now = await display()
      return now === before ? undefined : now
    })
    await at('console-filter').or(at('tab-elements')).first().hover()
    await until('the mark to be gone', async () => (await display()) !== marked)
    await at('dom-search').fill('em')
    await treeRow('<em>in the shadow').waitFor()
    await console.window.getByText('#shadow-root (open)').waitFor()
    await at('dom-search').fill('#far')
    await treeRow('id="far"').and(console.window.locator('[aria-selected=true]')).waitFor()
    await at('dom-search').fill('')
    await at('dom-tree').focus()
    await until('the other document', async () => {
      await console.window.keyboard.press('ArrowRight')
      return treeRow(`#document ${site.replace('127.0.0.1', 'localhost')}/inner`).isVisible()
    })
    await at('dom-search').fill('.price')
    await treeRow('class="price"').and(console.window.locator('[aria-selected=true]')).waitFor()
    expect(await at('node-selector').textContent()).toBe('#mark > span')
    await at('box-size')
      .filter({ hasText: /\d × \d/ })
      .waitFor()
    await at('view-ax').click()
    const button = at('ax-tree').getByRole('treeitem').filter({ hasText: 'button "Like" pressed' })
    await button.waitFor()
    await at('ax-tree').getByRole('treeitem').filter({ hasText: 'Iframe "far"' }).click()
    await console.window.keyboard.press('ArrowRight')
    await at('ax-tree').getByRole('treeitem').filter({ hasText: 'StaticText "inside a frame"' }).waitFor()
  })

  test('a mark goes with the connection that made it', async () => {
    await at('tab-elements').hover()
    const before = await display()
    await at('ax-tree').getByRole('treeitem').filter({ hasText: 'button "Like" pressed' }).hover()
    const marked = await until('the mark on the display', async () => {
      const now = await display()
      return now === before ? undefined : now
    })
    machine.cut('/devtools/page/')
    await until('the mark to be gone', async () => (await display()) !== marked)
    machine.mend()
    await phase('open')
  })

  const display = async () => {
    const { bytes } = await agent.client.call('desktop.screenshot', {})
    return Buffer.from(bytes).toString('base64')
  }

  test('who only looks cannot go anywhere, run anything or change a node', async () => {
    expect(await at('inspector-url').getAttribute('readonly')).not.toBeNull()
    expect(await at('inspector-back').getAttribute('aria-label')).toBe('Back: take over first')
    for (const id of ['inspector-back', 'inspector-reload', 'inspector-new-tab'])
      expect(await at(id).getAttribute('aria-disabled')).toBe('true')
    await panel('evaluate')
    expect(await at('evaluate-input').getAttribute('readonly')).not.toBeNull()
    await console.window.getByText('Running code in the page needs control').waitFor()
    // Nor past the buttons: what a window sends itself is refused where the page is.
    const refused = await console.window.evaluate(async (machineId) => {
      const tabs = await window.pilothouse.invoke('agent.call', { machineId, call: 'tabs.list', params: {} })
      const id = (tabs as { value: { tabs: { id: string }[] } }).value.tabs[0]?.id
      const open = (role: string) =>
        window.pilothouse.invoke('stream.open', { machineId, socket: 'cdpPage', params: { targetId: id, role } })
      return open('controller')
    }, machine.id)
    expect(refused).toMatchObject({ ok: false, problem: { code: 'lease-gone' } })
  })

  test('with control code runs, its errors have a stack, and what was run comes back by arrow', async () => {
    await at('inspector-take-over').filter({ visible: true }).first().click()
    const input = at('evaluate-input')
    await until('the field to be open', async () => (await input.getAttribute('readonly')) === null)
    await input.fill('Array.from({ length: 1200 }, (_, place) => "number " + place)')
    await input.press('Enter')
    const long = at('evaluation').last().filter({ hasText: '(1200)' })
    await long.getByTestId('object').first().click()
    await long.getByText('number 499').last().waitFor()
    for (const left of ['500 more of 702', '202 more of 202']) await long.getByText(`Show ${left}`).click()
    await long.getByText('number 1199').last().waitFor()
    expect(await long.getByTestId('object-more').count()).toBe(0)
    await input.fill('({ title: document.title, list: [1, 2, 3] })')
    await input.press('Enter')
    const answer = at('evaluation').last()
    await answer.getByTestId('object').first().click()
    await answer.getByText('list').last().waitFor()
    await input.fill('const f = () => {\n  throw new RangeError("too far")\n}\nf()')
    await input.press('Enter')
    await at('evaluation').last().filter({ hasText: 'Uncaught RangeError: too far' }).getByTestId('stack').click()
    await at('evaluation').last().locator('li').filter({ hasText: 'f' }).first().waitFor()
    await input.press('ArrowUp')
    await input.press('Control+Home')
    await input.press('ArrowUp')
    expect(await input.inputValue()).toContain('document.title, list')
    // A dialog holds up the page and whatever was asked of it: it is answered here.
    await input.fill('{ who: prompt("Who are you?", "nobody") }')
    await input.press('Enter')
    await at('page-dialog').getByText('Who are you?').waitFor()
    await at('page-dialog-text').fill('Ada')
    await at('page-dialog-text').press('Enter')
    await at('evaluation').last().filter({ hasText: '{who: "Ada"}' }).waitFor()
    await at('page-dialog').waitFor({ state: 'detached' })
    await input.fill('')
  })

  test('code that never ends is stopped, and what waits for ever is no longer waited for; the page goes on', async () => {
    const input = at('evaluate-input')
    await input.fill(
      'await new Promise(() => { setInterval(() => { globalThis.goesOn = (globalThis.goesOn ?? 0) + 1 }, 50) })',
    )
    await input.press('Enter')
    await at('evaluate-stop').click()
    await at('evaluation').last().filter({ hasText: 'No longer waited for' }).waitFor()
    await input.fill('while (true);')
    await input.press('Enter')
    await at('evaluate-stop').click()
    await at('evaluation').last().filter({ hasText: 'Stopped' }).waitFor()
    const goesOn = () => page.evaluate<number>('globalThis.goesOn')
    const before = await goesOn()
    await until('the page to go on', async () => (await goesOn()) > before)
  })

  test('with control an attribute is changed and a node deleted, in the page itself', async () => {
    await panel('elements')
    await treeRow('id="mark"').click()
    expect(await evaluated('$0.id + " is chosen"')).toContain('"mark is chosen"')
    await panel('elements')
    await at('edit-data-kind').click()
    await at('edit-data-kind-field').fill('changed')
    await at('edit-data-kind-field').press('Enter')
    await until('the attribute', () => page.evaluate<boolean>(`mark.dataset.kind === 'changed'`))
    await treeRow('data-kind="changed"').click()
    await at('node-delete').click()
    await until('the node to be gone', () => page.evaluate<boolean>(`document.getElementById('mark') === null`))
    await until('the tree to say so', async () => (await treeRow('id="mark"').count()) === 0)
    expect(await evaluated('"a".replace("a", "$0 stays")')).toContain('$0 stays')
    await panel('elements')
  })

  test('a node in a frame of another site is marked and changed like any other', async () => {
    const far = await until('the frame over CDP', () =>
      findPage(chromiumAddress(agent.dataDir), (url) => url.startsWith('http://localhost'), 'iframe'),
    )
    await at('dom-search').fill('#inner')
    // The near frame has such a node too, and comes first.
    await console.window.getByText('1 of 2', { exact: true }).waitFor()
    await at('dom-search').press('Enter')
    await console.window.getByText('2 of 2', { exact: true }).waitFor()
    const node = at('dom-tree').locator('[role=treeitem][aria-selected=true]').filter({ hasText: 'id="inner"' })
    await at('tab-elements').hover()
    const before = await display()
    await node.hover()
    await until('the mark on the display', async () => (await display()) !== before)
    await node.click()
    expect(await evaluated('$0.localName')).toContain('stands in a frame of another site')
    await panel('elements')
    await at('edit-id').click()
    await at('edit-id-field').fill('renamed')
    await at('edit-id-field').press('Enter')
    await until('the attribute', () => far.evaluate<boolean>(`document.getElementById('renamed') !== null`))
    await at('dom-tree').getByRole('treeitem').filter({ hasText: 'id="renamed"' }).click()
    await at('edit-text').click()
    await at('edit-text-field').fill('changed from outside')
    await at('edit-text-field').press('Enter')
    await until('the text', () => far.evaluate<boolean>(`renamed.textContent === 'changed from outside'`))
    await at('dom-tree').getByRole('treeitem').filter({ hasText: 'changed from outside' }).click()
    await at('node-delete').click()
    await until('the node to be gone', () => far.evaluate<boolean>(`document.getElementById('renamed') === null`))
    await panel('storage')
    await at('storage-local').last().click()
    await at('storage-table').getByText('localhost').waitFor()
    await at('entry-edit-at').click()
    await at('entry-value').fill('kept by hand')
    await at('entry-save').click()
    await until('the value', () => far.evaluate<boolean>(`localStorage.getItem('at') === 'kept by hand'`))
    await panel('elements')
    far.close()
  })

  test('the address bar leads to another page, and the console keeps what was said before', async () => {
    await at('inspector-url').focus()
    await at('inspector-url').fill(`${site}/second`)
    await at('inspector-url').press('Enter')
    await until('the page', async () => (await page.evaluate<string>('document.title')) === 'Second')
    await panel('console')
    await at('console-mark').filter({ hasText: '/second' }).waitFor()
    await rows('warn').filter({ hasText: 'careful' }).waitFor()
    await at('inspector-url').focus()
    await at('inspector-url').fill(`${site}/silent`)
    await at('inspector-url').press('Enter')
    await at('inspector-stop').click()
    await at('inspector-reload').waitFor()
    expect(await console.window.getByText('Going there failed').count()).toBe(0)
    await at('inspector-back').click()
    await until('the page before', () => page.evaluate<boolean>(`location.pathname === '/shop'`))
    await at('inspector-new-tab').click()
    await until('the new tab to be looked at', async () => (await at('inspector-url').inputValue()) === 'about:blank')
    expect(await at('inspector-tab').count()).toBe(2)
    await at('inspector-tab').filter({ hasText: 'Shop' }).click()
    await until('the first tab again', async () => (await at('inspector-url').inputValue()) === `${site}/shop`)
    await phase('open')
  })

  test('a line that breaks is taken up again by itself, with what was there', async () => {
    machine.cut('/devtools/page/')
    await phase('lost')
    await rows('warn').filter({ hasText: 'careful' }).first().waitFor()
    machine.mend()
    await phase('open')
    await page.evaluate(`console.log('after the cut')`)
    await rows('log').filter({ hasText: 'after the cut' }).waitFor()
    expect(await rows('warn').filter({ hasText: 'careful' }).count()).toBe(2)
  })

  test('ten thousand nodes and a thousand requests are drawn as far as they are in sight', async () => {
    await page.evaluate(`location.href = '${site}/large'`)
    await panel('network')
    await until(
      'all requests',
      async () => /\b1\d{3} requests/.test((await at('network-sum').textContent()) ?? ''),
      30_000,
    )
    expect(await at('network-table').locator('[data-row]').count()).toBeLessThan(80)
    await panel('elements')
    await at('dom-search').fill('#list')
    await treeRow('id="list"').and(console.window.locator('[aria-selected=true]')).waitFor()
    await at('dom-tree').focus()
    await console.window.keyboard.press('ArrowRight')
    await treeRow('class="row"').waitFor()
    await console.window.keyboard.press('End')
    await until('the end of the tree', async () => (await at('dom-tree').evaluate((tree) => tree.scrollTop)) > 50_000)
    expect(await at('dom-tree').getByRole('treeitem').count()).toBeLessThan(120)
  })

  test('nothing of a page runs in the console, and every panel can be used by everyone', async () => {
    await page.evaluate(`location.href = '${site}/shop'`)
    for (const name of ['console', 'network', 'elements', 'evaluate']) {
      await panel(name)
      const { violations } = await new AxeBuilder({ page: console.window })
        .setLegacyMode()
        .include('[data-testid=inspector]')
        .analyze()
      expect(violations.map(({ id, nodes }) => `${name}: ${id} ${nodes[0]?.html}`)).toEqual([])
    }
    expect(await console.window.evaluate(() => (globalThis as { ran?: number }).ran ?? null)).toBeNull()
  })

  test('a browser that ends leaves a panel with the way on, and one that starts is looked into', async () => {
    await agent.client.call('browser.stop', {})
    await at('state-panel').waitFor()
    // Nothing is offered that could not be done.
    for (const id of ['inspector-take-over', 'inspector-new-tab']) expect(await at(id).count()).toBe(0)
    await at('panel-start-browser').click()
    await phase('open')
    await at('state-panel').waitFor({ state: 'detached' })
  })
})
