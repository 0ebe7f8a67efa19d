import type { MachineView } from '../../../shared/domain/machine.ts'
import { call } from '../../app/bridge.ts'
import { confirm } from '../../app/ui.store.ts'
import { work } from '../../app/work.ts'
import { toast } from '../../ui/Toast.tsx'

/** Gives the agent a new secret. Other consoles of the same machine have to be told of it by hand. */
export function rotateSecret(machine: MachineView, after: () => void = () => {}): void {
  confirm({
    title: `Rotate the secret of ${machine.name}?`,
    text: 'The old secret ends after 60 s. Other consoles and tools that use it must be given a new one: nobody can read this one out again.',
    action: 'Rotate secret',
    run: () =>
      work(`rotate:${machine.id}`, 'Rotating the secret', async () => {
        const { message } = await call('fleet.rotateSecret', { machineId: machine.id })
        toast({ title: `${machine.name} has a new secret`, detail: message, id: `rotate:${machine.id}` })
        after()
      }),
  })
}
