import type { MachineView } from '../../../shared/domain/machine.ts'
import { call } from '../../app/bridge.ts'
import { go } from '../../app/route.ts'
import { work } from '../../app/work.ts'
import { toast } from '../../ui/Toast.tsx'
import { useFleet } from '../fleet/fleet.store.ts'
import type { LogsSession } from './session.ts'

/** The view of logs that is open in this window, for keys and the palette. */
export const currentLogs: { session: LogsSession | null } = { session: null }

/** Shows the logs of machines in one list by time; all of the fleet when none is named. */
export function openLogs(machineIds: readonly string[]): void {
  const [only] = machineIds
  if (machineIds.length === 1 && only !== undefined) go({ screen: 'machine', machineId: only, tab: 'logs' })
  else go({ screen: 'logs', machineIds: [...machineIds] })
}

export function showLogs(machine: MachineView): void {
  openLogs([machine.id])
}

/** Saves what is seen: main asks where to, and writes it part by part. */
export function download(session: LogsSession, format: 'text' | 'jsonl'): Promise<boolean> {
  return work('logs-download', 'Saving the lines', async () => {
    const { machines } = useFleet.getState()
    const names = session.sources.map(({ machineId, service }) => ({
      machine: machines[machineId]?.name ?? machineId,
      service,
    }))
    const machineIds = [...new Set(session.sources.map(({ machineId }) => machineId))]
    const moment = new Date().toISOString().slice(0, 19).replaceAll(':', '-')
    const name = `logs-${moment}.${format === 'text' ? 'log' : 'jsonl'}`
    const { saveId } = await call('logs.saveBegin', { name, machineIds })
    if (saveId === null) return
    try {
      for await (const text of session.exported(format, names)) {
        for (let from = 0; from < text.length; from += maxPart) {
          await call('logs.saveAppend', { saveId, text: text.slice(from, from + maxPart) })
        }
      }
    } catch (error) {
      await call('logs.saveEnd', { saveId, keep: false }).catch(() => {})
      throw error
    }
    const { file, bytes } = await call('logs.saveEnd', { saveId, keep: true })
    toast({ title: 'The lines are saved', detail: `${file} · ${formatBytes(bytes)}`, id: 'logs-download' })
  })
}

const maxPart = 1024 * 1024

function formatBytes(bytes: number): string {
  return bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}
