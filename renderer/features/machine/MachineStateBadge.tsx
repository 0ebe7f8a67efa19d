import type { MachineView } from '../../../shared/domain/machine.ts'
import { Age } from '../../ui/Age.tsx'
import { StateBadge } from '../../ui/Badge.tsx'
import { machineLook } from './look.ts'

/** A machine's state, with how it is known and since when. */
export function MachineStateBadge({ machine }: { machine: MachineView }) {
  const look = machineLook(machine)
  const heard = machine.knownFrom === 'machine' && machine.state !== 'unknown'
  return (
    <>
      <StateBadge look={look} data-testid="state-badge" data-state={machine.state}>
        {look.word} · {machine.lastVerifiedAt === null ? 'never verified' : heard ? 'verified ' : 'last seen '}
        {machine.lastVerifiedAt !== null && <Age at={machine.lastVerifiedAt} />}
      </StateBadge>
      <span className="visually-hidden" aria-live="polite">
        {machine.name}: {look.word}
      </span>
    </>
  )
}
