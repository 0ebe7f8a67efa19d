import fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Shells, startShells } from './rigs/shells.ts'
import { noSshTerminal } from './rigs/sshd.ts'
import { until } from './rigs/until.ts'

/** Shells on a machine, as a person uses them: each test goes on where the one before ended. */
describe('terminals', () => {
  let shells: Shells
  let console: Shells['console']
  let agent: Shells['agent']
  let line: Shells['line']
  let behindSsh: Shells['behindSsh']
  let ids: Shells['ids']
  let at: Shells['at']
  let file: Shells['file']
  let written: Shells['written']
  let go: Shells['go']
  let shown: Shells['shown']
  let open: Shells['open']
  let type: Shells['type']

  beforeAll(async () => {
    shells = await startShells()
    ;({ console, agent, line, behindSsh, ids, at, file, written, go, shown, open, type } = shells)
  }, 180_000)
  afterAll(async () => {
    await shells?.stop()
  })

  test('a shell is there at once, takes keys that would otherwise be the console’s, and shows what it says', async () => {
    await go('shells', 'overview')
    // Keys are for what is on screen.
    await at('overview').waitFor()
    await console.window.keyboard.press('m')
    await console.window.keyboard.press('t')
    await open()
    await type(`echo one-$((40 + 2)) > ${file('one')}; echo seen-$((6 * 7))`)
    expect(await written('one')).toBe('one-42\n')
    await until('the output', async () => (await shown()).includes('seen-42'))
    // Ctrl+K is the shell's here: the palette stays away. Ctrl+C ends what runs.
    await console.window.keyboard.press('Control+k')
    await type('sleep 1000')
    await console.window.keyboard.press('Control+c')
    await type(`echo back > ${file('back')}`)
    await written('back')
    expect(await console.window.getByRole('dialog').count()).toBe(0)
  })

  test('the shell knows how large the window is, and learns when it changes', async () => {
    const size = async (name: string) => {
      await type(`stty size > ${file(name)}`)
      return (await written(name)).trim().split(' ').map(Number)
    }
    const before = await size('size1')
    await console.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setContentSize(1024, 700))
    let place = 0
    const after = await until('another size', async () => {
      const found = await size(`size2-${place++}`)
      return found[1] !== before[1] && found
    })
    expect(after[0]).toBeLessThan(before[0] ?? 0)
    expect(after[1]).toBeLessThan(before[1] ?? 0)
    await console.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setContentSize(1440, 900))
  })

  test('text is found', async () => {
    await type('clear; for i in 1 2 3; do echo needle-$i; done')
    await until('the output', async () => (await shown()).includes('needle-3'))
    await console.window.keyboard.press('Control+Shift+f')
    await at('terminal-find-text').fill('NEEDLE-')
    await until('three', async () => /of 3$/.test(await at('terminal-found').innerText()))
    await at('terminal-find-text').press('Enter')
    await at('terminal-find-text').press('Escape')
    await at('terminal-find-text').waitFor({ state: 'detached' })
  })

  test('what is selected is copied by choice, wherever the button is let go', async () => {
    await type('clear; echo selected-$((40 + 2))')
    await until('the output', async () => (await shown()).includes('selected-42'))
    await console.window.evaluate(() => window.pilothouse.invoke('settings.set', { copyOnSelect: true }))
    await console.app.evaluate(({ clipboard }) => clipboard.writeText('before'))
    const screen = await at('terminal').locator('.xterm-screen').boundingBox()
    const [x, y] = [screen?.x ?? 0, (screen?.y ?? 0) + 8]
    await console.window.mouse.move(x + 2, y)
    await console.window.mouse.down()
    await console.window.mouse.move(x + 300, y)
    // In the sidebar, a row further down.
    await console.window.mouse.move(x - 60, y + 16)
    await console.window.mouse.up()
    await until('the copy', async () =>
      (await console.app.evaluate(({ clipboard }) => clipboard.readText())).includes('selected-42'),
    )
    await console.window.evaluate(() => window.pilothouse.invoke('settings.set', { copyOnSelect: false }))
  })

  test('it is split and closed, and the keyboard goes where the person says', async () => {
    await console.window.keyboard.press('Control+Shift+e')
    await console.window.locator('[data-testid=terminal][data-phase=open]').nth(1).waitFor()
    await type(`echo right > ${file('right')}`)
    await written('right')
    await console.window.keyboard.press('Control+Shift+o')
    await console.window.locator('[data-testid=terminal][data-phase=open]').nth(2).waitFor()
    await console.window.keyboard.press('Control+Alt+n')
    await type(`echo first > ${file('first')}`)
    await written('first')
    // The way out with the keyboard.
    await console.window.keyboard.press('Control+Alt+x')
    expect(await console.window.evaluate(() => document.activeElement?.getAttribute('data-testid'))).toBe(
      'tab-terminal',
    )
    await at('terminal').nth(2).locator('.xterm-screen').click()
    for (const left of [2, 1]) {
      await console.window.keyboard.press('Control+Shift+w')
      await at('confirm').click()
      await until(`${left} left`, async () => (await at('terminal').count()) === left)
    }
  })

  test('a link says where it really leads, and is opened only then', async () => {
    await console.app.evaluate(({ shell }) => {
      Object.assign(globalThis, { openedLinks: [] })
      shell.openExternal = async (url) => {
        ;(globalThis as unknown as { openedLinks: string[] }).openedLinks.push(url)
      }
    })
    const link = '\\033]8;;https://evil.example/steal?x=1\\033\\\\https://bank.example/\\033]8;;\\033\\\\'
    await type(`clear; printf '${link}\\n'`)
    await until('the link', async () => (await shown()).includes('https://bank.example/'))
    const screen = await at('terminal').locator('.xterm-screen').boundingBox()
    await until('the target', async () => {
      // The pointer has to move for a link to be looked for.
      for (const dx of [40, 60]) await console.window.mouse.move((screen?.x ?? 0) + dx, (screen?.y ?? 0) + 8)
      return (await at('terminal-hovered').innerText()) === 'https://evil.example/steal?x=1'
    })
    await console.window.mouse.click((screen?.x ?? 0) + 60, (screen?.y ?? 0) + 8)
    expect(await at('link-target').locator('b').innerText()).toBe('evil.example')
    await console.window.getByText('In the terminal it reads “https://bank.example/”').waitFor()
    const opened = () => console.app.evaluate(() => (globalThis as unknown as { openedLinks: string[] }).openedLinks)
    expect(await opened()).toEqual([])
    await at('link-open').click()
    await until('the browser', async () => (await opened()).length === 1)
    expect(await opened()).toEqual(['https://evil.example/steal?x=1'])
    for (const url of ['file:///etc/passwd', 'javascript:alert(1)', 'https://a@evil.example/', 'smb://x/y']) {
      const answer = await console.window.evaluate((url) => window.pilothouse.invoke('app.openLink', { url }), url)
      expect(answer.ok).toBe(false)
    }
    expect(await opened()).toHaveLength(1)
    await console.window.getByRole('dialog').waitFor({ state: 'detached' })
    await type('clear; echo https://plain.example/path')
    await until('a plain address', async () => {
      // From another row: on the same one xterm takes what it found there before.
      for (const dy of [120, 8]) await console.window.mouse.move((screen?.x ?? 0) + 60, (screen?.y ?? 0) + dy)
      const host = at('terminal-hovered').locator('b')
      return (await host.count()) === 1 && (await host.innerText()) === 'plain.example'
    })
  })

  test('letters of every width take the room that programs count with', async () => {
    // The machine asks where the cursor is behind them, as editors do: four columns from the first.
    const ask = `stty raw -echo; printf '\\r\\346\\227\\245\\360\\237\\230\\200\\033[6n'; timeout 2 cat > ${file('column')}; stty sane; echo > ${file('asked')}`
    await type(ask)
    await written('asked')
    expect(fs.readFileSync(file('column'), 'latin1')).toMatch(/;5R$/)
    await type("clear; printf '\\303\\274\\346\\227\\245 \\342\\234\\223 \\360\\237\\230\\200\\n'")
    await until('them', async () => (await shown()).includes('ü日 ✓ 😀'))
  })

  test('tabs have shells of their own, and one without graphics draws all the same, in the colours of the theme', async () => {
    await type('which=first')
    // As on a computer whose graphics cannot be used.
    await console.window.evaluate(() => {
      const context = HTMLCanvasElement.prototype.getContext as (...args: unknown[]) => unknown
      HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, ...args: unknown[]) {
        return String(args[0]).startsWith('webgl') ? null : context.apply(this, args)
      } as HTMLCanvasElement['getContext']
    })
    await at('terminal-new').click()
    await console.window.locator('[data-testid=terminal][data-phase=open][data-renderer=dom]').waitFor()
    await type('which=second; clear; echo drawn-$((20 + 2))')
    const drawn = at('terminal').locator('.xterm-rows')
    await until('the drawn text', async () => (await drawn.innerText()).includes('drawn-22'))
    const colours = async (theme: 'dark' | 'light') => {
      await console.window.evaluate((theme) => window.pilothouse.invoke('settings.set', { theme }), theme)
      await console.window.locator(`html[data-theme=${theme}]`).waitFor()
      return drawn.evaluate((rows) => getComputedStyle(rows).color)
    }
    const dark = await colours('dark')
    await until('other colours', async () => (await colours('light')) !== dark)
    const tabs = console.window.getByRole('navigation', { name: 'Terminals of shells' }).locator('button[title]')
    expect(await tabs.count()).toBe(2)
    await tabs.first().click()
    await open()
    await type(`echo $which > ${file('which1')}`)
    expect(await written('which1')).toBe('first\n')
    await tabs.last().click()
    await open()
    await type(`echo $which > ${file('which2')}`)
    expect(await written('which2')).toBe('second\n')
    await console.window.keyboard.press('Control+Shift+w')
    await at('confirm').click()
    await until('one tab', async () => (await tabs.count()) === 1)
  })

  test('hostile output reaches neither the clipboard nor the shell, and breaks nothing', async () => {
    await console.app.evaluate(({ clipboard }) => clipboard.writeText('untouched'))
    const marks = [
      '\u001b]52;c;ZXZpbA==\u0007',
      '\u001b]0;\u001b]2;evil title\u202e\n\u0007',
      `\u001b]2;${'T'.repeat(100_000)}\u0007`,
      '\u001bP$q; touch evil ;\u001b\\',
      '\u001bP$q"p\u001b\\',
      '\u001b[21t\u001b[20t\u001b[14t\u001b[18t\u001b[19t',
      '\u001b]4;1;#123456\u0007\u001b]4;1;?\u0007',
      '\u001b]10;#000000\u0007\u001b]11;#000000\u0007',
      '\u001b[?31337$p\u001b[999999$p',
      '\u001b]50;?\u0007\u0005\u001b]1337;File=:AAAA\u0007\u001b[>q\u001b[x',
    ].join('')
    const garbage = Buffer.from(Array.from({ length: 60_000 }, (_, index) => (index * 7919) % 251))
    // Which of them reset, or hide the cursor, is no matter: afterwards everything is set back.
    fs.writeFileSync(file('hostile'), Buffer.concat([Buffer.from(marks), Buffer.from('x'.repeat(2_000_000))]))
    fs.writeFileSync(file('garbage'), garbage)
    await console.window.evaluate(() => window.pilothouse.invoke('settings.set', { screenReader: false }))
    // Everything that is typed back within the time of a turn is caught in a file.
    const listen = `stty raw -echo; cat ${file('hostile')}; timeout 2 cat > ${file('typed')}; stty sane; echo done > ${file('hostile-done')}`
    await type(listen)
    await written('hostile-done')
    const typed = fs.readFileSync(file('typed'), 'latin1')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: replies begin with it
    expect(typed).toMatch(/^(\u001bP0\$r\u001b\\|\u001b\[\?\d+;\d+c)*$/)
    expect(typed).not.toContain('evil')
    expect(await console.app.evaluate(({ clipboard }) => clipboard.readText())).toBe('untouched')
    const title = await console.window
      .locator('nav[aria-label^=Terminals] button[title^=T]')
      .first()
      .getAttribute('title')
    expect(title).toHaveLength(60)
    await type(`timeout 3 cat ${file('garbage')}; reset; stty sane; echo fine > ${file('garbage-done')}`)
    await until('the shell to be usable', async () => {
      // Random bytes may have typed a reply into the line.
      await console.window.keyboard.press('Control+u')
      await type(`echo fine > ${file('usable')}`)
      return fs.existsSync(file('usable'))
    })
  })

  test('a flood waits for its reader', async () => {
    await console.window.evaluate(() => window.pilothouse.invoke('settings.set', { screenReader: true }))
    await type('yes 0123456789012345678901234567890123456789')
    const memory = () => agent.client.call('machine.metrics')
    await memory()
    // Main holds no more than a stream's credit and what the socket has: an endless program cannot grow it.
    const held = await console.app.evaluate(() => process.memoryUsage().rss)
    await console.window.keyboard.press('Control+c')
    await type(`echo stopped > ${file('stopped')}`)
    await written('stopped')
    expect(await console.app.evaluate(() => process.memoryUsage().rss)).toBeLessThan(held + 150e6)
  })

  test('a cut line is mended without the shell noticing: nothing lost, nothing twice', async () => {
    await type(
      `clear; n=0; while [ ! -e ${file('enough')} ]; do n=$((n+1)); echo count-$n; sleep 0.05; done; echo last-$n`,
    )
    await until('counting', async () => (await shown()).includes('count-5\n'))
    line.cut()
    await console.window.locator('[data-testid=terminal][data-phase=reattaching]').waitFor()
    await at('terminal-reattaching').waitFor()
    line.mend()
    await open()
    fs.writeFileSync(file('enough'), '')
    await until('the end', async () => /last-\d+/.test(await shown()))
    const last = Number(/last-(\d+)/.exec(await shown())?.[1])
    // Everything that was kept, from the first number to the last, each once.
    await console.window.evaluate(() => {
      document.querySelector<HTMLElement>('[data-testid=terminal] .xterm-helper-textarea')?.focus()
    })
    const all = await counted()
    expect(all).toEqual(Array.from({ length: last }, (_, index) => index + 1))
  })

  /** The numbers in all of the scrollback, by selecting it and copying. */
  async function counted(): Promise<number[]> {
    await console.window.evaluate(() => window.pilothouse.invoke('settings.set', { copyOnSelect: true }))
    const box = await at('terminal').locator('.xterm-screen').boundingBox()
    const { x, y } = { x: (box?.x ?? 0) + 2, y: (box?.y ?? 0) + 4 }
    await console.window.mouse.move(x + 100, y + 100)
    for (let turn = 0; turn < 20; turn++) await console.window.mouse.wheel(0, -2000)
    await console.window.mouse.click(x, y)
    for (let turn = 0; turn < 20; turn++) await console.window.mouse.wheel(0, 2000)
    await console.window.keyboard.down('Shift')
    await console.window.mouse.click(x + (box?.width ?? 0) - 20, y + (box?.height ?? 0) - 12)
    await console.window.keyboard.up('Shift')
    const text = await until('the copy', async () => {
      const found = await console.app.evaluate(({ clipboard }) => clipboard.readText())
      return found.includes('last-') && found
    })
    return [...text.matchAll(/^count-(\d+)$/gm)].map((match) => Number(match[1]))
  }

  test('a window that is gone finds its shells again, with what they showed', async () => {
    // What the screen was asked then is not answered again: nobody would read it but the shell.
    const asks = "'\\033[6n\\033[5n\\033[c\\033]11;?\\033\\\\'"
    const catching = `printf ${asks}; timeout 2 cat > ${file('replies')}; stty sane; echo > ${file('replied')}`
    await type(`clear; kept=still-here; stty raw -echo; ${catching}`)
    await written('replied')
    await type(`echo $kept; cat > ${file('typed-again')}`)
    await until('the output', async () => (await shown()).includes('still-here\n'))
    expect(fs.readFileSync(file('replies'), 'latin1')).toContain('R\u001b[0n\u001b[?')
    await console.window.reload()
    await open()
    await until('what it showed', async () => (await shown()).includes('still-here'))
    await type('by-hand')
    expect(await written('typed-again')).toBe('by-hand\n')
    await console.window.keyboard.press('Control+d')
    await type(`echo $kept > ${file('kept')}`)
    expect(await written('kept')).toBe('still-here\n')
    expect(await at('terminal').count()).toBe(1)
    // One that ended meanwhile is not waited for: a new one stands in its place.
    await console.window.evaluate(() => {
      window.location.hash = '#/fleet'
    })
    await console.window.reload()
    line.cut()
    await agent.restart()
    line.mend()
    await go('shells', 'terminal')
    await open()
    await type(`echo "[$kept]" > ${file('anew')}`)
    expect(await written('anew')).toBe('[]\n')
    expect(await at('terminal').count()).toBe(1)
  })

  test.skipIf(noSshTerminal !== undefined)(
    `with its agent stopped, a machine behind SSH still gives a shell, and says what it is ${noSshTerminal ?? ''}`,
    async () => {
      await go('box', 'terminal')
      await open()
      await behindSsh.program.end()
      await at('terminal-over-ssh').click()
      await console.window.locator('[data-testid=terminal][data-kind=ssh][data-phase=open]').waitFor()
      await console.window.getByText('not recorded by it').waitFor()
      await type(`echo "$SSH_CONNECTION" > ${file('ssh')}`)
      expect(await written('ssh')).toContain('127.0.0.1')
      await type('exit 3')
      await until('the end', async () => (await at('terminal-ended').innerText()).includes('code 3'))
      const audited = await console.window.evaluate(() => window.pilothouse.invoke('audit.console', { limit: 50 }))
      const actions = audited.ok ? (audited.value as { entries: { action: string }[] }).entries : []
      const names = actions.map(({ action }) => action)
      expect(names).toEqual(
        expect.arrayContaining(['terminal_open', 'ssh_terminal_open', 'ssh_terminal_close', 'open_link']),
      )
      await go('shells', 'terminal')
      const refused = await console.window.evaluate(
        (machineId) => window.pilothouse.invoke('terminal.openSsh', { machineId, cols: 80, rows: 24 }),
        ids['shells'] ?? '',
      )
      expect(refused).toMatchObject({ ok: false, problem: { code: 'conflict' } })
    },
  )
})
