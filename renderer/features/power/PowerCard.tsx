import { Power, PowerOff, RotateCw, Sunrise, Timer } from 'lucide-react'
import { isUp } from '../../../shared/domain/lifecycle.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { useBusy } from '../../app/work.ts'
import { Age } from '../../ui/Age.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import machineStyles from '../machine/Machine.module.css'
import { openAutoStop, powerKey, rebootMachine, stopMachine, wake } from './operations.ts'
import styles from './Power.module.css'

/** Whether the machine is on, what that costs, and when it is switched off by itself. */
export function PowerCard({ machine }: { machine: MachineView }) {
  const busy = useBusy(powerKey(machine))
  const { power, autoStop } = machine
  const can = (action: MachineView['power']['actions'][number]) => power.actions.includes(action)
  const off = machine.state !== 'running' && machine.state !== 'starting'
  const on = isUp(machine) || machine.state === 'starting'
  const cost = power.costPerHour
  return (
    <Card
      title="Power"
      data-testid="power-card"
      aside={
        power.at !== null && (
          <>
            asked <Age at={power.at} />
          </>
        )
      }
    >
      <dl className={machineStyles.facts}>
        <Fact term="State">{power.problem?.detail ?? stateWords(machine)}</Fact>
        <Fact term="Costs">
          {power.instanceType === null
            ? 'nothing that this console knows of'
            : cost === null
              ? `${power.instanceType}, price not known: Settings has the table`
              : `$${cost.usd} per hour (${power.instanceType}, as of ${cost.asOf})`}
        </Fact>
        <Fact term="Auto-stop">
          {!can('stop') ? 'not from here' : autoStop.enabled ? `after ${autoStop.idleMinutes} idle minutes` : 'off'}
          {autoStop.enabled && autoStop.idleSince !== null && (
            <>
              , idle since <Age at={autoStop.idleSince} />
            </>
          )}
          {autoStop.keepUntil !== null && Date.parse(autoStop.keepUntil) > Date.now() && ', kept up for now'}
        </Fact>
      </dl>
      <div className={styles.actions}>
        {off && (
          <Button icon={<Sunrise size={15} aria-hidden />} busy={busy} onClick={() => void wake(machine)}>
            Wake
          </Button>
        )}
        {can('stop') && on && (
          <Button icon={<PowerOff size={15} aria-hidden />} busy={busy} onClick={() => stopMachine(machine)}>
            Stop…
          </Button>
        )}
        {can('reboot') && on && (
          <Button icon={<RotateCw size={15} aria-hidden />} onClick={() => rebootMachine(machine)}>
            Reboot…
          </Button>
        )}
        {can('stop') && (
          <Button icon={<Timer size={15} aria-hidden />} onClick={() => openAutoStop(machine)}>
            Auto-stop…
          </Button>
        )}
        {power.actions.length === 0 && on && (
          <span className={styles.note}>
            <Power size={14} aria-hidden /> It is on while this console runs.
          </span>
        )}
      </div>
    </Card>
  )
}

function stateWords({ power, provider, machineType }: MachineView): string {
  if (provider?.kind === 'ec2') return `EC2 says ${power.state}`
  if (power.state === 'running')
    return machineType === 'local_docker' ? 'on, with this console' : 'on: its agent answers'
  return 'not known: only its agent could say'
}

function Fact({ term, children }: { term: string; children: React.ReactNode }) {
  return (
    <div className={machineStyles.fact}>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  )
}
