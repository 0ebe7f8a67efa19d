import { useEffect, useSyncExternalStore } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { machineCondition } from '../live/condition.ts'
import { consoleOf } from './console/model.ts'
import { networkOf } from './network/model.ts'
import { InspectorSession, type InspectorSnapshot } from './session.ts'
import { ipcTransport } from './transport.ts'

/** What was seen is kept for a person who comes back to the tab, for the machines looked at last. */
const keptMachines = 4
const sessions = new Map<string, InspectorSession>()

/** The session of a machine: the same one each time, so that its panels keep what they gathered. */
export function inspectorOf(machineId: string): InspectorSession {
  const session = sessions.get(machineId) ?? makeSession(machineId)
  // Moved to the end: the one longest not looked at goes first.
  sessions.delete(machineId)
  sessions.set(machineId, session)
  for (const [id, old] of sessions) {
    if (sessions.size <= keptMachines) break
    if (old.snapshot.phase !== 'idle') continue
    old.dispose()
    sessions.delete(id)
  }
  return session
}

function makeSession(machineId: string): InspectorSession {
  const session = new InspectorSession(machineId, ipcTransport(machineId))
  // From the first moment, whichever panel is open: what was missed is not told again.
  consoleOf(session)
  networkOf(session)
  return session
}

/** Whether the machine has a browser that can be looked into. */
export function hasPage(machine: MachineView): boolean {
  return machineCondition(machine) === null && machine.browser?.state === 'active'
}

/** The session of a machine, connected as long as the component is shown. */
export function useInspector(machine: MachineView): { session: InspectorSession; snapshot: InspectorSnapshot } {
  const session = inspectorOf(machine.id)
  const live = hasPage(machine)
  const mine = machine.lease?.mine === true
  // Another start is another browser: ids of the last one mean nothing in it.
  const startedAt = machine.browser?.startedAt ?? null
  useEffect(() => session.want({ live, mine }), [session, live, mine])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a browser that started anew is connected to at once
  useEffect(() => session.retryNow(), [session, startedAt])
  useEffect(() => () => session.want({ live: false, mine: false }), [session])
  return { session, snapshot: useSnapshot(session) }
}

export function useSnapshot(session: InspectorSession): InspectorSnapshot {
  return useSyncExternalStore(session.subscribe, () => session.snapshot)
}
