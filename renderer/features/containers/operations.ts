import type { ContainerView } from '../../../shared/contract/docker.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { callAgent } from '../../app/bridge.ts'
import { confirm } from '../../app/ui.store.ts'
import { work } from '../../app/work.ts'
import { toast } from '../../ui/Toast.tsx'
import { choose } from '../logs/choices.store.ts'
import { showLogs } from '../logs/operations.ts'
import { serviceOf } from './containers.ts'

type Verb = 'start' | 'stop' | 'restart'

export const containerKey = (machineId: string, id: string) => `container:${machineId}:${id}`

/** Asks for it, then looks again. */
function act(
  machine: MachineView,
  container: ContainerView,
  verb: Verb,
  reload: () => Promise<void>,
): Promise<boolean> {
  const doing = { start: 'Starting', stop: 'Stopping', restart: 'Restarting' }[verb]
  return work(containerKey(machine.id, container.id), `${doing} ${container.name}`, async () => {
    const after = await callAgent(machine.id, `containers.${verb}`, { id: container.id })
    toast({
      title: `${container.name}: ${after.state}`,
      detail: after.status,
      id: containerKey(machine.id, container.id),
    })
    await reload()
  })
}

export function startContainer(machine: MachineView, container: ContainerView, reload: () => Promise<void>): void {
  void act(machine, container, 'start', reload)
}

const what = (container: ContainerView) => {
  const service = serviceOf(container)
  return service === null ? `${container.image}, which is not one of the fleet’s services` : `the service ${service}`
}

export function stopContainer(machine: MachineView, container: ContainerView, reload: () => Promise<void>): void {
  confirm({
    title: `Stop ${container.name} on ${machine.name}?`,
    text: `It is ${what(container)}. What it is doing ends, and it stays off until someone starts it.`,
    action: 'Stop container',
    run: () => act(machine, container, 'stop', reload),
  })
}

export function restartContainer(machine: MachineView, container: ContainerView, reload: () => Promise<void>): void {
  confirm({
    title: `Restart ${container.name} on ${machine.name}?`,
    text: `It is ${what(container)}. What it is doing is interrupted; it is away for a few seconds.`,
    action: 'Restart container',
    run: () => act(machine, container, 'restart', reload),
  })
}

/** The machine's logs, of this container alone. */
export function showContainerLogs(machine: MachineView, container: ContainerView): void {
  choose(`machine ${machine.id}`, { picks: [{ machineId: machine.id, service: container.name }] })
  showLogs(machine)
}
