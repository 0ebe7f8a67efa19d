import type { MachineView } from '../../../shared/domain/machine.ts'
import { call } from '../../app/bridge.ts'
import { go } from '../../app/route.ts'
import { confirm, useUi } from '../../app/ui.store.ts'
import { work } from '../../app/work.ts'
import { toast } from '../../ui/Toast.tsx'

/** What a person can do about a machine being on. The screen follows main's events. */

export const powerKey = (machine: MachineView) => `power:${machine.id}`

/** Switches on what is off, verifies, and brings the sandbox back as far as it can be. */
export function wake(machine: MachineView): Promise<boolean> {
  return work(powerKey(machine), `Waking ${machine.name}`, async () => {
    const woken = await call('fleet.wake', { machineId: machine.id })
    if (woken.recreated !== null)
      toast({ title: `${woken.name} was recreated`, detail: recreatedText(woken.recreated), id: `woken:${machine.id}` })
  })
}

export function startMachine(machine: MachineView): Promise<boolean> {
  return work(powerKey(machine), `Starting ${machine.name}`, async () => {
    await call('power.start', { machineId: machine.id })
  })
}

export function stopMachine(machine: MachineView): void {
  confirm({
    title: `Stop ${machine.name}?`,
    text: 'The whole machine is switched off: its browser, its workers and every terminal on it end.',
    action: 'Stop machine',
    run: () =>
      work(powerKey(machine), `Stopping ${machine.name}`, async () => {
        await call('power.stop', { machineId: machine.id })
      }),
  })
}

export function rebootMachine(machine: MachineView): void {
  confirm({
    title: `Reboot ${machine.name}?`,
    text: 'It is away for a minute or two, and what runs on it is interrupted.',
    action: 'Reboot machine',
    run: () =>
      work(powerKey(machine), `Rebooting ${machine.name}`, async () => {
        await call('power.reboot', { machineId: machine.id })
      }),
  })
}

export function keepUp(machine: MachineView): Promise<boolean> {
  return work(`keep:${machine.id}`, `Keeping ${machine.name} up`, async () => {
    await call('autostop.keep', { machineId: machine.id })
    toast({ title: `${machine.name} stays up for an hour`, id: `keep:${machine.id}` })
  })
}

/** For a machine that was enrolled from here: takes the agent away from it, too. */
export function uninstall(machine: MachineView): void {
  confirm({
    title: `Uninstall the agent from ${machine.name}?`,
    text: 'The service, its files and its secret are removed from the machine, and the machine from this console.',
    action: 'Uninstall agent',
    typed: machine.name,
    run: () =>
      work(`uninstall:${machine.id}`, 'Uninstalling the agent', async () => {
        await call('enroll.undo', { machineId: machine.id })
        go({ screen: 'fleet' })
      }),
  })
}

export const openAutoStop = (machine: MachineView) => useUi.setState({ open: 'auto-stop', about: machine.id })
export const openEdit = (machine: MachineView) => useUi.setState({ open: 'edit-machine', about: machine.id })
export const openSecret = (machine: MachineView) => useUi.setState({ open: 'set-secret', about: machine.id })

export function recreatedText({ restored, notRestored }: NonNullable<MachineView['recreated']>): string {
  const back = restored.length === 0 ? 'Nothing was restored.' : `Restored: ${restored.join('; ')}.`
  return notRestored.length === 0 ? back : `${back} Not restored: ${notRestored.join('; ')}.`
}
