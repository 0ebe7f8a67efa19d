import type { logsCalls } from '../../shared/ipc-logs.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { KeptLogs } from '../logs/kept-logs.ts'
import type { Savings } from '../logs/saving.ts'
import type { IpcHandlers } from './dispatch.ts'

export interface LogsHandlerDeps {
  fleet: Pick<Fleet, 'view'>
  keptLogs: KeptLogs
  savings: Savings
}

/** Logs that were looked at before, and files of what is in view. */
export function logsHandlers({ fleet, keptLogs, savings }: LogsHandlerDeps): Pick<IpcHandlers, keyof typeof logsCalls> {
  return {
    'logs.keptServices': ({ machineId }) => keptLogs.services(fleet.view(machineId).id),
    'logs.kept': ({ machineId, service }) => keptLogs.lines(fleet.view(machineId).id, service),
    'logs.saveBegin': async ({ name }, caller) => ({ saveId: await savings.begin(name, caller) }),
    'logs.saveAppend': async ({ saveId, text }) => {
      await savings.append(saveId, text)
      return {}
    },
    'logs.saveEnd': ({ saveId, keep }) => savings.end(saveId, keep),
  }
}
