import type { ProviderConfig } from '../../shared/domain/power.ts'
import type { IpcParamsOut } from '../../shared/ipc.ts'
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

type Changed = Omit<IpcParamsOut<'fleet.update'>, 'machineId'>

/** What a person set of a machine, as it is kept: what was set for another kind of machine means nothing to this one. */
export function fitting(record: MachineRecord, changed: Changed): Partial<MachineRecord> {
  const provider = changed.provider === undefined ? record.provider : changed.provider
  const kind = changed.machineType ?? record.machineType
  const given = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined))
  return { ...given, provider: provider === null || provider.kind === kind ? provider : null }
}
