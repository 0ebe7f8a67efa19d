import type { AgentClient } from '../../shared/client/client.ts'
import type { PowerAction, PowerState, ProviderConfig } from '../../shared/domain/power.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Ec2Accounts } from './ec2-accounts.ts'

/** What a provider says of a machine, from outside of it. */
export interface Observation {
  state: PowerState
  instanceType?: string | undefined
  publicIp?: string | undefined
  privateIp?: string | undefined
  /** Of one that is gone for good, where the provider says it: a person ended it, or its time was over. */
  ended?: Ended | undefined
}

export type Ended = 'manual' | 'expired'

/** What a provider may need of the rest of the console. */
export interface ProviderSurroundings {
  ec2: Ec2Accounts
  /** The machine's own agent; throws where it cannot be spoken to. */
  agent: () => Pick<AgentClient, 'call'>
  clock: Clock
  log: Log
}

/** One machine, seen from whoever switches it on and off. What it lacks, that kind of machine cannot do. */
export interface Provider {
  readonly kind: ProviderConfig['kind']
  readonly actions: readonly PowerAction[]
  /** How the provider is called in a sentence. */
  readonly name: string
  /** Asks whoever knows. Throws a problem that says what stands in the way; `not-found` means it is gone for good. */
  describe?(): Promise<Observation>
  /** Each begins it and returns once it was accepted. */
  start?(): Promise<void>
  stop?(): Promise<void>
  reboot?(): Promise<void>
  /** Ends it for good, with its disks: it cannot be started again. */
  terminate?(): Promise<void>
}
