import fs from 'node:fs'
import path from 'node:path'
import { invoke } from '../rigs/added-machine.ts'
import { startAgentProcess } from '../rigs/agent-process.ts'
import { chromiumAddress, findPage } from '../rigs/cdp-page.ts'
import { startConsole } from '../rigs/electron.ts'
import { freshFolder } from '../rigs/folder.ts'
import { until } from '../rigs/until.ts'
import { startBadLine } from './bad-line.ts'
import { type Bench, median } from './bench.ts'
import { showLog } from './logs-window.ts'
import { atLeastTimes, atMostTimes, type Target } from './target.ts'

/** A square that moves ten times a second, and a text beside it that stays. */
const page = `data:text/html,${encodeURIComponent(`<title>far</title><body style="margin:0;font:16px sans-serif">
  <div id=b style="position:absolute;left:100px;top:100px;width:100px;height:100px;background:red"></div>
  <h1>Far away</h1><script>let x = 0; setInterval(() => { if (window.moving) b.style.left = 100 + (x = (x + 10) % 400) + 'px' }, 100)</script>`)}`
const changesPerSecond = 10
const letters = 12
const watchedSeconds = 10
const logLines = 1500

/** A console, an agent with a browser, and a bad line between them. Nothing may be taken for gone meanwhile. */
async function openFar() {
  const { folder, remove } = freshFolder('far')
  const log = path.join(folder, 'adspower.log')
  fs.writeFileSync(log, '')
  const agent = await startAgentProcess({ PILOTHOUSE_SHELL: '/bin/sh', PILOTHOUSE_ADSPOWER_LOGS: log })
  await agent.client.call('browser.start', { url: page }, { timeoutMs: 120_000 })
  const line = await startBadLine()
  const console = await startConsole({ env: { HOME: line.home } })
  const { window } = console
  const added = (await invoke(console, 'fleet.add', {
    name: 'far',
    environment: 'dev',
    machineType: 'ssh_host',
    tunnel: { kind: 'ssh', host: 'far', remote: { socketPath: agent.socketPath } },
    secret: agent.secret,
  })) as { id: string }
  const state = async () => {
    const machines = (await invoke(console, 'fleet.list', {})) as { id: string; state: string; knownFrom: string }[]
    return machines.find(({ id }) => id === added.id)
  }
  await until('the machine to be heard', async () => (await state())?.knownFrom === 'machine', 60_000)
  const gone: string[] = []
  const watch = setInterval(() => {
    void state().then(
      (seen) => seen?.state !== 'running' && gone.push(seen?.state ?? 'removed'),
      () => {},
    )
  }, 500)
  return {
    ...{ agent, line, console, window, log, id: added.id },
    go: (tab: string) =>
      window.evaluate((hash) => {
        location.hash = hash
      }, `#/machine/${added.id}/${tab}`),
    async close() {
      clearInterval(watch)
      await console.stop()
      await line.stop()
      await agent.stop()
      remove()
      if (gone.length > 0) throw new Error(`The machine was taken for ${gone.join(', ')}, but was there all the time.`)
    },
  }
}

type Far = Awaited<ReturnType<typeof openFar>>

function bench(
  name: string,
  unit: string,
  against: string,
  target: Target,
  open: (far: Far) => Promise<{ ours: () => Promise<number>; yardstick: () => Promise<number> }>,
): Bench {
  const runs = 3
  const where = `${against}; 200 ms, 2 % loss, 1 Mbit over SSH, and the machine is never taken for gone`
  return {
    ...{ name, unit, against: where, target, runs, warmups: 1 },
    async open() {
      const far = await openFar()
      try {
        return { ...(await open(far)), close: far.close }
      } catch (error) {
        await far.close().catch(() => {})
        throw error
      }
    },
  }
}

/** From a key to its letter on the screen. */
const echo = bench('netem.echo', 'ms', 'a byte there and back', atMostTimes(1.5), async (far) => {
  const { window, line } = far
  // Drawn with elements, whose change can be seen.
  await window.evaluate(() => {
    const context = HTMLCanvasElement.prototype.getContext as (...args: unknown[]) => unknown
    HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, ...args: unknown[]) {
      return String(args[0]).startsWith('webgl') ? null : context.apply(this, args)
    } as HTMLCanvasElement['getContext']
  })
  await far.go('terminal')
  await window.locator('[data-testid=terminal][data-phase=open]').waitFor({ timeout: 60_000 })
  await window.locator('[data-testid=terminal] .xterm-screen').click()
  await until('the prompt', () =>
    window
      .locator('.xterm-rows')
      .innerText()
      .then((text) => /[#$]/.test(text)),
  )
  return {
    async ours() {
      const times: number[] = []
      for (let letter = 0; letter < letters; letter++) {
        const seen = window.evaluate(() => {
          const rows = document.querySelector('[data-testid=terminal] .xterm-rows')
          const before = rows?.textContent
          return new Promise<number>((resolve) => {
            let began = 0
            addEventListener('keydown', () => (began = performance.now()), { capture: true, once: true })
            const observer = new MutationObserver(() => {
              if (rows?.textContent === before) return
              observer.disconnect()
              resolve(performance.now() - began)
            })
            if (rows !== null) observer.observe(rows, { childList: true, subtree: true, characterData: true })
          })
        })
        await window.keyboard.press('a')
        times.push(await seen)
      }
      await window.keyboard.press('Control+c')
      await window.waitForTimeout(600)
      return median(times)
    },
    async yardstick() {
      const times: number[] = []
      for (let letter = 0; letter < letters; letter++) times.push(await line.roundTrip())
      return median(times)
    },
  }
})

/** From the button to a picture that takes keys. */
const take = bench('netem.take', 'ms', 'a byte there and back', atMostTimes(8), async (far) => {
  const { window, line, console, id } = far
  await far.go('live')
  const viewer = (mode: string) => window.locator(`[data-testid=browser-viewer][data-phase=live][data-mode=${mode}]`)
  await viewer('view').waitFor({ timeout: 60_000 })
  return {
    async ours() {
      const began = performance.now()
      await window.getByTestId('take-over').click()
      await viewer('control').waitFor({ timeout: 60_000 })
      const taken = performance.now() - began
      await invoke(console, 'takeover.giveBack', { machineId: id, outcome: 'resolved', note: '' })
      await viewer('view').waitFor({ timeout: 60_000 })
      return taken
    },
    yardstick: line.roundTrip,
  }
})

/** Changes of the page that reach the picture. */
const live = bench('netem.live', 'pictures/s', 'the changes of the page', atLeastTimes(0.5), async (far) => {
  const { window, agent } = far
  const shown = await until('the page', () =>
    findPage(chromiumAddress(agent.dataDir), (url) => url.startsWith('data:')),
  )
  await far.go('live')
  await window.locator('[data-testid=browser-viewer][data-phase=live]').waitFor({ timeout: 60_000 })
  await window.getByTestId('view-menu').click()
  await window.getByTestId('view-figures').check()
  await window.keyboard.press('Escape')
  await shown.evaluate('window.moving = true')
  return {
    async ours() {
      const [pictures, bits]: [number[], number[]] = [[], []]
      for (let second = 0; second < watchedSeconds; second++) {
        await window.waitForTimeout(1000)
        const text = await window.getByTestId('live-figures').innerText()
        pictures.push(Number(/(\d+) fps/.exec(text)?.[1] ?? 0))
        const [, amount = '0', prefix = ''] = /([\d.]+) ([kM]?)bit\/s/.exec(text) ?? []
        bits.push(Number(amount) * ({ M: 1e6, k: 1e3 }[prefix] ?? 1))
      }
      const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
      process.stderr.write(`netem.live: ${Math.round(mean(bits) / 1000)} kbit/s\n`)
      return mean(pictures)
    },
    yardstick: async () => changesPerSecond,
  }
})

/** Lines of a log from the machine's disk to the screen. */
const logs = bench('netem.logs', 'lines/s', 'the same text over the bare line', atLeastTimes(0.5), async (far) => {
  const { window, line, console, id, log } = far
  await showLog(console, id, 'adspower')
  let written = 0
  const next = () => {
    const time = new Date(Date.UTC(2026, 0, 1) + written).toISOString()
    return `${time} level=info job=${written++} step=fill-form field=email took=${written % 977}ms\n`
  }
  const text = () => Array.from({ length: logLines }, next).join('')
  return {
    async ours() {
      const lines = text()
      const began = performance.now()
      fs.appendFileSync(log, lines)
      const last = `job=${written - 1} `
      await until(
        'the last line',
        () =>
          window
            .getByTestId('log-lines')
            .innerText()
            .then((all) => all.includes(last)),
        60_000,
      )
      return logLines / ((performance.now() - began) / 1000)
    },
    yardstick: async () => logLines / ((await line.bring(text().length)) / 1000),
  }
})

/** What still works on a line that is as bad as hotels have it. */
export const netemBenches: readonly Bench[] = [echo, take, live, logs]
