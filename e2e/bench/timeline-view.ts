import { TimelineStore } from '../../agent/timeline/timeline.store.ts'
import { timelineKinds } from '../../shared/contract/timeline.ts'
import { entry } from '../../shared/domain/timeline/book.ts'
import { addMachine } from '../rigs/added-machine.ts'
import { startAgentProcess } from '../rigs/agent-process.ts'
import { startConsole } from '../rigs/electron.ts'
import { freePort } from '../rigs/ports.ts'
import { until } from '../rigs/until.ts'
import type { Bench } from './bench.ts'
import { startEmptyPage } from './empty-page.ts'
import { type Act, timeFrames, within } from './frames.ts'
import { atMost } from './target.ts'

/** As many as a console loads of one machine. */
const entries = 20_000
const frames = 90

/** What a person does with the lanes, each in frames of its own. They run in the page. */
const acts: readonly Act[] = [
  // In and out again around the middle, then along.
  (frame) => {
    const track = document.querySelector('[data-testid=timeline-track]')
    const { left = 0, width = 0 } = track?.getBoundingClientRect() ?? {}
    const deltaY = Math.floor(frame / 30) % 2 === 0 ? -60 : 60
    track?.dispatchEvent(
      new WheelEvent('wheel', { deltaY, clientX: left + width / 2, cancelable: true, bubbles: true }),
    )
  },
  (frame) => {
    const deltaX = Math.floor(frame / 30) % 2 === 0 ? -40 : 40
    const track = document.querySelector('[data-testid=timeline-track]')
    track?.dispatchEvent(new WheelEvent('wheel', { deltaX, cancelable: true, bubbles: true }))
  },
]

/** Two days of a busy machine: spans and moments in every lane. */
function fill(dataDir: string): void {
  const store = new TimelineStore(dataDir)
  const first = Date.now() - 2 * 24 * 3600_000
  store.writeFrom('bench', 1, () => {
    for (let number = 0; number < entries; number++) {
      const kind = timelineKinds[number % timelineKinds.length] ?? 'machine'
      const start = first + (number / entries) * 2 * 24 * 3600_000
      const long = number % 7 === 0
      store.put(
        entry({
          ...{ key: `bench:${number}`, kind, what: 'bench', title: `Something of ${kind} happened, number ${number}` },
          ...{ at: new Date(start).toISOString(), tone: number % 11 === 0 ? 'broken' : 'up', detail: 'in detail' },
          until: long ? new Date(start + 90_000).toISOString() : null,
        }),
      )
    }
  })
  store.close()
}

const timelineView: Bench = {
  name: 'timeline.view',
  unit: 'ms',
  against: `an empty page that scrolls; 95 % of the frames of ${entries.toLocaleString('en')} entries while they are zoomed and moved`,
  target: atMost(16, 'ms'),
  runs: 3,
  warmups: 1,
  async open() {
    const port = await freePort()
    const agent = await startAgentProcess({ PILOTHOUSE_PORT: String(port) })
    fill(agent.dataDir)
    const [console, empty] = [await startConsole(), await startEmptyPage()]
    const machine = await addMachine(console, { port, secret: agent.secret }, 'bench')
    const { window } = console
    await window.evaluate((id) => {
      location.hash = `#/machine/${id}/timeline`
    }, machine.id)
    // Each look at more of it fetches older ones.
    await until(
      'all entries',
      async () => {
        await window.getByTestId('timeline-fit').click()
        await window.getByTestId('timeline-zoom-out').click()
        const count = /^([\d,]+) in/.exec(await window.getByTestId('timeline-count').innerText())?.[1] ?? '0'
        return Number(count.replaceAll(',', '')) >= entries * 0.95
      },
      120_000,
    )
    return {
      async ours() {
        const times: number[] = []
        for (const act of acts) times.push(...(await timeFrames(window, frames, act)))
        await window.getByTestId('timeline-fit').click()
        return within(times)
      },
      yardstick: async () => within(await empty.scroll(frames * 2)),
      async close() {
        await console.stop()
        await machine.stop()
        await agent.stop()
        await empty.stop()
      },
    }
  },
}

export const timelineViewBenches: readonly Bench[] = [timelineView]
