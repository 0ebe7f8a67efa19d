import type { LegProgress, Rollout } from '../../shared/domain/rollout.ts'
import type { Clock } from '../clock.ts'

/** Soon enough for an eye, and seldom enough for a deploy over a thousand machines. */
const gatherMs = 100

/** Tells the windows of deploys: of each the newest state, and of each machine its newest step, a few times a second. */
export class TellWindows {
  readonly #clock: Clock
  readonly #send: (news: { rollouts: Rollout[]; progress: LegProgress[] }) => void
  readonly #rollouts = new Map<number, Rollout>()
  readonly #progress = new Map<string, LegProgress>()
  #cancel: (() => void) | undefined

  constructor(clock: Clock, send: (news: { rollouts: Rollout[]; progress: LegProgress[] }) => void) {
    this.#clock = clock
    this.#send = send
  }

  changed(rollout: Rollout): void {
    this.#rollouts.set(rollout.id, rollout)
    this.#soon()
  }

  progress(told: LegProgress): void {
    this.#progress.set(`${told.rolloutId}:${told.machineId}`, told)
    this.#soon()
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  #soon(): void {
    this.#cancel ??= this.#clock.after(gatherMs, () => {
      this.#cancel = undefined
      const news = { rollouts: [...this.#rollouts.values()], progress: [...this.#progress.values()] }
      this.#rollouts.clear()
      this.#progress.clear()
      this.#send(news)
    })
  }
}
