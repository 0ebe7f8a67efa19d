import type { Bench } from './bench.ts'
import { startEmptyPage } from './empty-page.ts'
import { type Act, timeFrames, timeTyping, within } from './frames.ts'
import { openLogsWindow } from './logs-window.ts'
import { atLeast, atMost, atMostMore, atMostTimes, shown } from './target.ts'
import { weigh } from './weight.ts'

/** As many as the view keeps. */
const kept = 500_000
const frames = 90
/** What a frame may take, in ms. */
const frameBudget = 16
const flood = 250_000
/** An hour of a talkative machine: 500 lines a second. */
const hourOfLines = 1_800_000

/** What a person does with the list, each in frames of its own. They run in the page. */
const acts: readonly Act[] = [
  // A wheel, a page down that is held, and the scroll bar in a hurried hand.
  () => {
    const list = document.querySelector('[data-testid=log-lines]')
    if (list !== null) list.scrollTop -= 57
  },
  () => {
    const list = document.querySelector('[data-testid=log-lines]')
    if (list !== null) list.scrollTop -= list.clientHeight / 2
  },
  (frame) => {
    const list = document.querySelector('[data-testid=log-lines]')
    if (list !== null && frame % 3 === 0) list.scrollTop = (((frame * 7919) % 1000) / 1000) * list.scrollHeight
  },
]

async function openFull() {
  const [logs, empty] = [await openLogsWindow(), await startEmptyPage()]
  await logs.write(kept)
  const search = logs.console.window.getByTestId('logs-search')
  return {
    logs,
    empty,
    window: logs.console.window,
    search,
    /** Sees to it that a search has the whole list before it. */
    async clearSearch() {
      await search.fill('')
      await logs.console.window.waitForTimeout(300)
    },
    async close() {
      await logs.close()
      await empty.stop()
    },
  }
}

const logsView: Bench = {
  name: 'logs.view',
  unit: 'ms',
  against: `an empty page that scrolls; 95 % of the frames of ${kept.toLocaleString('en')} lines: scroll, page, leap, and scroll while a search goes through all of them`,
  target: atMost(frameBudget, 'ms'),
  runs: 3,
  warmups: 1,
  async open() {
    const full = await openFull()
    const { window, empty } = full
    let turn = 0
    return {
      async ours() {
        const times: number[] = []
        for (const act of acts) times.push(...(await timeFrames(window, frames, act)))
        await full.search.fill(`took=${100 + turn++}`)
        const [wheel] = acts
        if (wheel !== undefined) times.push(...(await timeFrames(window, frames, wheel)))
        await full.clearSearch()
        return within(times)
      },
      yardstick: async () => within(await empty.scroll(frames * 2)),
      close: full.close,
    }
  },
}

/** Letters typed into the search while the search for the ones before goes on. */
const logsTyping: Bench = {
  name: 'logs.typing',
  unit: 'ms',
  against: `typing into an empty page; 95 % of keys until the next paint, while ${kept.toLocaleString('en')} lines are searched`,
  target: atMostMore(16, 'ms'),
  runs: 3,
  warmups: 1,
  async open() {
    const full = await openFull()
    // Slow enough for each letter to begin a search.
    const [text, everyMs] = ['step=fill form', 170]
    return {
      async ours() {
        await full.search.focus()
        const times = await timeTyping(full.window, text, everyMs)
        await full.clearSearch()
        return within(times)
      },
      async yardstick() {
        await full.empty.focus()
        return within(await timeTyping(full.empty.page, text, everyMs))
      },
      close: full.close,
    }
  },
}

/** Lines as fast as they come, on a view that follows them. */
const logsFlood: Bench = {
  name: 'logs.flood',
  unit: 'lines/s',
  against: 'the same log read by a client without a window',
  target: atLeast(20_000, 'lines/s'),
  runs: 3,
  warmups: 1,
  async open() {
    const logs = await openLogsWindow()
    return {
      ours: async () => flood / ((await logs.write(flood)) / 1000),
      yardstick: async () => flood / ((await logs.read(flood)) / 1000),
      close: logs.close,
    }
  },
}

/** What the frames of the view are like meanwhile. */
const logsFloodFrames: Bench = {
  name: 'logs.flood.frames',
  unit: 'ms',
  against: 'an empty page that scrolls; 95 % of the frames while 20,000 lines a second come in',
  target: atMost(frameBudget, 'ms'),
  runs: 3,
  warmups: 1,
  async open() {
    const [logs, empty] = [await openLogsWindow(), await startEmptyPage()]
    const seconds = 3
    return {
      async ours() {
        const written = logs.trickle(20_000, seconds)
        const times = await timeFrames(logs.console.window, seconds * 50, () => {})
        await written
        return within(times)
      },
      yardstick: async () => within(await empty.scroll(seconds * 50)),
      async close() {
        await logs.close()
        await empty.stop()
      },
    }
  },
}

/** Lines a second. */
const paces = [1000, 2000, 5000, 10_000, 20_000, 40_000, 80_000, 160_000]

/** How many lines a second the view follows for as long as one likes, and still keeps its frames. */
const logsSustained: Bench = {
  name: 'logs.sustained',
  unit: 'lines/s',
  against:
    'the most that a client without a window follows; the most at which no line is behind and 95 % of the frames take ≤ 16 ms',
  target: shown,
  runs: 3,
  warmups: 1,
  async open() {
    const logs = await openLogsWindow()
    const seconds = 3
    /** The last pace that was kept before the first that was not. */
    const most = async (isKept: (pace: number) => Promise<boolean>) => {
      let most = 0
      for (const pace of paces) {
        if (!(await isKept(pace))) break
        most = pace
      }
      return most
    }
    return {
      ours: () =>
        most(async (pace) => {
          const followed = logs.sustain(pace, seconds, 'window')
          const times = await timeFrames(logs.console.window, seconds * 50, () => {})
          return (await followed) && within(times) <= frameBudget
        }),
      yardstick: () => most((pace) => logs.sustain(pace, seconds, 'client')),
      close: logs.close,
    }
  },
}

/** The console's weight after an hour's lines, against its weight once the view is full. */
const logsMemory: Bench = {
  name: 'logs.memory',
  unit: 'MB',
  against: `the same console with a full view; all its processes after ${hourOfLines.toLocaleString('en')} lines, an hour at 500 a second`,
  target: atMostTimes(1.15),
  runs: 1,
  warmups: 0,
  async open() {
    const logs = await openLogsWindow()
    // Twice the fill: what leaves has to have been let go once.
    await logs.write(kept)
    await logs.write(kept / 2)
    const full = await weigh(logs.console.pid)
    return {
      async ours() {
        for (let written = 0; written < hourOfLines; written += flood) await logs.write(flood)
        return weigh(logs.console.pid)
      },
      yardstick: async () => full,
      close: logs.close,
    }
  },
}

export const logsViewBenches: readonly Bench[] = [
  logsView,
  logsTyping,
  logsFlood,
  logsFloodFrames,
  logsSustained,
  logsMemory,
]
