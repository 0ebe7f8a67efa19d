import fs from 'node:fs'
import { openStore } from './store.ts'

/** Writes until it is killed, and says each row's number once the row is acknowledged. */
const { audit, settings } = openStore(process.argv[2] ?? '')
const createdAt = new Date().toISOString()
for (let count = 0; ; count++) {
  const details = { long: 'x'.repeat(500) }
  const id = audit.begin({ sandboxId: null, operator: 'Ann', action: 'exec', details, createdAt })
  fs.writeSync(1, `${id}\n`)
  // The other connection writes in between, as it does in the console.
  settings.set('counted', String(count))
  audit.finish(id, { result: 'success', errorMessage: null, durationMs: 1, at: createdAt })
}
