import { History, ShieldAlert, Timer } from 'lucide-react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { useBusy } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import { useNow } from '../../ui/clock.ts'
import machineStyles from '../machine/Machine.module.css'
import { keepUp, recreatedText } from './operations.ts'

/** What a person should know of a machine before anything else on its page. */
export function MachineNotices({ machine }: { machine: MachineView }) {
  return (
    <>
      {machine.auditWarning !== null && (
        <p className={machineStyles.banner} role="alert" data-testid="audit-warning">
          <ShieldAlert size={15} aria-hidden /> {machine.auditWarning}
        </p>
      )}
      {machine.recreated !== null && (
        <p className={machineStyles.banner} role="status" data-testid="recreated">
          <History size={15} aria-hidden /> Recreated. {recreatedText(machine.recreated)}
        </p>
      )}
      {machine.autoStop.stopsAt !== null && <StopsSoon machine={machine} stopsAt={machine.autoStop.stopsAt} />}
    </>
  )
}

function StopsSoon({ machine, stopsAt }: { machine: MachineView; stopsAt: string }) {
  const busy = useBusy(`keep:${machine.id}`)
  const now = useNow()
  const left = Math.max(0, Math.ceil((Date.parse(stopsAt) - now) / 60_000))
  return (
    <div className={machineStyles.banner} role="status" data-testid="stops-soon">
      <Timer size={15} aria-hidden /> Nothing happens here: it is stopped {left === 0 ? 'now' : `in ${left} min`}.
      <Button busy={busy} data-testid="keep-up" onClick={() => void keepUp(machine)}>
        Keep it up for 1 h
      </Button>
    </div>
  )
}
