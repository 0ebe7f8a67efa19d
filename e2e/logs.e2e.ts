import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestAgent, type TestAgent } from './rigs/agent.ts'
import { type CutLine, startCutLine } from './rigs/cut-line.ts'
import { type Dockerd, noDockerd, startDockerd } from './rigs/dockerd.ts'
import { startConsole, type TestConsole } from './rigs/electron.ts'
import { freshFolder } from './rigs/folder.ts'
import { until } from './rigs/until.ts'

/** Logs of real containers, as a person reads them: each test goes on where the one before ended. */
describe.skipIf(noDockerd !== undefined)('logs', () => {
  const { folder, remove } = freshFolder('logse2e')
  let dockerd: Dockerd
  const agents: TestAgent[] = []
  const lines: CutLine[] = []
  let console: TestConsole
  const ids: string[] = []
  const at = (id: string) => console.window.getByTestId(id)
  const rows = () =>
    console.window.evaluate(() => {
      const shown = [...document.querySelectorAll<HTMLElement>('[data-testid=log-row]:not([hidden])')]
      const top = (row: HTMLElement) => Number.parseInt(row.style.top, 10)
      return shown.sort((a, b) => top(a) - top(b)).map((row) => row.innerText.replaceAll('\n', ' '))
    })
  const shows = (text: string | RegExp) =>
    until(`a row with ${text}`, async () => {
      const all = await rows()
      return all.some((row) => (typeof text === 'string' ? row.includes(text) : text.test(row)))
    })
  const foot = () => at('logs-foot').innerText()
  const go = (hash: string) =>
    console.window.evaluate((hash) => {
      window.location.hash = hash
    }, hash)
  const run = (name: string, ...args: string[]) =>
    dockerd.docker(
      ...['run', '-d', '--network=none', '--name', name, '-v', `${folder}:/w`],
      ...[...args.slice(0, -1), 'test', 'sh', '-c', args.at(-1) ?? ''],
    )
  /** Writes what is put into a file, in the order in which it is put there. */
  const talker = (file: string) => `touch /w/${file}; tail -n +1 -f /w/${file}`
  const say = (file: string, ...texts: string[]) => fs.appendFileSync(path.join(folder, file), `${texts.join('\n')}\n`)

  const addMachine = async () => {
    const agent = await startTestAgent({ DOCKER_HOST: `unix://${dockerd.socketPath}` })
    agents.push(agent)
    const line = await startCutLine(() => agent.port)
    lines.push(line)
    const answer = await console.window.evaluate(
      ([name, port, secret]) =>
        window.pilothouse.invoke('fleet.add', {
          name,
          environment: 'dev',
          machineType: 'ssh_host',
          tunnel: { kind: 'direct', host: '127.0.0.1', port },
          secret,
        }),
      [`m${agents.length}`, line.port, agent.secret] as const,
    )
    if (!answer.ok) throw new Error(JSON.stringify(answer))
    ids.push((answer.value as { id: string }).id)
    return line
  }
  const verified = (id: string | undefined, running: boolean) =>
    until(`it to be noticed that the machine is ${running ? 'back' : 'away'}`, async () => {
      const found = await console.window.evaluate(
        (machineId) => window.pilothouse.invoke('fleet.verify', { machineId }),
        id,
      )
      return found.ok && ((found.value as { state: string }).state === 'running') === running
    })

  beforeAll(async () => {
    dockerd = await startDockerd()
    await dockerd.importBusybox('test')
    console = await startConsole()
    for (let count = 0; count < 2; count++) await addMachine()
  }, 180_000)
  afterAll(async () => {
    await console?.stop()
    for (const line of lines) await line.stop()
    for (const agent of agents) await agent.stop()
    await dockerd?.stop()
    remove()
  }, 60_000)

  test('history and what is written now are one list, levels and traces with it', async () => {
    say('api', 'history one', '[WARN] odd', 'Error: no', '    at f (a.js:1:2)', '    at g (b.js:3:4)')
    await run('api', '--label', 'gh.service=api', talker('api'))
    await until('the history', async () => {
      const answer = await agents[0]?.client.call('logs.get', { service: 'api', lines: 10 })
      return answer?.lines.length === 3
    })
    await go(`#/machine/${ids[0]}/overview`)
    await console.window.keyboard.press('m')
    await console.window.keyboard.press('l')
    await shows('at g (b.js:3:4)')
    say('api', 'written now', '{"level":50,"msg":"broken","user":{"id":7}}')
    await shows('{"level":50')
    const all = await rows()
    expect(
      all.map((row) =>
        row
          .replace(/^[\d:.]+ +/, '')
          .trim()
          .replace(/\s+/g, ' '),
      ),
    ).toEqual([
      'api history one',
      'WARN api [WARN] odd',
      'ERROR api Error: no',
      'at f (a.js:1:2)',
      'at g (b.js:3:4)',
      'api written now',
      'ERROR api {"level":50,"msg":"broken","user":{"id":7}}',
    ])
    await until('the counts', async () => (await foot()).includes('5 lines in view'))
    await at('logs-level-error').click()
    await until('only errors', async () => (await rows()).length === 4)
    await at('logs-level-error').click()
    await until('all of them', async () => (await rows()).length === 7)
  })

  test('a service that cannot be read says why, and is asked again when the person says so', async () => {
    await at('logs-services').click()
    const adspower = at('logs-choices').getByRole('checkbox', { name: /^adspower/ })
    await adspower.check()
    await console.window.keyboard.press('Escape')
    await at('logs-notes').getByText('m1 adspower').waitFor()
    // Asked anew, it is no failure for a moment: the note goes and comes.
    const told = console.window.evaluate(
      () =>
        new Promise<void>((resolve) => {
          const watched = new MutationObserver(() => {
            if (document.querySelector('[data-testid=logs-notes]') !== null) return
            watched.disconnect()
            resolve()
          })
          watched.observe(document.body, { childList: true, subtree: true })
        }),
    )
    await at('logs-retry').click()
    await told
    await at('logs-notes').getByText('m1 adspower').waitFor()
    // What was there of the others is there once.
    expect((await rows()).filter((row) => row.includes('history one'))).toHaveLength(1)
    await at('logs-services').click()
    await adspower.uncheck()
    await console.window.keyboard.press('Escape')
    await at('logs-notes').waitFor({ state: 'detached' })
  })

  test('JSON is folded out and in', async () => {
    const fold = console.window.getByRole('button', { name: 'Fold the fields out' })
    await fold.click()
    await shows('id: 7')
    await console.window.getByRole('button', { name: 'Fold the fields in' }).click()
    await until('folded', async () => !(await rows()).some((row) => row.includes('id: 7')))
  })

  test('a search finds by text and by expression; one that would never end is stopped', async () => {
    await console.window.keyboard.press('Control+f')
    await console.window.keyboard.type('written')
    await until('one', async () => (await at('logs-found').innerText()) === '1')
    await until('the mark', async () => (await console.window.locator('mark').allInnerTexts()).includes('written'))
    await at('logs-regex').click()
    await at('logs-search').fill('(history|now)$|b\\.js:\\d')
    // At once: what was typed is looked for, and then gone to.
    await at('logs-search').press('Enter')
    await until('the last', async () => (await at('logs-found').innerText()) === '2 of 2')
    say('api', `${'a'.repeat(40)}!`)
    await shows('aaaa')
    await at('logs-search').fill('(a+)+$')
    await until('it to be stopped', async () => (await at('logs-search-problem').innerText()).includes('too long'))
    // Nothing waited for it: a new line is there, and another search works.
    say('api', 'after the search')
    await at('logs-search').fill('after the')
    await until('one', async () => (await at('logs-found').innerText()) === '1')
    await at('logs-only').click()
    await until('only the match', async () => (await rows()).length === 1)
    await at('logs-only').click()
    await at('logs-regex').click()
    await at('logs-search').fill('')
    // Going to a match ended the following.
    await at('logs-follow').click()
  })

  test('while it is paused nothing moves; while the person reads further up, new lines are counted', async () => {
    await at('logs-pause').click()
    say('api', 'said in the pause')
    await until('one waiting', async () => (await foot()).includes('1 line waiting'))
    expect((await rows()).some((row) => row.includes('said in the pause'))).toBe(false)
    await at('logs-pause').click()
    await shows('said in the pause')
    say('api', ...Array.from({ length: 400 }, (_, index) => `filler ${index}`))
    await shows('filler 399')
    await at('log-lines').hover()
    await console.window.mouse.wheel(0, -3000)
    await at('logs-follow').waitFor()
    // A wheel's scroll takes some frames to its end.
    let before = await rows()
    await until('the list to stand still', async () => {
      const last = before
      await console.window.waitForTimeout(150)
      before = await rows()
      return before.join() === last.join()
    })
    say('api', 'new while reading')
    await until('one new line', async () => (await at('logs-follow').innerText()).includes('1 new line'))
    expect(await rows()).toEqual(before)
    await at('logs-follow').click()
    await shows('new while reading')
    await until('following', async () => (await foot()).includes('following'))
  })

  test('long lines are wrapped and a moment is jumped to', async () => {
    say('api', `long ${'0123456789'.repeat(60)} end-of-long`)
    await shows('long 0123')
    const parts = async () => (await rows()).filter((row) => row.includes('01234567')).length
    expect(await parts()).toBe(1)
    await at('logs-wrap').click()
    await until('the rest of the line', async () => (await parts()) > 2)
    await at('logs-wrap').click()
    await console.window.locator('body').press('Shift+J')
    // Further back than any beginning that can be chosen, and than the log: it is read from there on.
    await at('logs-jump-time').fill('3 d ago')
    await at('logs-jump-go').click()
    await at('logs-aimed')
      .getByText(/^There is no line at .* The first one after it is at /)
      .waitFor()
    await shows('history one')
    await console.window.getByRole('combobox', { name: 'From when on' }).getByText('Since ').waitFor()
    await at('logs-follow').click()
    await at('logs-aimed').waitFor({ state: 'detached' })
    await shows('long 0123')
  })

  test('what is in view is saved where the person says', async () => {
    const file = path.join(folder, 'saved.log')
    await console.app.evaluate(({ dialog }, filePath) => {
      dialog.showSaveDialog = async () => ({ canceled: false, filePath })
    }, file)
    await at('logs-download').click()
    await at('menu-logs-text').click()
    await console.window.getByText('The lines are saved').first().waitFor()
    const text = fs.readFileSync(file, 'utf8')
    expect(text).toMatch(/^\S+Z - {5}m1 api history one\n\S+Z WARN {2}m1 api \[WARN\] odd\n/)
    expect(text).toContain('\n        at g (b.js:3:4)\n')
    expect(text.match(/filler/g)).toHaveLength(400)
    expect(fs.readdirSync(folder).filter((name) => name.includes('.part'))).toEqual([])
  })

  test('a container that is replaced is said in its place, and the stream goes on', async () => {
    await dockerd.docker('rm', '-f', 'api')
    say('api2', 'from the new one')
    await run('api-2', '--label', 'gh.service=api', talker('api2'))
    await shows('from the new one')
    await shows(/replaced|joined|gone/)
    // A long line makes the sheet wider than the view: what is said about lines is read without moving it.
    const room = await at('log-lines').evaluate((view) => {
      const mark = [...view.querySelectorAll('[data-testid=log-row]:not([hidden])')].find((row) =>
        /replaced|joined|gone/.test(row.textContent ?? ''),
      )
      const words = document.createRange()
      if (mark?.lastElementChild) words.selectNodeContents(mark.lastElementChild)
      const [seen, whole] = [words.getBoundingClientRect(), view.getBoundingClientRect()]
      return {
        wider: view.scrollWidth > view.clientWidth,
        left: seen.left - whole.left,
        right: whole.right - seen.right,
      }
    })
    expect(room.wider).toBe(true)
    expect(Math.min(room.left, room.right)).toBeGreaterThan(0)
  })

  test('a cut line loses nothing and doubles nothing', async () => {
    say('api2', ...Array.from({ length: 20 }, (_, index) => `before the cut ${index}`))
    await shows('before the cut 19')
    lines[0]?.cut()
    await at('logs-notes').waitFor()
    say('api2', ...Array.from({ length: 20 }, (_, index) => `in the cut ${index}`))
    lines[0]?.mend()
    await shows('in the cut 19')
    await at('logs-notes').waitFor({ state: 'detached' })
    await at('logs-search').fill(' the cut ')
    await until('forty', async () => (await at('logs-found').innerText()) === '40')
    await at('logs-search').fill('')
  })

  test('two machines are merged by time', async () => {
    await go(`#/logs/${ids.join(',')}`)
    await shows(/ m1 .*in the cut 19/)
    await shows(/ m2 .*in the cut 19/)
    say('api2', 'seen by both')
    await until('both', async () => (await rows()).filter((row) => row.includes('seen by both')).length === 2)
    const times = (await rows()).map((row) => row.slice(0, 12)).filter((time) => /^\d\d:/.test(time))
    expect(times).toEqual([...times].sort())
  })

  test('a view that is cleared is empty, and goes on with what comes', async () => {
    await at('logs-more').click()
    await at('menu-logs-clear').click()
    await until('nothing', async () => (await rows()).length === 0)
    say('api2', 'after it was cleared')
    await until('both', async () => (await rows()).filter((row) => row.includes('after it was cleared')).length === 2)
    expect(await rows()).toHaveLength(2)
  })

  test('from the timeline, the lines of that moment are shown, though many come before and behind them', async () => {
    const many = (what: string) => Array.from({ length: 20_000 }, (_, index) => `${what} ${index}`)
    const written = (text: string) =>
      until(text, async () => {
        const found = await agents[0]?.client.call('logs.get', { service: 'api', lines: 1 })
        return found?.lines[0]?.message === text
      })
    say('api2', ...many('earlier'))
    await written('earlier 19999')
    await agents[0]?.client.call('exec.run', { command: 'echo the-moment' })
    say('api2', 'right after the moment')
    await written('right after the moment')
    say('api2', ...many('later'))
    await written('later 19999')
    await go(`#/machine/${ids[0]}/timeline`)
    await at('timeline-list').locator('[data-row]').filter({ hasText: 'Ran echo the-moment' }).click()
    await at('timeline-open-logs').click()
    await until('all of them', async () => /\b4\d,\d{3} lines in view/.test(await foot()))
    await at('logs-aimed')
      .getByText(/^At .*, from the timeline\.$/)
      .waitFor()
    await shows('right after the moment')
    const shown = await rows()
    expect(shown.some((row) => row.includes('earlier 19999'))).toBe(true)
    expect(await foot()).toContain('not following')
    // What was read on the way is no news.
    await until('nothing new', async () => (await at('logs-follow').innerText()) === 'To the end')
    await at('log-lines').hover()
    await console.window.mouse.wheel(0, -600)
    await at('logs-aimed').waitFor({ state: 'detached' })
  })

  test('however many match, all of the search can be pressed', async () => {
    const resize = (width: number) =>
      console.app.evaluate(({ BrowserWindow }, to) => BrowserWindow.getAllWindows()[0]?.setContentSize(to, 900), width)
    await resize(1340)
    await at('logs-search').fill('later')
    await until('all of them', async () => (await at('logs-found').innerText()) === '20,000')
    await at('logs-search').press('Enter')
    await until('one of them', async () => (await at('logs-found').innerText()).endsWith(' of 20,000'))
    await at('logs-only').click()
    await until('only those', async () => /^20,000 of /.test(await foot()))
    await at('logs-only').click()
    await at('logs-search').fill('')
    await resize(1440)
  })

  test('a machine that is away when its logs are opened the first time shows them when it is back', async () => {
    const line = await addMachine()
    line.cut()
    await verified(ids[2], false)
    await go(`#/machine/${ids[2]}/logs`)
    await console.window.getByText('Which services there are is not known yet').waitFor()
    line.mend()
    await verified(ids[2], true)
    await shows('later 19999')
  })

  test('without its machine, what was looked at is still there, and says so', async () => {
    await go(`#/fleet`)
    await agents[0]?.agent.stop('the machine is gone')
    lines[0]?.cut()
    await verified(ids[0], false)
    await go(`#/machine/${ids[0]}/logs`)
    await shows('later 19999')
    // And what was before it, though only the last line was asked for first.
    await shows('later 19990')
    await shows(/Kept from the last look/)
    await at('logs-notes').waitFor()
  })
})
