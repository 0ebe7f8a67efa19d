import { isUp } from '../../../shared/domain/lifecycle.ts'
import type { MergedEntry } from '../../../shared/ipc-audit.ts'
import { useFleet } from '../fleet/fleet.store.ts'

/** The console's own record; every other source is a machine's id. Said here again, because a window brings no schemas along. */
export const consoleSource = 'console'

/** What a source is called. */
export function sourceName(source: string, machines: Readonly<Record<string, { name: string }>>): string {
  return source === consoleSource ? 'This console' : (machines[source]?.name ?? `removed (${source.slice(0, 8)})`)
}

/** Which machine an entry is about: by its name of today or, when it is gone, by that of then. */
export function machineOf(
  { source, machineId, action, details }: Pick<MergedEntry, 'source' | 'machineId' | 'action' | 'details'>,
  machines: Readonly<Record<string, { name: string }>>,
): string {
  // An agent may write what it likes into its rows; the console's own were written by the console.
  const said = source === consoleSource ? details[machineId === null ? 'name' : 'machine'] : undefined
  if (machineId === null) return newcomers.has(action) && typeof said === 'string' ? said : '—'
  if (machines[machineId] !== undefined || typeof said !== 'string') return sourceName(machineId, machines)
  return `${said} (removed)`
}

/** They have no number yet when they are written down. */
const newcomers: ReadonlySet<string> = new Set(['add_machine', 'enroll'])

/** Whose older rows are not among those that are shown; empty where nothing is missing. */
export function missingWords(missing: readonly string[], machines: Readonly<Record<string, { name: string }>>): string {
  const [first] = missing
  if (first === undefined) return ''
  const whose = missing.length === 1 ? sourceName(first, machines) : `${missing.length} machines`
  return `Older entries of ${whose} could not be fetched.`
}

/** The sources whose chain can be walked now: this console's, and those of machines that run. */
export function askable(): string[] {
  const up = Object.values(useFleet.getState().machines).filter(isUp)
  return [consoleSource, ...up.map(({ id }) => id)]
}
