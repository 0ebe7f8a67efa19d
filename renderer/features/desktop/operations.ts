import type { MachineView } from '../../../shared/domain/machine.ts'
import { callAgent } from '../../app/bridge.ts'
import { confirm } from '../../app/ui.store.ts'
import { work } from '../../app/work.ts'

/** A display with a window manager, for whatever is not done in a browser. */
export function startDesktop(machine: MachineView): Promise<boolean> {
  return work(`desktop:${machine.id}`, 'Starting the desktop', async () => {
    await callAgent(machine.id, 'desktop.start', {})
  })
}

export function stopDesktop(machine: MachineView): void {
  confirm({
    title: `Stop the desktop on ${machine.name}?`,
    text: 'Every program that runs on it is closed, and what is not saved in them is lost. The machine stays up.',
    action: 'Stop desktop',
    run: () =>
      work(`desktop:${machine.id}`, 'Stopping the desktop', async () => {
        await callAgent(machine.id, 'desktop.stop', {})
      }),
  })
}
