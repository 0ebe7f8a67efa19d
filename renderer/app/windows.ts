import { call, onIpcEvent } from './bridge.ts'
import { type MachineTab, parseRoute, useRoute } from './route.ts'
import { work } from './work.ts'

/** A machine in a window of its own. */
export function openMachineWindow(machineId: string, tab: MachineTab = 'live'): void {
  void work(`window:${machineId}`, 'Opening a window', async () => {
    await call('window.open', { machineId, tab })
  })
}

/** Goes where main says, after a press on a notification; returns the way to stop. */
export function followMain(): () => void {
  return onIpcEvent('window.go', ({ place }) => {
    window.location.hash = place
    useRoute.setState({ route: parseRoute(place) })
  })
}
