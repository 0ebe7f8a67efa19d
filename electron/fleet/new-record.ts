import type { ProviderConfig } from '../../shared/domain/power.ts'
import type { MachineRecord } from '../store/machines.ts'

type Wish = Pick<MachineRecord, 'id' | 'name' | 'environment' | 'machineType' | 'tunnel'> & {
  provider?: ProviderConfig | undefined
  now: string
}

/** A machine of which nothing is known but what a person said. */
export function newRecord(wish: Wish): MachineRecord {
  const { id, name, environment, machineType, tunnel, provider, now } = wish
  return {
    ...{ id, name, environment, machineType, tunnel },
    provider: provider?.kind === machineType ? provider : null,
    ...{ state: 'starting', stateSince: now, createdAt: now },
    ...{ agentId: null, agentVersion: null, snapshot: null, lastSandbox: null, imageTag: null },
    ...{ lastVerifiedAt: null, verificationFailures: 0, killedAt: null, killedReason: null },
    ...{ powerState: null, instanceType: null, publicIp: null, privateIp: null },
    ...{ lastStartedAt: null, lastStoppedAt: null },
    ...{ autoStopEnabled: false, idleMinutes: 30, keepUpUntil: null },
    ...{ auditEntries: 0, auditHead: null },
  }
}
