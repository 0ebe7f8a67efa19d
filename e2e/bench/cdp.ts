import type { Bench } from './bench.ts'
import { openCdpBrowser } from './cdp-clients.ts'
import { atLeastTimes, atMostMore, atMostTimes } from './target.ts'

const replyBytes = 5 * 1024 * 1024
const depth = 32
const commands = 3000

/** One command after the other. */
const cdpRtt: Bench = {
  name: 'cdp.rtt',
  unit: 'ms',
  against: "Chromium's own port, one command after the other",
  target: atMostMore(0.15, 'ms'),
  runs: 11,
  warmups: 2,
  async open() {
    const browser = await openCdpBrowser()
    return {
      ours: () => browser.relayed.roundTrip(300),
      yardstick: () => browser.direct.roundTrip(300),
      async close() {
        await browser.close()
        const [relayed, direct] = [browser.relayed.trips, browser.direct.trips].map((trips) =>
          trips.toSorted((a, b) => a - b),
        )
        const added = (share: number) => {
          const at = (trips: readonly number[] = []) => trips[Math.floor(trips.length * share)] ?? 0
          return `${((at(relayed) - at(direct)) * 1000).toFixed(0)} µs`
        }
        process.stderr.write(`cdp.rtt: added p50 ${added(0.5)}, p99 ${added(0.99)}\n`)
      },
    }
  },
}

/** How far the relay is from what any program in between costs on this machine. */
const cdpSplice: Bench = {
  name: 'cdp.splice',
  unit: 'ms',
  against: 'a Node program in between that passes bytes on and looks at none, one command after the other',
  target: atMostTimes(1.15),
  runs: 11,
  warmups: 2,
  async open() {
    const browser = await openCdpBrowser()
    const spliced = await browser.spliced()
    return {
      ours: () => browser.relayed.roundTrip(300),
      yardstick: () => spliced.roundTrip(300),
      close: browser.close,
    }
  },
}

const cdpDeep: Bench = {
  name: 'cdp.deep',
  unit: 'commands/s',
  against: `Chromium's own port, ${depth} commands under way`,
  target: atLeastTimes(0.85),
  runs: 9,
  warmups: 2,
  async open() {
    const browser = await openCdpBrowser()
    return {
      ours: () => browser.relayed.deep(depth, commands),
      yardstick: () => browser.direct.deep(depth, commands),
      close: browser.close,
    }
  },
}

const cdpReply: Bench = {
  name: 'cdp.reply',
  unit: 'ms',
  against: "Chromium's own port, a reply of 5 MB",
  target: atMostTimes(1.1),
  runs: 15,
  warmups: 3,
  async open() {
    const browser = await openCdpBrowser()
    return {
      ours: () => browser.relayed.reply(replyBytes),
      yardstick: () => browser.direct.reply(replyBytes),
      close: browser.close,
    }
  },
}

/** With every command read and judged, as for an observer. */
const cdpFiltered: Bench = {
  name: 'cdp.filtered',
  unit: 'commands/s',
  against: `Chromium's own port, ${depth} commands under way`,
  target: atLeastTimes(0.75),
  runs: 9,
  warmups: 2,
  async open() {
    const browser = await openCdpBrowser()
    return {
      ours: () => browser.observed.deep(depth, commands),
      yardstick: () => browser.direct.deep(depth, commands),
      close: browser.close,
    }
  },
}

/** What a console or a script does all day: one picture of the page after the other. */
const cdpScreenshot: Bench = {
  name: 'cdp.screenshot',
  unit: 'pictures/s',
  against: "Chromium's own port, pictures of the page one after the other",
  target: atLeastTimes(0.9),
  runs: 9,
  warmups: 1,
  async open() {
    const browser = await openCdpBrowser()
    return {
      ours: () => browser.relayed.screenshots(10),
      yardstick: () => browser.direct.screenshots(10),
      close: browser.close,
    }
  },
}

export const cdpBenches: readonly Bench[] = [cdpRtt, cdpSplice, cdpDeep, cdpReply, cdpFiltered, cdpScreenshot]
