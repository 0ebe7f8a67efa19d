import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AddedMachine, addMachine } from './rigs/added-machine.ts'
import { startTestAgent, type TestAgent } from './rigs/agent.ts'
import { startConsole, type TestConsole } from './rigs/electron.ts'
import { freshFolder } from './rigs/folder.ts'
import { type Keychain, startKeychain } from './rigs/keychain.ts'
import { until } from './rigs/until.ts'

/** Windows that are gone, and the shells that outlive them; each test goes on where the one before ended. */
describe('shells of a window that is gone', () => {
  const { folder, remove } = freshFolder('killed')
  const userData = path.join(folder, 'data')
  let agent: TestAgent
  let keychain: Keychain
  let console: TestConsole
  let machine: AddedMachine
  const start = () => startConsole({ userData, env: keychain.env })
  const look = (hash: string) =>
    console.window.evaluate((hash) => {
      window.location.hash = hash
    }, hash)
  const open = async () => {
    await look(`#/machine/${machine.id}/terminal`)
    await console.window.locator('[data-testid=terminal][data-phase=open]').first().waitFor()
  }
  const panes = () => console.window.getByTestId('terminal')
  const into = (place: number) => panes().nth(place).locator('.xterm-screen').click()
  const say = async (text: string) => {
    await console.window.keyboard.insertText(text)
    await console.window.keyboard.press('Enter')
  }
  const written = (name: string) =>
    until(`${name} to be written`, () => {
      const file = path.join(folder, name)
      const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''
      return text.endsWith('\n') && text
    })
  const tabs = () => console.window.getByRole('navigation', { name: 'Terminals of shells' }).locator('button[title]')

  beforeAll(async () => {
    fs.mkdirSync(userData, { mode: 0o700 })
    agent = await startTestAgent({ PILOTHOUSE_SHELL: '/bin/sh' })
    keychain = await startKeychain()
    console = await start()
    machine = await addMachine(console, { port: agent.port, secret: agent.secret }, 'shells')
  }, 120_000)
  afterAll(async () => {
    await console?.stop()
    await machine?.stop()
    await agent?.stop()
    await keychain?.stop()
    remove()
  })

  test('a console that is killed finds all its shells again at the next start, the one opened a moment before as well', async () => {
    await open()
    await into(0)
    // Goes on in the shell that nobody will look at, with more than is sent to one who does not say that it came.
    const flood = `until [ -e ${folder}/now ]; do sleep 0.1; done; seq 400000; echo flooded > ${folder}/flooded`
    await say(`kept=first; echo "$kept $$" > ${folder}/first; ${flood}`)
    const first = await written('first')
    await console.window.getByTestId('terminal-new').click()
    await open()
    await into(0)
    await say(`kept=still-here; echo "$kept $$" > ${folder}/before`)
    const before = await written('before')
    process.kill(console.pid, 'SIGKILL')
    await console.stop()
    console = await start()
    await open()
    await into(0)
    await say(`echo "$kept $$" > ${folder}/after; stty size > ${folder}/size`)
    expect(await written('after')).toBe(before)
    const size = await written('size')
    expect(await console.window.getByTestId('terminal').count()).toBe(1)
    // The other is attached as well, unseen, and no other window can take it.
    await until('both', async () => (await tabs().locator('[data-phase=open]').count()) === 2)
    const held = await console.window.evaluate(async () =>
      (await navigator.locks.query()).held?.map(({ name }) => name),
    )
    expect(held?.filter((name) => name?.startsWith('pilothouse.shell.'))).toHaveLength(2)
    fs.writeFileSync(path.join(folder, 'now'), '')
    await written('flooded')
    await tabs().first().click()
    await say(`echo "$kept $$" > ${folder}/first-after; stty size > ${folder}/first-size`)
    expect(await written('first-after')).toBe(first)
    expect(await written('first-size')).toBe(size)
    // Told in words, the picture can be read here.
    await console.window.evaluate(() => window.pilothouse.invoke('settings.set', { screenReader: true }))
    await until('what it showed', async () =>
      (await console.window.locator('.xterm-accessibility-tree').innerText()).includes('400000'),
    )
  }, 120_000)

  test('shells that stood side by side do so again, divided as they were; where one is gone the rest closes up', async () => {
    // Told in words, a terminal takes single keys only.
    await console.window.evaluate(() => window.pilothouse.invoke('settings.set', { screenReader: false }))
    await tabs().last().click()
    await console.window.getByTestId('terminal-split-right').click()
    await console.window.locator('[data-testid=terminal][data-phase=open]').nth(1).waitFor()
    await console.window.getByTestId('terminal-split-down').click()
    await console.window.locator('[data-testid=terminal][data-phase=open]').nth(2).waitFor()
    const lines = console.window.getByRole('separator', { name: 'Move the line between the panes' })
    await lines.first().focus()
    for (let press = 0; press < 5; press++) await console.window.keyboard.press('ArrowRight')
    for (const place of [0, 1, 2]) {
      await into(place)
      await say(`echo $$ > ${folder}/pane-${place}`)
      await written(`pane-${place}`)
    }
    const stood = () =>
      lines.evaluateAll((all) =>
        all.map((line) => [line.getAttribute('aria-orientation'), line.getAttribute('aria-valuenow')]),
      )
    const before = await stood()
    expect(before).toEqual([
      ['vertical', '70'],
      ['horizontal', '50'],
    ])
    await console.window.reload()
    await until('three panes', async () => (await panes().count()) === 3)
    await console.window.locator('[data-testid=terminal][data-phase=open]').nth(2).waitFor()
    expect([await stood(), await tabs().count()]).toEqual([before, 2])
    for (const place of [0, 1, 2]) {
      await into(place)
      await say(`echo $$ > ${folder}/again-${place}`)
      expect(await written(`again-${place}`)).toBe(await written(`pane-${place}`))
    }
    await into(1)
    await look('#/fleet')
    const middle = await focusedShell()
    await console.window.reload()
    const shell = await agent.client.open('terminal', { id: middle, received: 0, cols: 80, rows: 24 })
    shell.send({ type: 'close' })
    await shell.closed
    await open()
    await until('two panes', async () => (await panes().count()) === 2)
    expect([await stood(), await tabs().count()]).toEqual([[['vertical', '70']], 2])
  }, 120_000)

  /** The shell that had the keyboard, as the window has noted it. */
  const focusedShell = () =>
    until('it to be noted', () =>
      console.window.evaluate(() => {
        const kept = JSON.parse(localStorage.getItem('pilothouse.shell-tabs') ?? '[]') as {
          front: string
          tabs: { focused: string; layout: { second?: { first?: { id: string } } } }[]
        }[]
        const { front = '', tabs = [] } = kept.at(-1) ?? {}
        return tabs.some(({ layout }) => layout.second?.first?.id === front) ? front : undefined
      }),
    )
})
