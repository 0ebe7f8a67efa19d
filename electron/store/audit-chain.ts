import { createHash } from 'node:crypto'
import type { Connection } from './open.ts'

/** The hash that every chain begins with. */
export const genesis = '0'.repeat(64)

export interface ChainLink {
  seq: number
  kind: 'intent' | 'result'
  row: number
  at: string
  payload: string
  prev: string
  hash: string
}

export interface ChainVerdict {
  sound: boolean
  entries: number
  head: string
  broken: { id: number; reason: string } | null
}

export function hashLink({ prev, seq, kind, row, at, payload }: Omit<ChainLink, 'hash'>): string {
  return createHash('sha256')
    .update(JSON.stringify([prev, seq, kind, row, at, payload]))
    .digest('hex')
}

/**
 * The append-only chain under the audit. An intent and its result are two links, so that a result cannot be
 * changed later either. The rows that people read are a copy of it, and compared with it.
 */
export class AuditChain {
  readonly #connection: Connection
  readonly #insert
  #entries: number
  #head: string

  constructor(connection: Connection) {
    this.#connection = connection
    this.#insert = connection.prepare(
      'INSERT INTO audit_chain (seq, kind, row, at, payload, prev, hash) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
    const last = connection.prepare('SELECT seq, hash FROM audit_chain ORDER BY seq DESC LIMIT 1').get() as
      | { seq: number; hash: string }
      | undefined
    this.#entries = last?.seq ?? 0
    this.#head = last?.hash ?? genesis
  }

  get entries(): number {
    return this.#entries
  }

  get head(): string {
    return this.#head
  }

  append(kind: ChainLink['kind'], row: number, at: string, payload: object): void {
    const link = { seq: this.#entries + 1, kind, row, at, payload: JSON.stringify(payload), prev: this.#head }
    const hash = hashLink(link)
    this.#insert.run(link.seq, kind, row, at, link.payload, link.prev, hash)
    this.#entries = link.seq
    this.#head = hash
  }

  hashAt(seq: number): string | null {
    if (seq === 0) return genesis
    const hash = this.#connection.prepare('SELECT hash FROM audit_chain WHERE seq = ?').pluck().get(seq)
    return typeof hash === 'string' ? hash : null
  }

  /** Walks the whole chain and the rows beside it; names the first thing that is wrong. */
  verify(rowMatches: (link: ChainLink) => string | undefined): ChainVerdict {
    let prev = genesis
    let expected = 1
    const broken = (id: number, reason: string): ChainVerdict => ({
      ...{ sound: false, entries: expected - 1, head: prev },
      broken: { id, reason },
    })
    for (const row of this.#connection.prepare('SELECT * FROM audit_chain ORDER BY seq').iterate()) {
      const link = row as ChainLink
      if (link.seq !== expected) return broken(expected, `Link ${expected} is missing.`)
      if (link.prev !== prev) return broken(link.seq, `Link ${link.seq} does not follow the one before it.`)
      if (hashLink(link) !== link.hash) return broken(link.seq, `Link ${link.seq} was changed after it was written.`)
      const mismatch = rowMatches(link)
      if (mismatch !== undefined) return broken(link.seq, mismatch)
      prev = link.hash
      expected++
    }
    const kept = this.#connection.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'audit_chain'").pluck().get()
    const written = Math.max(typeof kept === 'number' ? kept : 0, this.#entries)
    if (written >= expected) return broken(expected, `The end is cut off: ${written} links were written.`)
    return { sound: true, entries: expected - 1, head: prev, broken: null }
  }
}
