import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { migrations } from '../../agent/audit/audit.schema.ts'
import { AuditLog } from '../../agent/audit/audit.service.ts'
import { freshFolder } from '../rigs/folder.ts'
import type { Bench } from './bench.ts'
import { atLeastTimes } from './target.ts'

const rows = 400

/** Rows of the audit chain, each on the disk before the next. */
export const auditInsert: Bench = {
  name: 'audit.insert',
  unit: 'rows/s',
  against: 'node:sqlite alone: one prepared insert into the same schema, WAL, synchronous=FULL',
  target: atLeastTimes(0.9),
  runs: 9,
  warmups: 1,
  async open() {
    const { folder, remove } = freshFolder('audit')
    const audit = new AuditLog(path.join(folder, 'ours'))
    const insertBare = bareInsert(path.join(folder, 'bare.db'))
    const intent = () => ({
      action: 'takeover' as const,
      operator: 'Tester',
      peer: '127.0.0.1',
      requestId: randomUUID(),
      details: { reason: 'a captcha', url: 'https://example.com/checkout' },
    })
    const rate = async (insert: () => void) => {
      const began = performance.now()
      for (let row = 0; row < rows; row++) insert()
      return rows / ((performance.now() - began) / 1000)
    }
    return {
      ours: () => rate(() => audit.begin(intent())),
      yardstick: () => rate(() => insertBare.run(JSON.stringify(intent()))),
      async close() {
        audit.close()
        insertBare.close()
        remove()
      },
    }
  },
}

function bareInsert(file: string): { run(payload: string): void; close(): void } {
  const database = new DatabaseSync(file)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  for (const migration of migrations) database.exec(migration)
  const insert = database.prepare(
    'INSERT INTO links (kind, of, time, action, operator, idempotency_key, payload, prev, hash) VALUES (?,?,?,?,?,?,?,?,?)',
  )
  const hash = '0'.repeat(64)
  return {
    run: (payload) => {
      insert.run('intent', null, new Date().toISOString(), 'takeover', 'Tester', null, payload, hash, hash)
    },
    close: () => database.close(),
  }
}
