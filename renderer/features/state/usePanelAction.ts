import type { MachineView } from '../../../shared/domain/machine.ts'
import { call, callAgent } from '../../app/bridge.ts'
import { useBusy, work } from '../../app/work.ts'
import { tryLocal, useLocalStart } from '../firstrun/local.store.ts'
import type { PanelAction } from '../live/condition.ts'
import { openSecret, powerKey, wake } from '../power/operations.ts'

/** The one thing a panel offers to do, and whether it is being done. */
export function usePanelAction(machine: MachineView): {
  busy: boolean
  act: (action: Exclude<PanelAction, 'none'>) => void
} {
  const key = `panel:${machine.id}`
  const working = useBusy(key)
  const waking = useBusy(powerKey(machine))
  const local = useLocalStart((state) => state.start.phase === 'starting')
  const { id: machineId } = machine
  const act = (action: Exclude<PanelAction, 'none'>) => {
    if (action === 'start-local') void tryLocal()
    else if (action === 'wake') void wake(machine)
    else if (action === 'fix-credentials') openSecret(machine)
    else if (action === 'verify')
      void work(key, 'The check', async () => {
        await call('fleet.verify', { machineId })
      })
    else
      void work(key, 'Starting the browser', async () => {
        await callAgent(machineId, 'browser.start', {})
      })
  }
  return { busy: working || waking || (machine.tunnel.kind === 'local' && local), act }
}
