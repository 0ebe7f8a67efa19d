import { onIpcEvent } from '../../app/bridge.ts'
import { dismiss, toast } from '../../ui/Toast.tsx'
import { useFleet } from '../fleet/fleet.store.ts'
import { keepUp } from './operations.ts'

/** As long as there is something to keep up. */
const warnedMs = 5 * 60_000

/** Says it wherever the person is when a machine is about to be stopped; returns the way to stop. */
export function startWarnings(): () => void {
  return onIpcEvent('autostop.warning', ({ machineId, name, reason }) => {
    const id = `autostop:${machineId}`
    const keep = async () => {
      const machine = useFleet.getState().machines[machineId]
      if (machine === undefined || (await keepUp(machine))) dismiss(id)
    }
    toast({
      title: `${name} is stopped in five minutes`,
      detail: `It is ${reason}.`,
      kind: 'person',
      id,
      forMs: warnedMs,
      action: { label: 'Keep it up', run: () => void keep() },
    })
  })
}
