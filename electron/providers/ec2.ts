import type { Instance } from '@aws-sdk/client-ec2'
import type { PowerState, ProviderConfig } from '../../shared/domain/power.ts'
import { Problem } from '../../shared/errors.ts'
import type { Ended, Observation, Provider, ProviderSurroundings } from './provider.ts'

type Config = Extract<ProviderConfig, { kind: 'ec2' }>

const states: Record<string, PowerState> = {
  pending: 'starting',
  running: 'running',
  'shutting-down': 'stopping',
  stopping: 'stopping',
  stopped: 'stopped',
  terminated: 'terminated',
}

/** An instance of EC2: asked about, started, stopped and rebooted through AWS, whatever its agent does. */
export function ec2({ instanceId, account }: Config, { ec2: accounts }: ProviderSurroundings): Provider {
  const InstanceIds = [instanceId]
  return {
    kind: 'ec2',
    name: 'EC2',
    actions: ['start', 'stop', 'reboot'],
    describe: async () => observationOf(await accounts.describe(account, instanceId)),
    async start() {
      // EC2 refuses to start what is still stopping, with an error that people cannot place.
      const { state } = observationOf(await accounts.describe(account, instanceId))
      if (state === 'running' || state === 'starting') return
      if (state === 'terminated') {
        throw new Problem(
          'not-found',
          `${instanceId} was terminated in EC2 and cannot be started again. Register its successor.`,
          { link: 'aws' },
        )
      }
      if (state === 'stopping') {
        throw new Problem('conflict', `${instanceId} is still stopping. Wait until EC2 says stopped, then start it.`, {
          link: 'aws',
        })
      }
      await accounts.send(account, 'StartInstances', (sdk) => new sdk.StartInstancesCommand({ InstanceIds }))
    },
    async stop() {
      await accounts.send(account, 'StopInstances', (sdk) => new sdk.StopInstancesCommand({ InstanceIds }))
    },
    async reboot() {
      await accounts.send(account, 'RebootInstances', (sdk) => new sdk.RebootInstancesCommand({ InstanceIds }))
    },
    async terminate() {
      await accounts.send(account, 'TerminateInstances', (sdk) => new sdk.TerminateInstancesCommand({ InstanceIds }))
    },
  }
}

export function observationOf(instance: Instance): Observation {
  return {
    state: states[instance.State?.Name ?? ''] ?? 'unknown',
    instanceType: instance.InstanceType,
    publicIp: instance.PublicIpAddress,
    privateIp: instance.PrivateIpAddress,
    ...(instance.State?.Name === 'terminated' && { ended: endOf(instance) }),
  }
}

/** Instances that were lent for a time carry it, as an ISO date. */
export const expiryTag = 'pilothouse:expires-at'
const timeIsOver = new Set(['Server.SpotInstanceTermination', 'Server.ScheduledStop'])

/** Why it was terminated, as far as EC2 tells. */
function endOf({ StateReason, Tags }: Instance): Ended | undefined {
  const until = Date.parse(Tags?.find(({ Key }) => Key === expiryTag)?.Value ?? '')
  if (timeIsOver.has(StateReason?.Code ?? '') || until <= Date.now()) return 'expired'
  return StateReason?.Code === 'Client.UserInitiatedShutdown' ? 'manual' : undefined
}

/** An instance as it is offered to a person who looks for machines by tag. */
export interface Discovered {
  instanceId: string
  name: string
  state: PowerState
  instanceType: string | null
  privateIp: string | null
  publicIp: string | null
  tags: Record<string, string>
}

export function discovered(instance: Instance): Discovered | undefined {
  if (instance.InstanceId === undefined) return undefined
  const tags = Object.fromEntries((instance.Tags ?? []).map(({ Key, Value }) => [Key ?? '', Value ?? '']))
  const { state, instanceType, privateIp, publicIp } = observationOf(instance)
  return {
    instanceId: instance.InstanceId,
    name: tags['Name'] || instance.InstanceId,
    state,
    instanceType: instanceType ?? null,
    privateIp: privateIp ?? null,
    publicIp: publicIp ?? null,
    tags,
  }
}
