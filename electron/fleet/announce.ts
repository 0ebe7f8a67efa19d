import type { IpcEventData } from '../../shared/ipc.ts'
import type { Transition } from '../store/machines.ts'

export interface Announcer {
  active: (news: IpcEventData<'sandbox_active'>) => void
  terminated: (news: IpcEventData<'sandbox_terminated'>) => void
  /** A machine is no longer there for anyone: what hangs on it ends. */
  gone: (machineId: string, reason: string) => void
}

/** Every window hears of it at once, and nothing of the old session goes on, except where the machine still answers. */
export function announce(
  machineId: string,
  { to, at, reason }: Transition,
  announcer: Announcer,
  answers = false,
): void {
  if (to === 'running') return announcer.active({ machineId, at })
  // What cannot be verified may well be alive, and what starts was told to be gone before.
  if (to === 'starting' || to === 'unknown') return
  announcer.terminated({ machineId, at, state: to, reason })
  if (!answers) announcer.gone(machineId, reason)
}
