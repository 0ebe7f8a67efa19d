import type { IpcParams } from '../../../shared/ipc.ts'
import type { RunningEnrollment } from '../../../shared/ipc-power.ts'
import { call, problemOf } from '../../app/bridge.ts'
import { go } from '../../app/route.ts'
import { show } from '../../app/ui.store.ts'
import { dismiss, toast } from '../../ui/Toast.tsx'

/** Installs the agent and adds the machine. Whoever closed the wizard meanwhile is told, and left where they are. */
export async function enroll(wish: IpcParams<'enroll.start'>, stillOpen: () => boolean): Promise<void> {
  const id = `enroll:${wish.enrollId}`
  try {
    const machine = await call('enroll.start', wish)
    const toIt = () => go({ screen: 'machine', machineId: machine.id, tab: 'live' })
    if (!stillOpen()) {
      // It took its time, and so may the person.
      return toast({ id, title: `${machine.name} has its agent`, forMs: 30_000, action: leading(id, 'Open it', toIt) })
    }
    show('none')
    toIt()
  } catch (error) {
    if (stillOpen()) throw error
    const { code, detail } = problemOf(error)
    const isStopped = code === 'cancelled'
    toast({
      ...{ id, kind: isStopped ? 'plain' : 'problem' },
      title: isStopped ? `${wish.name}: the installation was stopped` : `${wish.name} did not get its agent`,
      ...(!isStopped && { detail }),
      action: leading(id, 'Show', () => show('enroll')),
    })
  }
}

/** Closing the wizard stops nothing. */
export function sayTheyGoOn(running: readonly RunningEnrollment[]): void {
  if (running.length === 0) return
  const id = 'enrolling'
  toast({
    ...{ id, title: `${running.map(({ name }) => name).join(', ')}: the installation goes on` },
    detail: 'Open Install the agent over SSH to follow it, or to stop it.',
    action: leading(id, 'Show', () => show('enroll')),
  })
}

/** What it spoke of is before the person then. */
const leading = (id: string, label: string, to: () => void) => ({
  label,
  run: () => {
    dismiss(id)
    to()
  },
})
