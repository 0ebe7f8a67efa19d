import type { AuditEntry } from '../../shared/contract/audit.ts'
import { isUp } from '../../shared/domain/lifecycle.ts'
import { Problem } from '../../shared/errors.ts'
import type { AuditCursor, AuditFilter, AuditSource, MergedEntry } from '../../shared/ipc-audit.ts'
import { consoleSource } from '../../shared/ipc-audit.ts'
import { type Clock, isoTime, sleep } from '../clock.ts'
import type { KeptSource } from '../store/agent-audit.ts'
import type { Store } from '../store/store.ts'
import type { Fleet } from './fleet.ts'
import { fetchOlder, pageSize } from './older-entries.ts'

export interface AgentAuditsDeps {
  fleet: Pick<Fleet, 'machines' | 'call' | 'has' | 'machine'>
  store: Pick<Store, 'agentAudit'>
  clock: Clock
}

/** What came since the last look; more than this begins the copy anew. */
const newPages = 4
const atOnce = 8
const limitMs = 10_000
/** A machine that did not answer is not waited for again so soon. */
const silentMs = 30_000

export interface MergedPage {
  entries: MergedEntry[]
  next: AuditCursor | null
  missing: string[]
}

/** A copy that ends above what a page is about. */
interface Short {
  source: KeptSource
  end: AuditCursor
}

/** Keeps copies of the agents' audits up to date, and fetches what is older when someone looks for it. */
export class AgentAudits {
  readonly #deps: AgentAuditsDeps
  readonly #refreshedAt = new Map<string, number>()
  readonly #silentAt = new Map<string, number>()
  readonly #underWay = new Map<string, Promise<boolean>>()

  constructor(deps: AgentAuditsDeps) {
    this.#deps = deps
  }

  /** Those that wait longest come first. */
  async refresh(most: number): Promise<{ refreshed: number; failed: string[]; left: number }> {
    const began = this.#deps.clock.now()
    const due = [...this.#deps.fleet.machines()]
      .filter(({ record }) => isUp(record))
      .map(({ record }) => ({ id: record.id, at: this.#refreshedAt.get(record.id) ?? 0 }))
      .sort((a, b) => a.at - b.at)
    const failed: string[] = []
    const now = due.slice(0, most)
    await inTurns(now, async ({ id }) => {
      if (!(await this.#once(id, () => this.#newest(id)))) failed.push(id)
      this.#refreshedAt.set(id, began)
    })
    const never = due.slice(most).filter(({ at }) => at === 0).length
    return { refreshed: now.length - failed.length, failed, left: never }
  }

  /**
   * A page of everyone's from what is at hand, down to where the copy of a machine ends that has more. What is below
   * is fetched meanwhile: only a question that begins there waits for it.
   */
  async query(filter: AuditFilter, before: AuditCursor | undefined, limit: number): Promise<MergedPage> {
    const { page, short, reach } = this.#atHand(filter, before, limit)
    if (short.length === 0) return page
    const fetching = this.#fetchOlder(short, reach)
    if (page.next !== null && (before === undefined || isOlder(page.next, before))) {
      // What goes wrong here goes wrong again for the question that waits for it.
      fetching.catch(() => {})
      return page
    }
    await fetching
    return this.#atHand(filter, before, limit).page
  }

  sources(): AuditSource[] {
    const { agentAudit } = this.#deps.store
    const counts = agentAudit.counts()
    const kept = new Map(agentAudit.sources().map((source) => [source.machineId, source]))
    const ids = new Set([...kept.keys(), ...[...this.#deps.fleet.machines()].map(({ record }) => record.id)])
    return [
      { source: consoleSource, entries: counts.get(consoleSource) ?? 0, refreshedAt: null, complete: true },
      ...[...ids].map((id) => ({
        source: id,
        entries: counts.get(id) ?? 0,
        refreshedAt: kept.get(id)?.refreshedAt ?? null,
        complete: kept.get(id)?.complete ?? false,
      })),
    ]
  }

  /** What the copies say, as far down as nothing can be missing, and the machines to ask for what is below. */
  #atHand(
    filter: AuditFilter,
    before: AuditCursor | undefined,
    limit: number,
  ): { page: MergedPage; short: readonly Short[]; reach: string } {
    const { agentAudit } = this.#deps.store
    const found = agentAudit.query(filter, before, limit)
    const reach = found.next?.at ?? filter.from ?? ''
    const isEnough = (end: AuditCursor) => (found.next === null ? end.at <= reach : !isOlder(found.next, end))
    const incomplete = agentAudit.sources().flatMap((source): Short[] => {
      const oldest = agentAudit.oldest(source.machineId, source.agentId)
      if (source.complete || oldest === undefined || !isAsked(filter, source.machineId)) return []
      const end = { ...oldest, source: source.machineId }
      return isEnough(end) ? [] : [{ source, end }]
    })
    const [short, silent] = [true, false].map((wanted) =>
      incomplete.filter(({ source }) => this.#canBeAsked(source.machineId) === wanted),
    ) as [Short[], Short[]]
    const missing = silent.map(({ source }) => source.machineId)
    const end = short.map((one) => one.end).reduce<AuditCursor | undefined>(newerOf, undefined)
    if (end === undefined) return { page: { ...found, missing }, short, reach }
    const entries = found.entries.filter(({ at, source, id }) => !isOlder({ at, source, id }, end))
    const next = before !== undefined && isOlder(before, end) ? before : end
    return { page: { entries, next, missing }, short, reach }
  }

  /** Of a machine that is off or did not answer a moment ago, what is at hand is shown without asking it. */
  #canBeAsked(machineId: string): boolean {
    const { fleet, clock } = this.#deps
    if (!fleet.has(machineId) || !isUp(fleet.machine(machineId).record)) return false
    return clock.now() - (this.#silentAt.get(machineId) ?? Number.NEGATIVE_INFINITY) >= silentMs
  }

  /** However many are silent, nobody waits longer than for one of them. */
  async #fetchOlder(short: readonly Short[], reach: string): Promise<void> {
    const { clock } = this.#deps
    const over = new AbortController()
    const open = new Set(short.map(({ source }) => source.machineId))
    const fetching = inTurns(short, async ({ source }) => {
      if (over.signal.aborted) return
      const { machineId } = source
      const answered = await this.#once(machineId, () => this.#older(source, reach))
      if (answered) open.delete(machineId)
    })
    await Promise.race([fetching, sleep(clock, limitMs, over.signal)]).finally(() => over.abort())
    for (const machineId of open) this.#silentAt.set(machineId, clock.now())
  }

  /** One at a time per machine; false when the machine could not be asked. */
  #once(machineId: string, work: () => Promise<void>): Promise<boolean> {
    const known = this.#underWay.get(machineId)
    if (known !== undefined) return known
    const run = work()
      .then(
        () => true,
        (error: unknown) => {
          if (error instanceof Problem) return false
          throw error
        },
      )
      .finally(() => this.#underWay.delete(machineId))
    this.#underWay.set(machineId, run)
    return run
  }

  async #newest(machineId: string): Promise<void> {
    const { store, clock } = this.#deps
    const { agentAudit } = store
    const agentId = this.#agentId(machineId)
    const kept = agentAudit.sources().find((source) => source.machineId === machineId && source.agentId === agentId)
    const known = agentAudit.newestId(machineId, agentId)
    const found: AuditEntry[] = []
    let complete = kept?.complete ?? false
    let to: string | undefined
    for (let page = 1; ; page++) {
      const { entries, total } = await this.#page(machineId, to)
      found.push(...entries)
      const lowest = entries.at(-1)
      if (known === 0) complete = entries.length === total
      if (known === 0 || lowest === undefined || lowest.id <= known + 1) break
      if (page === newPages) {
        // More is new than is read at once: what is below the hole is let go, and fetched again when asked for.
        agentAudit.forget(machineId, agentId)
        complete = false
        break
      }
      to = lowest.createdAt
    }
    agentAudit.add(machineId, agentId, found)
    agentAudit.note({ machineId, agentId, refreshedAt: isoTime(clock), complete })
  }

  async #older(source: KeptSource, reach: string): Promise<void> {
    const { machineId, agentId } = source
    if (agentId !== this.#agentId(machineId)) return
    const { agentAudit } = this.#deps.store
    await fetchOlder({ agentAudit, source, reach, ask: (to, page) => this.#page(machineId, to, page) })
  }

  #page(machineId: string, to: string | undefined, page = 1) {
    return this.#deps.fleet.call(
      machineId,
      'audit.list',
      { page, pageSize, ...(to === undefined ? {} : { to }) },
      { timeoutMs: limitMs },
    )
  }

  #agentId(machineId: string): string {
    return this.#deps.fleet.machine(machineId).record.agentId ?? machineId
  }
}

/** In the order of the pages: by time, then by source, then by id. */
const isOlder = (a: AuditCursor, b: AuditCursor) =>
  a.at === b.at ? (a.source === b.source ? a.id < b.id : a.source < b.source) : a.at < b.at

const newerOf = (a: AuditCursor | undefined, b: AuditCursor) => (a === undefined || isOlder(a, b) ? b : a)

const isAsked = ({ sources }: AuditFilter, machineId: string) => sources.length === 0 || sources.includes(machineId)

async function inTurns<Item>(items: readonly Item[], task: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values()
  const worker = async () => {
    for (const item of rest) await task(item)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
}
