import type { PageState, SwitchRecord, SwitchStep } from '../../shared/contract/engines.ts'
import type { Driver } from '../../shared/domain/switch-criteria.ts'
import { Problem } from '../../shared/errors.ts'

export type NewSwitch = Omit<SwitchRecord, 'id' | 'time'>

/** The steps of a switch that touch something; each is told apart so that a record can say where it went wrong. */
export interface SwitchWork<Seat> {
  capture(): Promise<PageState>
  /** Ends the present engine's connection; never leaves it open. */
  disconnect(): Promise<void>
  alive(): Promise<boolean>
  connect(driver: Driver, before: PageState): Promise<Seat>
  /** Throws unless the engine sees the page. */
  verify(seat: Seat): Promise<void>
  /** Ends a connection that was made and cannot be used. */
  discard(seat: Seat, reason: string): Promise<void>
  resume(before: PageState): Promise<void>
}

export interface SwitchAsked {
  from: Driver | null
  /** The one that is wanted, and the ones to try when it cannot be had. */
  candidates: readonly Driver[]
  reason: string
  detail: string
  runId: string | null
}

/** Notes how long each step took and how it ended. */
class Steps {
  readonly list: SwitchStep[] = []

  async take<Result>(step: SwitchStep['step'], work: () => Promise<Result>): Promise<Result> {
    const began = performance.now()
    try {
      const result = await work()
      this.list.push({ step, ms: since(began), result: 'ok' })
      return result
    } catch (error) {
      this.list.push({ step, ms: since(began), result: 'failed', detail: (error as Error).message })
      throw error
    }
  }

  note(step: SwitchStep['step'], detail: string): void {
    this.list.push({ step, ms: 0, result: 'ok', detail })
  }
}

/**
 * Goes through the eight steps, with the first candidate that can be connected. Every attempt is recorded. Resolves
 * with the new engine; rejects with `browser-died`, or `engine-failed` when none could be connected.
 */
export async function performSwitch<Seat>(
  asked: SwitchAsked,
  work: SwitchWork<Seat>,
  record: (made: NewSwitch) => SwitchRecord,
): Promise<{ seat: Seat; driver: Driver; record: SwitchRecord; before: PageState }> {
  let began = performance.now()
  let steps = new Steps()
  let from = asked.from
  let before: PageState | null = null
  const finish = (to: Driver | undefined, success: boolean) =>
    record({
      ...{ runId: asked.runId, reason: asked.reason, detail: asked.detail, pageState: before },
      from: from ?? { engine: 'none', mode: null },
      to: to ?? { engine: 'none', mode: null },
      ...{ durationMs: since(began), steps: steps.list, success },
    })

  const [wanted] = asked.candidates
  steps.note('detect', asked.detail)
  steps.note('decide', asked.reason)
  try {
    before = await steps.take('capture', work.capture)
    await steps.take('disconnect', work.disconnect).catch(() => {})
    await steps.take('alive', async () => {
      if (!(await work.alive())) throw new Problem('browser-died', 'The browser ended. Start it anew.')
    })
  } catch (error) {
    finish(wanted, false)
    throw error
  }
  const failures: string[] = []
  const state = before
  for (const driver of asked.candidates) {
    try {
      const seat = await steps.take('connect', () => work.connect(driver, state))
      try {
        await steps.take('verify', () => twice(() => work.verify(seat)))
      } catch (error) {
        await work.discard(seat, 'it does not see the page')
        throw error
      }
      await steps.take('resume', () => work.resume(state)).catch(() => {})
      return { seat, driver, record: finish(driver, true), before: state }
    } catch (error) {
      failures.push(`${driver.engine}: ${(error as Error).message}`)
      finish(driver, false)
      if (error instanceof Problem && stops.has(error.code)) throw error
      ;[from, steps, began] = [null, new Steps(), performance.now()]
    }
  }
  throw new Problem('engine-failed', `No engine could be connected (${failures.join('; ')}). Try again, or take over.`)
}

/** What another engine would not do better: the lock was lost, the browser is gone, someone has its place. */
const stops = new Set<string>([
  ...['timeout', 'browser-died', 'not-active', 'controller-busy', 'held-by-operator', 'conflict', 'stopping'],
])

async function twice(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch {
    await work()
  }
}

function since(began: number): number {
  return Math.round((performance.now() - began) * 10) / 10
}
