import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { newRecord } from '../../electron/fleet/new-record.ts'
import type { MachineRecord } from '../../electron/store/machines.ts'
import { openStore, type Store } from '../../electron/store/store.ts'

/** Machines of an earlier run, in every state that asks for no network: what a console finds in its own data. */
export function keepFleet(
  userData: string,
  machines: readonly Partial<MachineRecord>[],
  more?: (store: Store) => void,
): void {
  mkdirSync(userData, { recursive: true })
  const store = openStore(path.join(userData, 'console.db'))
  const now = new Date().toISOString()
  machines.forEach((given, index) => {
    const { state = 'terminated' } = given
    const gone = state === 'killed' || state === 'expired' || state === 'terminated'
    store.machines.save({
      ...newRecord({
        id: `kept-${index}`,
        name: `kept-${index}`,
        environment: 'prod',
        machineType: 'ssh_host',
        tunnel: { kind: 'direct', host: '127.0.0.1', port: 9 },
        now,
      }),
      state,
      killedAt: gone ? now : null,
      killedReason: gone ? 'terminated' : null,
      lastVerifiedAt: now,
      ...given,
    })
  })
  more?.(store)
  store.close()
}

/** Names that people and programs give: long, from right to left, markup, signs of all kinds. */
export const hostileNames = [
  'a-very-long-name-that-someone-gave-to-a-machine-because-a-script-made-it-out-of-everything-it-knew-abc',
  'שרת-ייצור-01',
  '<img src=x onerror=alert(1)>',
  '🚀🛰️ orbit 👩‍🚀',
  'a\u202egnp.exe',
  "Robert'); DROP TABLE sandboxes;--",
  '   spaces   inside   ',
]
