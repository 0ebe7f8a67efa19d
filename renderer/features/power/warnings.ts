import { onIpcEvent } from '../../app/bridge.ts'
import { toast } from '../../ui/Toast.tsx'

/** Says it wherever the person is when a machine is about to be stopped; returns the way to stop. */
export function startWarnings(): () => void {
  return onIpcEvent('autostop.warning', ({ machineId, name, reason }) => {
    toast({
      title: `${name} is stopped in five minutes`,
      detail: `It is ${reason}. Its page has the button to keep it up.`,
      kind: 'person',
      id: `autostop:${machineId}`,
    })
  })
}
