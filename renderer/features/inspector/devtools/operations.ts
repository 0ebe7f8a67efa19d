import type { MachineView } from '../../../../shared/domain/machine.ts'
import { call } from '../../../app/bridge.ts'
import { work } from '../../../app/work.ts'

export const devToolsKey = (machineId: string) => `devtools:${machineId}`

/** Chromium's own front end in a window of its own; the page in front where none is named. */
export function openDevTools(machine: MachineView, targetId?: string): Promise<boolean> {
  return work(devToolsKey(machine.id), 'Opening DevTools', async () => {
    await call('devtools.open', { machineId: machine.id, ...(targetId === undefined ? {} : { targetId }) })
  })
}
