import type { machineCalls } from '../../shared/ipc-machine.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { knownTimeline } from '../fleet/known-timeline.ts'
import type { LastAnswers } from '../fleet/last-answers.ts'
import { type LocalMachine, localMachineId } from '../fleet/local-machine.ts'
import type { SecretRotation } from '../fleet/rotate-secret.ts'
import type { WorkersBook } from '../fleet/workers-book.ts'
import type { Store } from '../store/store.ts'
import type { Tunnels } from '../tunnels/tunnels.ts'
import type { Vault } from '../vault/vault.ts'
import type { IpcHandlers } from './dispatch.ts'

export interface MachineHandlerDeps {
  fleet: Fleet
  local: LocalMachine
  store: Pick<Store, 'deploys' | 'events' | 'agentAudit'>
  tunnels: Pick<Tunnels, 'ssh'>
  vault: Pick<Vault, 'list'>
  answers: LastAnswers
  workers: WorkersBook
  rotation: SecretRotation
  operator: () => string
}

/** How many of a machine's deploys are looked through for the commit of an image. */
const deploysLookedAt = 50

/** What a machine's tabs ask main for: the last known, workers, its secret, its end, the way to it. */
export function machineHandlers(deps: MachineHandlerDeps): Pick<IpcHandlers, keyof typeof machineCalls> {
  const { fleet, local, store, tunnels, vault, answers, workers, rotation } = deps
  return {
    'known.get': ({ machineId, call }) => answers.get(fleet.view(machineId).id, call),
    'timeline.known': ({ machineId }) => knownTimeline(fleet.view(machineId).id, answers, store),
    'known.commit': ({ machineId, imageTag }) => {
      const deploys = store.deploys.last(deploysLookedAt, machineId).filter((deploy) => deploy.imageTag === imageTag)
      const found = deploys.find(({ commitSha }) => commitSha !== null) ?? deploys[0]
      if (found === undefined) return null
      return { sha: found.commitSha, message: found.commitMessage, branch: found.branch }
    },
    'workers.all': () => workers.all(),
    'fleet.rotateSecret': ({ machineId }) => rotation.rotate(machineId),
    'fleet.wakes': () => fleet.wakes,
    'fleet.wakeCancel': ({ machineId }) => {
      fleet.cancelWake(machineId)
      return {}
    },
    'power.terminate': async ({ machineId }) => {
      const reason = `terminated by ${deps.operator()}`
      if (machineId !== localMachineId) return fleet.terminate(machineId, reason)
      await local.stop(reason)
      return fleet.view(machineId)
    },
    'connection.get': async ({ machineId }) => {
      const { record } = fleet.machine(machineId)
      const view = fleet.view(machineId)
      const kept = (await vault.list()).filter((secret) => secret.machineId === machineId)
      const { tunnel } = record
      const ssh =
        tunnel.kind !== 'ssh'
          ? undefined
          : tunnels.ssh
              .all()
              .find(({ wish }) => wish.host === tunnel.host && wish.user === tunnel.user && wish.port === tunnel.port)
      return {
        agentId: record.agentId,
        publicIp: record.publicIp,
        privateIp: record.privateIp,
        channels: ssh?.channels ?? null,
        tunnel: view.links.tunnel,
        secret: {
          kept: kept.some(({ kind }) => kind === 'agent'),
          since: kept.find(({ kind }) => kind === 'agent')?.since ?? null,
          pending: kept.some(({ kind }) => kind === 'agent-next'),
        },
      }
    },
  }
}
