import { call, onIpcEvent } from '../../app/bridge.ts'
import { work } from '../../app/work.ts'
import { dismiss, toast } from '../../ui/Toast.tsx'

/** Says wherever the person is that control ends soon, has run out, or was lost; main chooses the window. Returns the way to stop. */
export function startLeaseNews(): () => void {
  return onIpcEvent('lease.news', ({ machineId, name, news, leftMs }) => {
    const [ending, over] = [`lease:${machineId}`, `lease-over:${machineId}`]
    if (news === 'settled') {
      dismiss(ending)
      dismiss(over)
    } else if (news === 'ending') {
      toast({
        title: `Control of ${name} ends within a minute`,
        detail: 'It goes on while you work in its browser.',
        ...{ kind: 'person', id: ending, forMs: Math.max(1000, leftMs) },
        action: { label: 'Keep control', run: () => keep(machineId) },
      })
    } else if (news === 'lost') {
      // The browser may be started again before anyone has seen that it was gone.
      const detail = 'Its browser or its agent ended. Take over again to go on.'
      toast({ title: `Control of ${name} was lost`, detail, kind: 'person', id: over, forMs: 0 })
    } else {
      // Whoever let it run out is away: it stands until they are back.
      const detail = 'It was not used for a while. Take over again to go on.'
      toast({ title: `Control of ${name} has run out`, detail, kind: 'person', id: over, forMs: 0 })
    }
  })
}

function keep(machineId: string): void {
  void work(`still:${machineId}:true`, 'Keeping control', async () => {
    await call('takeover.stillHere', { machineId, said: true })
  })
}
