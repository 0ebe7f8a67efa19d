import type { AuditEntry } from '../../shared/contract/audit.ts'
import { isUp } from '../../shared/domain/lifecycle.ts'
import { Problem } from '../../shared/errors.ts'
import type { AuditCursor, AuditFilter, AuditSource, MergedEntry } from '../../shared/ipc-audit.ts'
import { consoleSource } from '../../shared/ipc-audit.ts'
import { type Clock, isoTime } from '../clock.ts'
import type { Store } from '../store/store.ts'
import type { Fleet } from './fleet.ts'

export interface AgentAuditsDeps {
  fleet: Pick<Fleet, 'machines' | 'call' | 'has' | 'machine'>
  store: Pick<Store, 'agentAudit'>
  clock: Clock
}

const pageSize = 500
/** What came since the last look; more than this begins the copy anew. */
const newPages = 4
/** Older pages that one question may fetch from one machine. */
const olderPages = 3
const atOnce = 8
const limitMs = 10_000

/** Keeps copies of the agents' audits up to date, and fetches what is older when someone looks for it. */
export class AgentAudits {
  readonly #deps: AgentAuditsDeps
  readonly #refreshedAt = new Map<string, number>()
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

  /** A page of everyone's; what is missing below it is fetched first, where the machine can be asked. */
  async query(
    filter: AuditFilter,
    before: AuditCursor | undefined,
    limit: number,
  ): Promise<{ entries: MergedEntry[]; next: AuditCursor | null; missing: string[] }> {
    const { agentAudit } = this.#deps.store
    const first = agentAudit.query(filter, before, limit)
    const reach = first.next?.at ?? filter.from ?? ''
    const short = agentAudit
      .sources()
      .filter(({ complete, machineId }) => !complete && isAsked(filter, machineId))
      .filter(({ machineId, agentId }) => (agentAudit.oldest(machineId, agentId)?.at ?? '') > reach)
    const missing: string[] = []
    await inTurns(short, async ({ machineId }) => {
      if (!(await this.#once(machineId, () => this.#older(machineId, reach)))) missing.push(machineId)
    })
    const fetched = short.length > missing.length
    const page = fetched ? agentAudit.query(filter, before, limit) : first
    // The end of what is at hand is not the end of what there is.
    const last = page.entries.at(-1)
    const more =
      page.next === null && short.length > missing.length && this.#stillShort(short.map((one) => one.machineId))
    return {
      ...page,
      next: more && last !== undefined ? { at: last.at, source: last.source, id: last.id } : page.next,
      missing,
    }
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

  #stillShort(machineIds: readonly string[]): boolean {
    return this.#deps.store.agentAudit
      .sources()
      .some(({ machineId, complete }) => !complete && machineIds.includes(machineId))
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

  async #older(machineId: string, reach: string): Promise<void> {
    const { agentAudit } = this.#deps.store
    const agentId = this.#agentId(machineId)
    const kept = agentAudit.sources().find((source) => source.machineId === machineId)
    if (kept === undefined || kept.agentId !== agentId) return
    for (let count = 0; count < olderPages; count++) {
      const lowest = agentAudit.oldest(machineId, agentId)
      if (lowest === undefined || lowest.at <= reach) return
      // Entries of the same moment come again, and are known; a page of nothing but those asks for the next one.
      let page = 1
      let found = await this.#page(machineId, lowest.at, page)
      while (found.entries.length === pageSize && found.entries.every(({ id }) => id >= lowest.id))
        found = await this.#page(machineId, lowest.at, ++page)
      const older = found.entries.filter(({ id }) => id < lowest.id)
      agentAudit.add(machineId, agentId, older)
      if (older.length === 0 || found.entries.length < pageSize) {
        agentAudit.note({ ...kept, complete: true })
        return
      }
    }
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

const isAsked = ({ sources }: AuditFilter, machineId: string) => sources.length === 0 || sources.includes(machineId)

async function inTurns<Item>(items: readonly Item[], task: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values()
  const worker = async () => {
    for (const item of rest) await task(item)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
}
