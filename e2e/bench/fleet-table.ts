import path from 'node:path'
import { startConsole } from '../rigs/electron.ts'
import { freshFolder } from '../rigs/folder.ts'
import { keepFleet } from '../rigs/kept-fleet.ts'
import { until } from '../rigs/until.ts'
import type { Bench } from './bench.ts'
import { startEmptyPage } from './empty-page.ts'
import { type Act, timeFrames, within } from './frames.ts'
import { atMost, shown } from './target.ts'

const machines = 1000
const frames = 120

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

/**
 * What a person does with the table, as fast as anyone does: a wheel that never rests, ten letters a second, five clicks
 * a second. They run in the page, and know nothing from around them.
 */
export const fleetActs: Readonly<Record<'scroll' | 'sort' | 'filter' | 'type', Act>> = {
  scroll: (frame) => {
    const table = document.querySelector('[data-testid=fleet-table]')
    if (table !== null) table.scrollTop = frame * 51
  },
  sort: (frame) => {
    const heads = document.querySelectorAll<HTMLElement>('[data-testid=fleet-table] [role=columnheader] button')
    if (frame % 12 === 0) heads[(frame / 12) % heads.length]?.click()
  },
  filter: (frame) => {
    const cards = document.querySelectorAll<HTMLElement>('[data-testid^=summary-]')
    if (frame % 12 === 0) cards[(frame / 12) % cards.length]?.click()
  },
  type: (frame) => {
    const field = document.querySelector<HTMLInputElement>('[data-testid=fleet-search]')
    if (field === null || frame % 6 !== 0) return
    const text = 'worker 00 prod'.slice(0, (frame / 6) % 15)
    // As the browser itself sets it, past React's own property: that is what typing does.
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, text)
    field.dispatchEvent(new Event('input', { bubbles: true }))
  },
}

/** Sixty times a second to somewhere else: what pulling at the scroll bar does, and every row is another one. */
export const leap: Act = (frame) => {
  const table = document.querySelector('[data-testid=fleet-table]')
  if (table !== null) table.scrollTop = ((frame * 7919) % 33) * 1000
}

const fleetBench = (bench: Pick<Bench, 'name' | 'against' | 'target'>, acts: readonly Act[]): Bench => ({
  ...bench,
  unit: 'ms',
  runs: 3,
  warmups: 1,
  async open() {
    const [fleet, empty] = [await openFleetWindow(), await startEmptyPage()]
    return {
      async ours() {
        const times: number[] = []
        for (const act of acts) {
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
})

export const fleetTable = fleetBench(
  {
    name: 'fleet.table',
    against: `an empty page that scrolls; 95 % of the frames of ${machines} rows: scroll, sort and filter (5 clicks/s), type (10 letters/s)`,
    target: atMost(16, 'ms'),
  },
  Object.values(fleetActs),
)

export const fleetLeap = fleetBench(
  {
    name: 'fleet.leap',
    against: `an empty page that scrolls; 95 % of the frames of ${machines} rows: every frame a leap to other rows`,
    target: shown,
  },
  [leap],
)
