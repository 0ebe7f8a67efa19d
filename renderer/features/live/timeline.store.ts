import { create } from 'zustand'
import type { IpcEventData } from '../../../shared/ipc.ts'
import { onIpcEvent } from '../../app/bridge.ts'

export type SeenEvent = IpcEventData<'agent.event'>['event']

/** Enough for an hour of work on one machine; older ones are in the machine's audit log. */
const keptPerMachine = 200

interface TimelineState {
  events: Readonly<Record<string, readonly SeenEvent[]>>
}

/** What each machine said since this window opened, newest first. */
export const useTimeline = create<TimelineState>(() => ({ events: {} }))

/** The events with one more; a replayed one, known by its number, is not added twice. */
export function addEvent(events: readonly SeenEvent[], event: SeenEvent): readonly SeenEvent[] {
  if (events.some((seen) => seen.seq === event.seq)) return events
  const at = events.findIndex((seen) => seen.seq < event.seq)
  const next = at === -1 ? [...events, event] : [...events.slice(0, at), event, ...events.slice(at)]
  return next.slice(0, keptPerMachine)
}

/** Collects what passes by; returns the way to stop. */
export function startTimeline(): () => void {
  return onIpcEvent('agent.event', ({ machineId, event }) => {
    useTimeline.setState((state) => ({
      events: { ...state.events, [machineId]: addEvent(state.events[machineId] ?? [], event) },
    }))
  })
}
