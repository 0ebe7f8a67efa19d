import { backoff } from '../../shared/client/backoff.ts'
import type { LifecycleState } from '../../shared/domain/lifecycle.ts'
import { type Clock, sleep } from '../clock.ts'
import type { Gate } from './gate.ts'
import { circuitAfter, circuitOpenMs } from './verification.ts'

/** Between two checks of a machine that cannot be verified, before the circuit opens. */
const againMs = { firstMs: 4000, maxMs: 15_000 }
/** Between two looks at a machine that is off. */
const pausedLookMs = 30_000

/** A wait that a person's own check can end. */
export class Naps {
  #nap: AbortController | undefined

  async take(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    this.#nap = new AbortController()
    await sleep(clock, ms, AbortSignal.any([signal, this.#nap.signal]))
  }

  end(): void {
    this.#nap?.abort()
  }
}

export interface KeepTrue {
  clock: Clock
  gate: Gate
  naps: Naps
  random?: () => number
  signal: AbortSignal
  verify: () => Promise<void>
  now: () => { state: LifecycleState; verificationFailures: number; connected: boolean; lost: boolean }
  /** Follows until the machine has to be verified anew; says how long to wait before that. */
  follow: () => Promise<{ waitMs: number }>
}

/** Verifies and follows one machine for as long as it is wanted, or until it is gone. */
export async function keepTrue({ clock, gate, naps, random, signal, verify, now, follow }: KeepTrue): Promise<void> {
  const wait = backoff({ ...againMs, ...(random && { random }) })
  while (!signal.aborted) {
    await gate.turn(signal)
    await verify()
    const { state, verificationFailures, connected, lost } = now()
    if (signal.aborted || lost) return
    if (state === 'paused') await naps.take(clock, pausedLookMs, signal)
    else if (!connected) {
      const open = verificationFailures >= circuitAfter
      await naps.take(clock, open ? circuitOpenMs : wait.next(), signal)
    } else {
      wait.reset()
      const { waitMs } = await follow()
      if (!signal.aborted) await naps.take(clock, waitMs, signal)
    }
  }
}
