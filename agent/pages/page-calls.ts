import { Problem } from '../../shared/errors.ts'
import type { BrowserService } from '../browser/browser.service.ts'
import type { CallContext } from '../server/handlers.ts'
import { type LeaseService, restMs } from '../takeover/lease.service.ts'
import type { MayAct } from './act.ts'
import { watchBeside } from './beside.ts'
import { release } from './elements.ts'
import { onceItStays } from './moving-on.ts'
import type { OpenPages } from './open-pages.ts'
import type { Operation } from './operation.ts'
import type { OperationOptions, Page } from './page.ts'

/** The least that one look at the page takes: a call that is not to wait at all is to have that. */
export const oneLookMs = 250

interface Leased {
  leaseId?: string | undefined
}

/** How calls get at the page in front: reading at any time, acting and going places unless a person has control. */
export class PageCalls {
  readonly #browser: BrowserService
  readonly #leases: LeaseService
  readonly #acting = new Map<Operation, { leaseId: string | undefined; settled: Promise<unknown> }>()

  constructor(browser: BrowserService, leases: LeaseService) {
    this.#browser = browser
    this.#leases = leases
    leases.onTaken(() => this.#stopActing())
    leases.onTaken(() => this.#letChoose(true))
    leases.onEnd(() => void this.#letChoose(false))
  }

  /** The tabs of the running browser, or the problem that says it is not running. */
  open(): OpenPages {
    return this.#browser.requireSession().pages
  }

  /** Refuses while a person has control, unless it is that person who asks; gives what asks again later. */
  guard(leaseId: string | undefined): MayAct {
    const mayAct = () => {
      if (this.#leases.standing !== null && !this.#leases.isHeldBy(leaseId)) throw this.#held()
    }
    mayAct()
    return mayAct
  }

  read<Result>(
    context: CallContext,
    limitMs: number,
    work: (page: Page, operation: Operation) => Promise<Result>,
  ): Promise<Result> {
    const options = { limitMs, signal: context.signal }
    const pages = this.open()
    return perform(pages, pages.requireFront(), options, (page, operation) =>
      onceItStays(operation, () => work(page, operation)),
    )
  }

  async act(
    params: Leased,
    context: CallContext,
    limitMs: number,
    work: (page: Page, operation: Operation, mayAct: MayAct) => Promise<unknown>,
  ): Promise<{ ok: boolean }> {
    await this.change(params, context, Math.max(limitMs, oneLookMs), work)
    return { ok: true }
  }

  /** Like acting, for what has an answer of its own. */
  change<Result>(
    params: Leased,
    context: CallContext,
    limitMs: number,
    work: (page: Page, operation: Operation, mayAct: MayAct) => Promise<Result>,
  ): Promise<Result> {
    return this.#change(params, { limitMs, signal: context.signal }, work)
  }

  /** Like acting, but a page that crashed can be left. */
  go<Result>(
    params: Leased,
    context: CallContext,
    limitMs: number,
    work: (page: Page, operation: Operation, pages: OpenPages) => Promise<Result>,
  ): Promise<Result> {
    const pages = this.open()
    const options = { limitMs, signal: context.signal, evenCrashed: true }
    return this.#change(params, options, (page, operation) => work(page, operation, pages))
  }

  /** The same on a tab that need not be in front. */
  goIn<Result>(
    page: Page,
    params: Leased,
    context: CallContext,
    limitMs: number,
    work: (page: Page, operation: Operation) => Promise<Result>,
  ): Promise<Result> {
    return this.#change(params, { limitMs, signal: context.signal, evenCrashed: true }, work, page)
  }

  async #change<Result>(
    params: Leased,
    options: OperationOptions,
    work: (page: Page, operation: Operation, mayAct: MayAct) => Promise<Result>,
    page = this.open().requireFront(),
  ): Promise<Result> {
    const mayAct = this.guard(params.leaseId)
    const { leaseId } = params
    const settled = Promise.withResolvers<void>()
    let running: Operation | undefined
    try {
      return await perform(this.open(), page, options, (_page, operation) => {
        running = operation
        this.#acting.set(operation, { leaseId, settled: settled.promise })
        return work(page, operation, mayAct)
      })
    } finally {
      if (running !== undefined) this.#acting.delete(running)
      settled.resolve()
    }
  }

  /** A person took control: what waits ends here, and a click that has begun is let finish, unless the page hangs. */
  async #stopActing(): Promise<void> {
    const others = [...this.#acting].filter(([, { leaseId }]) => !this.#leases.isHeldBy(leaseId))
    for (const [operation] of others) if (operation.dialogIs === 'obstacle') operation.interrupt(this.#held())
    const late = setTimeout(() => {
      for (const [operation] of others) operation.interrupt(this.#held())
    }, restMs)
    await Promise.all(others.map(([, { settled }]) => settled))
    clearTimeout(late)
  }

  /** A person can answer the dialog of a file field where they see it; elsewhere the field waits for an upload. */
  async #letChoose(person: boolean): Promise<void> {
    const { session } = this.#browser
    session?.pages.choosers.dropAll()
    await session?.pages.catchFiles(!person || session.display === null)
  }

  #held(): Problem {
    const holder = this.#leases.standing
    const who = holder?.operator ?? 'Someone'
    const until = holder === null ? '' : ` until ${holder.expiresAt}`
    return new Problem('held-by-operator', `${who} has control of the browser${until}. Wait until it is given back.`, {
      holder: who,
      ...(holder === null ? {} : { expiresAt: holder.expiresAt }),
    })
  }
}

/** Runs work on a page and lets go of what it held there. */
async function perform<Result>(
  pages: OpenPages,
  page: Page,
  options: OperationOptions,
  work: (page: Page, operation: Operation) => Promise<Result>,
): Promise<Result> {
  const stop = watchBeside(pages, page)
  try {
    return await page.perform(options, (operation) => work(page, operation))
  } finally {
    stop()
    if (!page.closed && !page.busy) release(page)
  }
}
