import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { addMachine } from './rigs/added-machine.ts'
import { startTestAgent } from './rigs/agent.ts'
import { startConsole } from './rigs/electron.ts'
import { freshFolder } from './rigs/folder.ts'
import { startKeychain } from './rigs/keychain.ts'
import { until } from './rigs/until.ts'

test('a console that is killed finds all its shells again at the next start, the one opened a moment before as well', async () => {
  const { folder, remove } = freshFolder('killed')
  const userData = path.join(folder, 'data')
  fs.mkdirSync(userData, { mode: 0o700 })
  const agent = await startTestAgent({ PILOTHOUSE_SHELL: '/bin/sh' })
  const keychain = await startKeychain()
  const start = () => startConsole({ userData, env: keychain.env })
  let console = await start()
  try {
    const machine = await addMachine(console, { port: agent.port, secret: agent.secret }, 'shells')
    const open = async () => {
      await console.window.evaluate((hash) => {
        window.location.hash = hash
      }, `#/machine/${machine.id}/terminal`)
      await console.window.locator('[data-testid=terminal][data-phase=open]').waitFor()
      await console.window.locator('[data-testid=terminal] .xterm-screen').click()
    }
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
    await open()
    // Goes on in the shell that nobody will look at, with more than is sent to one who does not say that it came.
    const flood = `until [ -e ${folder}/now ]; do sleep 0.1; done; seq 400000; echo flooded > ${folder}/flooded`
    await say(`kept=first; echo "$kept $$" > ${folder}/first; ${flood}`)
    const first = await written('first')
    await console.window.getByTestId('terminal-new').click()
    await open()
    await say(`kept=still-here; echo "$kept $$" > ${folder}/before`)
    const before = await written('before')
    process.kill(console.pid, 'SIGKILL')
    await console.stop()
    console = await start()
    await open()
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
    await machine.stop()
  } finally {
    await console.stop()
    await agent.stop()
    await keychain.stop()
    remove()
  }
}, 120_000)
