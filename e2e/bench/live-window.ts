import { setTimeout as sleep } from 'node:timers/promises'
import { addMachine, invoke } from '../rigs/added-machine.ts'
import { startAgentProcess } from '../rigs/agent-process.ts'
import { chromiumAddress, findPage } from '../rigs/cdp-page.ts'
import { startConsole } from '../rigs/electron.ts'
import { freePort } from '../rigs/ports.ts'
import { processTree, proportionalBytes } from '../rigs/processes.ts'
import { until } from '../rigs/until.ts'
import { type Bench, median } from './bench.ts'
import { openDirect } from './live-views.ts'
import { settled } from './settled.ts'
import { atMost, atMostTimes } from './target.ts'

/** A square that changes when a key goes down, and moves all the time when told to. */
const page = `data:text/html,${encodeURIComponent(`<title>keys</title><body style="margin:0;cursor:none">
  <div id=b style="position:absolute;left:100px;top:100px;width:100px;height:100px;background:red"></div>
  <script>let n = 0; addEventListener('keydown', () => { b.style.background = n++ % 2 ? 'red' : 'blue' })
  let y = 0; window.moving = false
  ;(function f() { if (moving) b.style.top = 100 + (y = (y + 7) % 400) + 'px'; requestAnimationFrame(f) })()</script>`)}`
const watched = { x: 150, y: 150 }
const presses = 25
/** Three times this is an hour's worth: a picture changes twice a second over a day's work, and sixty times here. */
const movingMs = 40_000

/** The live view in the real console, with control, of an agent in a process of its own. */
async function openLiveWindow() {
  const port = await freePort()
  const agent = await startAgentProcess({ PILOTHOUSE_PORT: String(port) })
  const { processes } = await agent.client.call('browser.start', { url: page }, { timeoutMs: 60_000 })
  const console = await startConsole()
  const machine = await addMachine(console, { port, secret: agent.secret }, 'bench')
  await console.window.evaluate((id) => {
    window.location.hash = `#/machine/${id}/live`
  }, machine.id)
  await invoke(console, 'takeover.take', { machineId: machine.id, reason: '' })
  await console.window.locator('[data-testid=browser-viewer][data-phase=live][data-mode=control]').waitFor()
  const shown = await until('the page', () =>
    findPage(chromiumAddress(agent.dataDir), (url) => url.startsWith('data:')),
  )
  return {
    agent,
    console,
    machine,
    direct: await openDirect(processes, agent.dataDir),
    /** A connection of its own past agent and console. */
    connect: () => openDirect(processes, agent.dataDir),
    page: shown,
    async close() {
      shown.close()
      await console.stop()
      await machine.stop()
      await agent.stop()
    },
  }
}

type LiveWindow = Awaited<ReturnType<typeof openLiveWindow>>

/** From a key in the window to changed pixels on its canvas: everything that a person waits for but the screen itself. */
function keyInWindow({ console }: LiveWindow): Promise<number> {
  return console.window.evaluate(
    ({ x, y, wait }) => {
      const canvas = document.querySelector<HTMLCanvasElement>('[data-testid=live-canvas]')
      const context = canvas?.getContext('2d')
      if (canvas == null || context == null) throw new Error('There is no live picture.')
      const seen = () => context.getImageData(x, y, 1, 1).data.slice(0, 3).join()
      const before = seen()
      const draw = context.drawImage
      return new Promise<number>((resolve, reject) => {
        const timer = setTimeout(() => end(() => reject(new Error('the key changed nothing'))), wait)
        const end = (then: () => void) => {
          clearTimeout(timer)
          context.drawImage = draw
          canvas.dispatchEvent(new KeyboardEvent('keyup', { key: 'a', code: 'KeyA', keyCode: 65 }))
          then()
        }
        const began = performance.now()
        context.drawImage = ((...args: unknown[]) => {
          ;(draw as (...args: unknown[]) => void).apply(context, args)
          const taken = performance.now() - began
          if (seen() !== before) end(() => resolve(taken))
        }) as typeof context.drawImage
        canvas.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', code: 'KeyA', keyCode: 65 }))
      })
    },
    { ...watched, wait: 5000 },
  )
}

async function times(press: () => Promise<number>): Promise<number> {
  const taken: number[] = []
  for (let count = 0; count < presses; count++) {
    taken.push(await press())
    await sleep(20 + Math.random() * 40)
  }
  return median(taken)
}

const liveKey: Bench = {
  name: 'live.key',
  unit: 'ms',
  against: 'the same Xvnc viewed without agent and console, a key until changed pixels',
  target: atMostTimes(2.5),
  runs: 7,
  warmups: 1,
  async open() {
    const live = await openLiveWindow()
    await sleep(1000)
    return {
      ours: () => times(() => keyInWindow(live)),
      yardstick: () => times(() => live.direct.key(0x61, watched)),
      close: live.close,
    }
  },
}

async function timeToConnect(connect: () => Promise<{ close: () => void }>): Promise<number> {
  const began = performance.now()
  const view = await connect()
  const taken = performance.now() - began
  view.close()
  return taken
}

/** From the button to a picture that takes keys, on a live view that is open. */
const liveTake: Bench = {
  name: 'live.take',
  unit: 'ms',
  against: 'connecting to the same Xvnc without agent and console',
  target: atMost(1000, 'ms'),
  runs: 7,
  warmups: 1,
  async open() {
    const { console, machine, connect, close } = await openLiveWindow()
    const viewer = (mode: string) =>
      console.window.locator(`[data-testid=browser-viewer][data-phase=live][data-mode=${mode}]`).waitFor()
    const giveBack = async () => {
      await invoke(console, 'takeover.giveBack', { machineId: machine.id, outcome: 'resolved', note: '' })
      await viewer('view')
    }
    await giveBack()
    return {
      async ours() {
        const began = performance.now()
        await console.window.getByTestId('take-over').click()
        await viewer('control')
        const taken = performance.now() - began
        await giveBack()
        return taken
      },
      yardstick: () => timeToConnect(connect),
      close,
    }
  },
}

/** From Accept in the queue to the live view, opened by it, that takes keys: what a person who is asked for help waits for. */
const liveAccept: Bench = {
  name: 'live.accept',
  unit: 'ms',
  against: 'connecting to the same Xvnc without agent and console',
  target: atMost(1000, 'ms'),
  runs: 7,
  warmups: 1,
  async open() {
    const { agent, console, machine, connect, close } = await openLiveWindow()
    const { window } = console
    const giveBack = () =>
      invoke(console, 'takeover.giveBack', { machineId: machine.id, outcome: 'resolved', note: '' })
    await giveBack()
    // A cascade that asks for a person at once.
    const levels = [{ engine: 'human', retries: 0, timeMs: 120_000 }] as const
    await agent.client.call('engine.setConfig', { cascade: { totalMs: 300_000, levels: [...levels], platforms: {} } })
    return {
      async ours() {
        await window.evaluate(() => {
          location.hash = '#/takeovers'
        })
        const ran = agent.client.call('engine.run', { instruction: 'help' }, { timeoutMs: 120_000 }).catch(() => {})
        const button = window.getByTestId('request-accept').first()
        await button.waitFor()
        // Its picture is on its way, and is not what is measured.
        await sleep(500)
        const began = performance.now()
        await button.click()
        await window.locator('[data-testid=browser-viewer][data-phase=live][data-mode=control]').waitFor()
        const taken = performance.now() - began
        await giveBack()
        await ran
        return taken
      },
      yardstick: () => timeToConnect(connect),
      close,
    }
  },
}

/** What the window weighs after some thousand pictures, against what it weighed before the first. */
const liveMemory: Bench = {
  name: 'live.memory',
  unit: 'MB',
  against:
    'the same window before them: its weight after 40 s at 60 pictures a second, three times: an hour at 2 a second',
  target: atMostTimes(1.15),
  runs: 3,
  warmups: 0,
  async open() {
    const live = await openLiveWindow()
    const weigh = () =>
      settled(() =>
        processTree(live.console.pid)
          .filter(({ command }) => command.includes('--type=renderer'))
          .reduce((sum, { pid }) => sum + proportionalBytes(pid), 0),
      ).then((bytes) => bytes / 1e6)
    // Warm: what is compiled and cached once is not growth.
    const move = async (ms: number) => {
      await live.page.evaluate('moving = true')
      await sleep(ms)
      await live.page.evaluate('moving = false')
    }
    await move(3000)
    const before = await weigh()
    return {
      async ours() {
        await move(movingMs)
        return weigh()
      },
      yardstick: async () => before,
      close: live.close,
    }
  },
}

export const liveWindowBenches: readonly Bench[] = [liveKey, liveTake, liveAccept, liveMemory]
