import path from 'node:path'
import { startConsole } from '../rigs/electron.ts'
import { freshFolder } from '../rigs/folder.ts'
import { keepFleet } from '../rigs/kept-fleet.ts'
import { until } from '../rigs/until.ts'
import type { Bench } from './bench.ts'
import { startEmptyPage } from './empty-page.ts'
import { type Act, timeFrames, within } from './frames.ts'
import { atMost } from './target.ts'

const machines = 1000
const frames = 90
/** A person's turns: an act, and the frames in which the screen follows it. */
const framesPerTurn = 3

/** A console that finds a thousand machines in its own data: of all environments, kinds and states without a network. */
export async function openFleetWindow() {
  const { folder, remove } = freshFolder('fleettab')
  const userData = path.join(folder, 'data')
  const environments = ['dev', 'staging', 'prod'] as const
  const states = ['terminated', 'killed', 'expired', 'terminated'] as const
  keepFleet(
    userData,
    Array.from({ length: machines }, (_, index) => ({
      id: `machine-${index}`,
      name: `${['worker', 'apply', 'crawl', 'login'][index % 4]}-${String(index).padStart(4, '0')}`,
      environment: environments[index % 3] ?? 'dev',
      state: states[index % 4] ?? 'terminated',
    })),
  )
  const console = await startConsole({ userData })
  await console.window.locator('[data-testid=fleet-table] [data-row]').first().waitFor()
  return {
    console,
    /** So that the next act has all rows before it again. */
    async showAll() {
      await console.window.getByTestId('fleet-search').fill('')
      await console.window.getByTestId('summary-total').click()
      await until('all rows', () =>
        console.window.evaluate(
          (count) => document.querySelector(`[data-testid=fleet-table][aria-rowcount="${count}"]`) !== null,
          machines + 1,
        ),
      )
    },
    async close() {
      await console.stop()
      remove()
    },
  }
}

/** What a person does with the table, each in frames of its own. They run in the page. */
export const fleetActs: Readonly<Record<'scroll' | 'leap' | 'sort' | 'filter' | 'type', Act>> = {
  scroll: (frame) => {
    const table = document.querySelector('[data-testid=fleet-table]')
    if (table !== null) table.scrollTop = frame * 51
  },
  leap: (frame) => {
    const table = document.querySelector('[data-testid=fleet-table]')
    if (table !== null) table.scrollTop = ((frame * 7919) % 33) * 1000
  },
  sort: (frame) => {
    const heads = document.querySelectorAll<HTMLElement>('[data-testid=fleet-table] [role=columnheader] button')
    if (frame % 3 === 0) heads[((frame / 9) % heads.length) | 0]?.click()
  },
  filter: (frame) => {
    const cards = document.querySelectorAll<HTMLElement>('[data-testid^=summary-]')
    if (frame % 3 === 0) cards[((frame / 3) % cards.length) | 0]?.click()
  },
  type: (frame) => {
    const field = document.querySelector<HTMLInputElement>('[data-testid=fleet-search]')
    if (field === null || frame % 3 !== 0) return
    const text = 'worker 00 prod'.slice(0, (frame / 3) % 15)
    // As the browser itself sets it, past React's own property: that is what typing does.
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, text)
    field.dispatchEvent(new Event('input', { bubbles: true }))
  },
}

export const fleetTable: Bench = {
  name: 'fleet.table',
  unit: 'ms',
  against: `an empty page that scrolls; 95 % of the frames of ${machines} rows: scroll, leap, sort, filter, type every ${framesPerTurn} frames`,
  target: atMost(16, 'ms'),
  runs: 3,
  warmups: 1,
  async open() {
    const [fleet, empty] = [await openFleetWindow(), await startEmptyPage()]
    return {
      async ours() {
        const times: number[] = []
        for (const act of Object.values(fleetActs)) {
          times.push(...(await timeFrames(fleet.console.window, frames, act)))
          await fleet.showAll()
        }
        return within(times)
      },
      yardstick: async () => within(await empty.scroll(frames * 2)),
      async close() {
        await fleet.close()
        await empty.stop()
      },
    }
  },
}
