import type { CallResult } from '../../../shared/contract/index.ts'
import { call, callAgent, isGone } from '../../app/bridge.ts'

/** Label of the agent's own containers. */
const serviceLabel = 'gh.service'

export interface Service {
  name: string
  detail: string
  running: boolean
}

/** What of a machine has a log. When it cannot be asked: what was looked at before. */
export async function servicesOf(machineId: string, reachable: boolean): Promise<Service[]> {
  const found = new Map<string, Service>()
  const kept = await call('logs.keptServices', { machineId }).catch(() => [])
  const containers = reachable ? await containersOf(machineId) : undefined
  if (containers !== undefined) {
    for (const { name, labels, image, state } of containers) {
      const service = labels[serviceLabel] ?? name
      const running = state === 'running' || found.get(service)?.running === true
      found.set(service, { name: service, detail: image, running })
    }
    found.set('system', { name: 'system', detail: 'the machine itself', running: true })
    found.set('adspower', { name: 'adspower', detail: 'the AdsPower browser', running: false })
  }
  for (const { service, lines } of kept) {
    const detail = `${lines.toLocaleString('en')} lines kept from the last look`
    if (!found.has(service)) found.set(service, { name: service, detail, running: false })
  }
  return [...found.values()]
}

/** Undefined where the machine does not answer, whatever was known of it a moment ago; none where there is no Docker. */
async function containersOf(machineId: string): Promise<CallResult<'containers.list'> | undefined> {
  try {
    return await callAgent(machineId, 'containers.list', {})
  } catch (error) {
    return isGone(error) ? undefined : []
  }
}

/** What a person most likely came for: the services that run, else the machine itself. */
export function usualServices(services: readonly Service[]): string[] {
  const own = services.filter(({ name, running }) => running && ['worker', 'api'].includes(name))
  if (own.length > 0) return own.map(({ name }) => name)
  const first = services.find(({ name, running }) => running && name !== 'system') ?? services[0]
  return first === undefined ? [] : [first.name]
}
