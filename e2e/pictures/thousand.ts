import type { MachineRecord } from '../../electron/store/machines.ts'
import { keepFleet } from '../rigs/kept-fleet.ts'

const of = <Item>(items: readonly Item[], index: number): Item => items[index % items.length] as Item

/** A thousand machines as a fleet has them: of every kind, in every environment, off or gone, so that none is asked for. */
export function keepThousand(userData: string): void {
  const now = Date.now()
  const machines = Array.from({ length: 1000 }, (_, index): Partial<MachineRecord> => {
    const machineType = of(['ec2', 'ec2', 'ec2', 'ssh_host', 'macos'] as const, index)
    const environment = of(['prod', 'prod', 'staging', 'prod', 'dev', 'prod', 'staging'] as const, index * 3)
    const state = index % 97 === 5 ? 'killed' : index % 61 === 7 ? 'expired' : 'terminated'
    return {
      ...{
        id: `m-${index}`,
        name: `${of(['shop', 'jobs', 'bank', 'news'], index)}-${of(['de', 'us', 'fr', 'jp', 'br'], index * 7)}-${String(index).padStart(3, '0')}`,
      },
      ...{ environment, machineType, state, imageTag: `2.${index % 5}.${index % 9}`, agentVersion: '0.1.0' },
      tunnel: { kind: 'direct', host: `10.${index % 4}.${index % 250}.${(index * 13) % 250}`, port: 8000 },
      lastVerifiedAt: new Date(now - ((index * 7919) % 90_000) * 60_000).toISOString(),
      instanceType: machineType === 'ec2' ? of(['t3.large', 'm5.xlarge'], index) : null,
    }
  })
  keepFleet(userData, machines)
}
