import fs from 'node:fs'
import { AuditLog } from './audit.service.ts'

/** Writes until it is killed, and says each row's number once the row is acknowledged. */
const audit = new AuditLog(process.argv[2] ?? '')
for (;;) {
  const id = audit.begin({
    action: 'exec',
    operator: 'Ann',
    peer: 'unix',
    requestId: 'r',
    details: { long: 'x'.repeat(500) },
  })
  fs.writeSync(1, `${id}\n`)
  audit.finish(id, { result: 'success', durationMs: 1 })
}
