import type { MachineView } from '../../../shared/domain/machine.ts'
import { call, callAgent } from '../../app/bridge.ts'
import { go } from '../../app/route.ts'
import { confirm, useUi } from '../../app/ui.store.ts'
import { work } from '../../app/work.ts'
import { toast } from '../../ui/Toast.tsx'

/** What a person can do to a machine from menus, keys and the palette. The screen follows main's events. */

export function verify(machine: MachineView): Promise<boolean> {
  return work(`verify:${machine.id}`, 'The health check', async () => {
    const found = await call('fleet.verify', { machineId: machine.id })
    toast({
      title: `${found.name} is ${found.state}`,
      detail: found.problem?.detail ?? 'Verified just now.',
      kind: found.problem === null ? 'plain' : 'problem',
      id: `verified:${machine.id}`,
    })
  })
}

export function takeOver(machine: MachineView): Promise<boolean> {
  go({ screen: 'machine', machineId: machine.id, tab: 'live' })
  return work(`take:${machine.id}`, 'Taking over', async () => {
    await call('takeover.take', { machineId: machine.id, reason: '' })
  })
}

/** Opens the form that ends a takeover. */
export function openGiveBack(machine: MachineView): void {
  go({ screen: 'machine', machineId: machine.id, tab: 'live' })
  useUi.setState({ givingBack: machine.id })
}

export function startBrowser(machine: MachineView): Promise<boolean> {
  return work(`browser:${machine.id}`, 'Starting the browser', async () => {
    await callAgent(machine.id, 'browser.start', {})
  })
}

export function stopBrowser(machine: MachineView): void {
  confirm({
    title: `Stop the browser on ${machine.name}?`,
    text: 'Its windows close and whoever works in it loses the page. The machine stays up.',
    action: 'Stop browser',
    run: () =>
      work(`browser:${machine.id}`, 'Stopping the browser', async () => {
        await callAgent(machine.id, 'browser.stop', {})
      }),
  })
}

export function removeMachine(machine: MachineView): void {
  confirm({
    title: `Remove ${machine.name}?`,
    text: 'This console forgets the machine and its secret. The machine itself goes on as it is.',
    action: 'Remove machine',
    typed: machine.name,
    run: () =>
      work(`remove:${machine.id}`, 'Removing the machine', async () => {
        await call('fleet.remove', { machineId: machine.id })
        go({ screen: 'fleet' })
      }),
  })
}
