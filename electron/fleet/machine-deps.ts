import type { AgentClient } from '../../shared/client/client.ts'
import type { AgentEvent } from '../../shared/contract/index.ts'
import type { Metrics } from '../../shared/contract/machine.ts'
import type { PowerView } from '../../shared/domain/power.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Provider } from '../providers/provider.ts'
import type { MachineRecord, Transition } from '../store/machines.ts'
import type { Tunnel } from '../tunnels/tunnel.ts'
import type { EchoDeps } from './audit-echo.ts'
import type { Gate } from './gate.ts'
import type { Leases } from './leases.ts'
import type { MachineStore } from './lifecycle-record.ts'

/** What a machine needs of the fleet around it. */
export interface MachineDeps {
  store: MachineStore
  openTunnel: (config: MachineRecord['tunnel']) => Tunnel
  secret: (machineId: string) => Promise<string | undefined>
  operator: () => string
  leases: Leases
  clock: Clock
  log: Log
  gate: Gate
  makeProvider: (record: MachineRecord, agent: () => AgentClient) => Provider | undefined
  cost: (instanceType: string | null) => PowerView['costPerHour']
  echo: EchoDeps | undefined
  onChange: (machineId: string) => void
  /** It answers again after it did not. */
  onConnected: (machineId: string) => void
  /** It sends no events and was asked instead; a person is wanted there who was not at the last look. */
  onPolled: (machineId: string, news: { helpWanted: boolean }) => void
  onTransition: (machineId: string, transition: Transition) => void
  /** `ageMs`: how long ago it happened, if it is told again after a cut. */
  onEvent: (machineId: string, event: AgentEvent, ageMs: number) => void
  onMetrics: (machineId: string, metrics: Metrics) => void
  /** Counts how calls that verify went, for the diagnostics. */
  onVerified: (well: boolean) => void
  metricsEveryMs: () => number
  random?: () => number
}
