import { readFileSync } from 'node:fs'
import path from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { invoke } from './rigs/added-machine.ts'
import { type OpenedShop, openShop } from './rigs/opened-shop.ts'
import { until } from './rigs/until.ts'

/** The Inspector's tools on a real page; each test goes on where the one before ended. */
describe('the Inspector’s tools', () => {
  let opened: OpenedShop
  let console: OpenedShop['console']
  let agent: OpenedShop['agent']
  let machine: OpenedShop['machine']
  let site: string
  let at: OpenedShop['at']
  let lease: OpenedShop['lease']
  const panel = async (name: string) => {
    await at(`tab-${name}`).click()
    await at(`${name}-panel`).waitFor()
  }
  const chooseFile = async (name: string) => {
    const file = path.join(console.tempDir, name)
    await console.app.evaluate(({ dialog }, chosen) => {
      dialog.showSaveDialog = async () => ({ canceled: false, filePath: chosen })
    }, file)
    return file
  }
  const violations = async () =>
    (
      await new AxeBuilder({ page: console.window }).setLegacyMode().include('[data-testid=inspector]').analyze()
    ).violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)

  beforeAll(async () => {
    opened = await openShop()
    ;({ console, agent, machine, site, at, lease } = opened)
  }, 180_000)
  afterAll(async () => {
    await opened?.stop()
  })

  test('storage: cookies without their values, until one has control; then they are changed', async () => {
    await panel('storage')
    const table = at('cookies-table')
    await table.getByText('session').waitFor()
    expect(await table.textContent()).not.toContain('canary-cookie')
    expect(await at('cookie-add').getAttribute('aria-disabled')).toBe('true')
    // Hidden means that the window does not have it, not that it does not show it.
    const listed = await invoke(console, 'agent.call', { machineId: machine.id, call: 'cookies.list', params: {} })
    expect(JSON.stringify(listed)).not.toContain('canary-cookie')
    expect(await violations()).toEqual([])
    await lease('take')
    await table.getByText('canary-cookie').waitFor()
    await at('cookie-edit-session').click()
    await at('cookie-value').fill('changed-by-hand')
    await at('cookie-save').click()
    await table.getByText('changed-by-hand').waitFor()
    await at('cookie-add').click()
    await at('cookie-name').fill('second')
    await at('cookie-save').click()
    await table.getByText('second').waitFor()
    const { cookies } = await agent.client.call('cookies.list')
    expect(cookies).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'session', value: 'changed-by-hand', domain: '127.0.0.1', httpOnly: true }),
        expect.objectContaining({ name: 'second', value: '' }),
      ]),
    )
    await at('cookie-delete-second').click()
    await at('confirm').click()
    await until('it to be gone', async () => (await agent.client.call('cookies.list')).cookies.length === 1)
  })

  test('storage: what the page keeps is read and changed with control, and closed without', async () => {
    await at('storage-local').click()
    const table = at('storage-table')
    await table.getByText('lemons').waitFor()
    await at('entry-edit-basket').click()
    await at('entry-value').fill('limes <img src=x onerror=alert(1)>')
    await at('entry-save').click()
    await table.getByText('limes <img').waitFor()
    await at('entry-add').click()
    await at('entry-key').fill('hand')
    await at('entry-value').fill('made')
    await at('entry-save').click()
    await table.getByText('made').waitFor()
    await at('entry-delete-hand').click()
    await table.getByText('made').waitFor({ state: 'detached' })
    await at('storage-session').click()
    await table.getByText('step').waitFor()
    await at('storage-databases').click()
    await table.getByText('orders').waitFor()
    await at('storage-caches').click()
    await table.getByText('offline-v1').waitFor()
    expect(await violations()).toEqual([])
    await lease('giveBack')
    await console.window.getByText('Control shows what pages keep').waitFor()
  })

  test('capture: pictures, texts and files of the page, shown first and saved when said', async () => {
    await panel('capture')
    const choose = async (name: string, option: string) => {
      await console.window.getByRole('combobox', { name }).click()
      await console.window.getByRole('option', { name: option, exact: true }).click()
    }
    const text = () => at('capture-text').textContent()
    await at('capture').click()
    const picture = at('capture-picture')
    await until('the picture', () => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth > 0))
    expect(await picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(800)
    await choose('Format', 'JPEG')
    await at('capture-selector').fill('#offer')
    await at('capture').click()
    await until('the heading alone', () =>
      picture.evaluate((image) => {
        const { naturalHeight } = image as HTMLImageElement
        return naturalHeight > 0 && naturalHeight < 200
      }),
    )
    const jpeg = await chooseFile('heading.jpg')
    await at('capture-save').click()
    await console.window.getByText(jpeg).first().waitFor()
    expect([...readFileSync(jpeg).subarray(0, 2)]).toEqual([0xff, 0xd8])
    await at('capture-selector').fill('#nowhere')
    await at('capture').click()
    await console.window.getByTestId('problem').getByText('not-found').waitFor()
    await at('capture-selector').fill('')
    for (const [what, expected] of [
      ['HTML', '<h1 id="offer">'],
      ['Markdown', '# Ten lemons for the price of nine'],
      ['Links', `Next\t${site}/next`],
      ['Accessibility text', 'heading "Ten lemons for the price of nine"'],
    ] as const) {
      await choose('What to capture', what)
      await at('capture').click()
      await until(`the ${what}`, async () => (await text())?.includes(expected))
    }
    expect(await violations()).toEqual([])
    await choose('What to capture', 'PDF')
    await at('capture').click()
    await console.window.getByText(/^A PDF of/).waitFor()
    const pdf = await chooseFile('page.pdf')
    await at('capture-save').click()
    await console.window.getByText(pdf).first().waitFor()
    expect(readFileSync(pdf).subarray(0, 5).toString()).toBe('%PDF-')
  })

  test('recordings: made, played from the machine with seeking, saved, deleted', async () => {
    await panel('recordings')
    await at('recording-toggle').click()
    await at('recordings-table').getByText('Recording', { exact: true }).waitFor()
    await until('a few seconds of film', async () => {
      const [film] = (await agent.client.call('desktop.listRecordings')).recordings
      return (film?.durationMs ?? 0) > 3000
    })
    await at('recording-toggle').click()
    await at('recordings-table').getByText('Done').first().waitFor()
    await at('recording-play').click()
    const video = at('recording-video')
    const state = () =>
      video.evaluate((element) => {
        const { videoWidth, currentTime, duration, src } = element as HTMLVideoElement
        return { videoWidth, currentTime, duration, src }
      })
    await until('it to play', async () => (await state()).currentTime > 0.3)
    const { videoWidth, duration, src } = await state()
    expect(videoWidth).toBe(800)
    expect(src).toMatch(/^recording:\/\/film\/[0-9a-f-]{36}$/)
    /** What a film element says of an address; nothing else of a page may ask for one. */
    const played = (url: string) =>
      console.window.evaluate(async (from) => {
        const film = document.createElement('video')
        return new Promise<string>((resolve) => {
          film.onloadedmetadata = () => resolve('played')
          film.onerror = () => resolve('refused')
          film.src = from
        })
      }, url)
    expect(await played(src)).toBe('played')
    const answer = () => console.app.evaluate(async ({ net }, url) => (await net.fetch(url)).status, src)
    expect(await answer()).toBe(200)
    const sought = await video.evaluate(async (element, to) => {
      const film = element as HTMLVideoElement
      film.pause()
      film.currentTime = to
      await new Promise((resolve) => film.addEventListener('seeked', resolve, { once: true }))
      return film.currentTime
    }, duration - 0.5)
    expect(sought).toBeCloseTo(duration - 0.5, 1)
    await video.evaluate((element) => {
      const film = element as HTMLVideoElement
      film.currentTime = 0.2
      void film.play()
    })
    await until('it to play on from there', async () => {
      const { currentTime } = await state()
      return currentTime > 0.4 && currentTime < duration - 0.6
    })
    expect(await violations()).toEqual([])
    // From the timeline it is found again, whichever panel was open last.
    await panel('storage')
    await at('tab-timeline').click()
    await at('timeline-search').fill('record')
    await at('timeline-list').locator('[data-row]').filter({ hasText: 'Record' }).first().click()
    await at('timeline-open-recordings').click()
    await until('that film to play', async () => (await state()).currentTime > 0)
    const [film] = (await agent.client.call('desktop.listRecordings')).recordings
    const file = await chooseFile('film.mp4')
    await at('recording-save').click()
    await console.window.getByText(file).first().waitFor()
    expect(readFileSync(file).length).toBe(film?.sizeBytes)
    await at('recording-delete').click()
    await at('confirm').click()
    await console.window.getByText('No recordings').waitFor()
    expect(await answer()).toBe(404)
    expect(await played(new URL('/00000000-0000-4000-8000-000000000000', src).href)).toBe('refused')
  })

  test('diagnostics: what runs, and who is connected, whom one can cut', async () => {
    await panel('diagnostics')
    await at('processes').getByText('chromium').first().waitFor()
    const { processes } = await agent.client.call('browser.status')
    for (const { pid } of processes) await at('processes').getByText(String(pid), { exact: true }).waitFor()
    await at('cdp-clients').getByText('Watches').first().waitFor()
    expect(await violations()).toEqual([])
    const before = (await agent.client.call('cdp.clients')).clients[0]?.id
    await at('cdp-cut').first().click()
    await at('confirm').click()
    await until('it to have been cut', async () => (await agent.client.call('cdp.clients')).clients[0]?.id !== before)
  })

  test('contexts: made, started with, refused in use, deleted by name; and the panels stay of use without a browser', async () => {
    await panel('contexts')
    await at('context-name').fill('fresh <b>one</b>')
    await at('context-create').click()
    const name = 'fresh <b>one</b>'
    const table = at('contexts-table')
    await table.getByText(name).waitFor()
    await at('context-delete-fresh <b>one</b>').waitFor()
    expect(await violations()).toEqual([])
    const made = (await agent.client.call('contexts.list')).contexts.find((one) => one.name === name)
    await at(`context-start-${name}`).click()
    await at('confirm').click()
    await until('the browser with it', async () => {
      const { state, contextId } = await agent.client.call('browser.status')
      return state === 'active' && contextId === made?.id
    })
    await table.getByText('In use').waitFor()
    expect(await at(`context-delete-${name}`).getAttribute('aria-disabled')).toBe('true')
    await agent.client.call('browser.stop')
    await until(
      'it to be free',
      async () => (await at(`context-delete-${name}`).getAttribute('aria-disabled')) === null,
    )
    await panel('diagnostics')
    await at('diagnostics-panel').getByText('Off', { exact: true }).waitFor()
    await panel('contexts')
    await at(`context-delete-${name}`).click()
    await at('confirm-name').fill(name)
    await at('confirm').click()
    await until('it to be gone', async () => {
      return !(await agent.client.call('contexts.list')).contexts.some(({ id }) => id === made?.id)
    })
  })
})
