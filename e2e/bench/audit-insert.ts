import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { migrations } from '../../agent/audit/audit.schema.ts'
import { AuditLog } from '../../agent/audit/audit.service.ts'
import { findProgram } from '../../agent/processes/find-program.ts'
import { freshFolder } from '../rigs/folder.ts'
import { runProgram } from '../rigs/program.ts'
import type { Bench } from './bench.ts'
import { atLeastTimes } from './target.ts'

const rows = 400
const schema = migrations.join(';')

/** The yardstick is the same in C; where it cannot be compiled, it is Node's own SQLite, and the bench says so. */
const compiler = existsSync('/usr/include/sqlite3.h') ? findProgram(['cc', 'gcc', 'clang']) : undefined
const same = 'one prepared insert into the same schema, WAL, synchronous=FULL'

const intent = () => ({
  action: 'takeover' as const,
  operator: 'Tester',
  peer: '127.0.0.1',
  requestId: randomUUID(),
  details: { reason: 'a captcha', url: 'https://example.com/checkout' },
})

/** Rows of the audit chain, each on the disk before the next. */
export const auditInsert: Bench = {
  name: 'audit.insert',
  unit: 'rows/s',
  against:
    compiler === undefined
      ? `node:sqlite alone, because there is no C compiler with SQLite's headers here: ${same}`
      : `SQLite in C: ${same}`,
  target: atLeastTimes(0.9),
  runs: 9,
  warmups: 1,
  async open() {
    const { folder, remove } = freshFolder('audit')
    const audit = new AuditLog(path.join(folder, 'ours'))
    const bare = compiler === undefined ? nodeInsert(folder) : await compiledInsert(compiler, folder)
    return {
      ours: () => rate(() => audit.begin(intent())),
      yardstick: bare.rate,
      async close() {
        audit.close()
        bare.close()
        remove()
      },
    }
  },
}

async function rate(insert: () => void): Promise<number> {
  const began = performance.now()
  for (let row = 0; row < rows; row++) insert()
  return rows / ((performance.now() - began) / 1000)
}

interface Bare {
  rate: () => Promise<number>
  close: () => void
}

async function compiledInsert(cc: string, folder: string): Promise<Bare> {
  const program = path.join(folder, 'audit-insert')
  await runProgram(cc, ['-O2', '-o', program, path.join(import.meta.dirname, 'audit-insert.c'), '-lsqlite3'])
  const payload = JSON.stringify(intent())
  const child = spawn(program, [path.join(folder, 'c.db'), schema, String(rows), payload], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async rate() {
      child.stdin.write('\n')
      const { value } = await answers.next()
      if (value === undefined) throw new Error('The inserts in C ended.')
      return Number(value)
    },
    close: () => void child.stdin.end(),
  }
}

function nodeInsert(folder: string): Bare {
  const database = new DatabaseSync(path.join(folder, 'bare.db'))
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  database.exec(schema)
  const insert = database.prepare(
    'INSERT INTO links (kind, of, time, action, operator, idempotency_key, payload, prev, hash) VALUES (?,?,?,?,?,?,?,?,?)',
  )
  const hash = '0'.repeat(64)
  const run = () =>
    insert.run(
      'intent',
      null,
      new Date().toISOString(),
      'takeover',
      'Tester',
      null,
      JSON.stringify(intent()),
      hash,
      hash,
    )
  return { rate: () => rate(run), close: () => database.close() }
}
