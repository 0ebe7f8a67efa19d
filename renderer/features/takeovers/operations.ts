import { call, callAgent } from '../../app/bridge.ts'
import { go } from '../../app/route.ts'
import { work } from '../../app/work.ts'
import { toast } from '../../ui/Toast.tsx'
import { useFleet } from '../fleet/fleet.store.ts'
import { openRequests, useTakeovers, type Wanted } from './takeovers.store.ts'

export const requestKey = ({ id }: Pick<Wanted, 'id'>) => `request:${id}`

/** The live view opens while control is being taken: the picture is there when the keys are. */
export function accept(request: Wanted): Promise<boolean> {
  go({ screen: 'machine', machineId: request.machineId, tab: 'live' })
  return work(requestKey(request), 'Accepting', async () => {
    await call('takeover.accept', { machineId: request.machineId, requestId: request.id })
  })
}

export function acceptOldest(): void {
  const [oldest] = openRequests(useTakeovers.getState().requests)
  if (oldest !== undefined) void accept(oldest)
}

export function decline(request: Wanted, reason: string): Promise<boolean> {
  return work(requestKey(request), 'Declining', async () => {
    await callAgent(request.machineId, 'takeover.decline', { id: request.id, reason })
    toast({
      title: `${nameOf(request)} goes on without a person`,
      detail: 'The operation fails now.',
      id: requestKey(request),
    })
  })
}

export function handOn(request: Wanted, to: string): Promise<boolean> {
  return work(requestKey(request), 'Handing on', async () => {
    await callAgent(request.machineId, 'takeover.handOn', { id: request.id, to })
    toast({
      title: `${to} is asked for ${nameOf(request)}`,
      detail: 'Anyone may still accept it.',
      id: requestKey(request),
    })
  })
}

export function nameOf({ machineId }: Pick<Wanted, 'machineId'>): string {
  return useFleet.getState().machines[machineId]?.name ?? machineId
}
