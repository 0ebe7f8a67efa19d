import type { BrowserStatus } from '../../shared/contract/browser.ts'
import { answersStill } from '../../shared/domain/lifecycle.ts'
import { Problem } from '../../shared/errors.ts'
import type { MachineRecord } from '../store/machines.ts'
import { isDead, type LifecycleRecord } from './lifecycle-record.ts'

/** What a look at the browser means for the sandbox; null when nothing changes by it. */
type SandboxNews = { kind: 'gone'; reason: string } | { kind: 'back' } | null

/** Gone with everything on it: nobody is asked any more. */
export function isLost(record: Pick<MachineRecord, 'state' | 'killedReason'>): boolean {
  return isDead(record.state) && !answersStill(record)
}

/** Why a sandbox is gone whose machine answers. */
export function goneProblem(
  record: Pick<MachineRecord, 'state' | 'killedReason'>,
  browser: BrowserStatus | null,
): Problem | undefined {
  if (!answersStill(record)) return undefined
  const why = browser?.lastError?.message ?? 'It ended from outside.'
  return new Problem('not-found', `The browser is gone. ${why} The machine itself answers.`)
}

/** Watches over the browser that makes a machine a sandbox: one that was there and is gone is a sandbox that is gone. */
export class SandboxWatch {
  #seen: boolean
  #afterSilence = false

  /** What an earlier run of the console saw counts. */
  constructor({ state }: Pick<MachineRecord, 'state'>, browser: BrowserStatus | null) {
    this.#seen = (state === 'running' || state === 'unknown') && isThere(browser)
  }

  /** The machine answers after it did not: what was there before and is not now went meanwhile. */
  heardAgain(): void {
    this.#afterSilence = true
  }

  /** It was switched off or woken: what ran before is not missed. */
  forget(): void {
    this.#seen = false
  }

  /** Gone, it is killed at once, and what else runs there goes on. True when that changed what the sandbox is. */
  judge(browser: BrowserStatus, lifecycle: LifecycleRecord): boolean {
    const news = this.#look(browser, lifecycle.current)
    if (news?.kind === 'gone')
      return lifecycle.become({ to: 'killed', reason: news.reason, killedReason: 'terminated' })
    if (news?.kind !== 'back') return false
    // Someone else woke it, or its agent did when it was told to: nothing here did.
    lifecycle.become({ to: 'starting', cause: 'wake', reason: 'its browser was started again' })
    return lifecycle.become({ to: 'running', reason: 'verified' })
  }

  #look(browser: BrowserStatus, record: Pick<MachineRecord, 'state' | 'killedReason'>): SandboxNews {
    const [seen, afterSilence] = [this.#seen, this.#afterSilence]
    this.#afterSilence = false
    if (browser.state === 'starting' || browser.state === 'stopping') return null
    this.#seen = isThere(browser)
    if (this.#seen) return browser.state === 'active' && answersStill(record) ? { kind: 'back' } : null
    if (!seen || record.state !== 'running') return null
    if (browser.state === 'failed')
      return { kind: 'gone', reason: `The browser is gone: ${browser.lastError?.message ?? 'it ended by itself.'}` }
    // One that is stopped while everyone listens was stopped on purpose: the machine is up, its browser is off.
    return afterSilence
      ? { kind: 'gone', reason: 'The browser is gone: it ended while the machine could not be heard.' }
      : null
  }
}

/** A browser that its agent brings back by itself was not lost. */
function isThere(browser: BrowserStatus | null): boolean {
  if (browser === null) return false
  return browser.state === 'active' || (browser.state === 'failed' && browser.restartsAt != null)
}
