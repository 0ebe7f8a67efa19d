import { Hand } from 'lucide-react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { call } from '../../app/bridge.ts'
import { useBusy, work } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'

/** Takes control and stays where one is: the inspector needs no picture. */
export function takeOverHere(machine: MachineView): Promise<boolean> {
  return work(`take:${machine.id}`, 'Taking over', async () => {
    await call('takeover.take', { machineId: machine.id, reason: '' })
  })
}

/** Why writing is not possible now; undefined when it is. */
export function whyReadOnly(machine: MachineView): string | undefined {
  if (machine.lease?.mine === true) return undefined
  return machine.lease === null ? 'take over first' : `${machine.lease.operator} has control`
}

export function TakeOverButton({ machine }: { machine: MachineView }) {
  const busy = useBusy(`take:${machine.id}`)
  if (machine.lease !== null) return null
  return (
    <Button
      variant="person"
      icon={<Hand size={15} aria-hidden />}
      busy={busy}
      data-testid="inspector-take-over"
      onClick={() => void takeOverHere(machine)}
    >
      Take over
    </Button>
  )
}
