import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { newRecord } from '../../electron/fleet/new-record.ts'
import { openStore } from '../../electron/store/store.ts'

/** Fills a console's data with machines it knew in its last run. They are off, so that none is asked for. */
export function cacheFleet(userData: string, machines: number): void {
  mkdirSync(userData, { recursive: true })
  const store = openStore(path.join(userData, 'console.db'))
  const now = new Date().toISOString()
  for (let index = 0; index < machines; index++) {
    const record = newRecord({
      id: `machine-${index}`,
      name: `worker-${String(index).padStart(3, '0')}`,
      environment: 'prod',
      machineType: 'ssh_host',
      tunnel: { kind: 'direct', host: '127.0.0.1', port: 9 },
      now,
    })
    store.machines.save({
      ...record,
      state: 'terminated',
      killedAt: now,
      killedReason: 'terminated',
      lastVerifiedAt: now,
    })
  }
  store.close()
}
