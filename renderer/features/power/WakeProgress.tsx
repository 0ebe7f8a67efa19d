import type { MachineView } from '../../../shared/domain/machine.ts'
import { work } from '../../app/work.ts'
import { Progress } from '../../ui/Progress.tsx'
import { useMachine } from '../fleet/fleet.store.ts'
import { stopWaiting, useWakes, type Wake } from './wakes.store.ts'

/** How far a wake is, for how long, and the way out. */
export function WakeProgress({ machineId }: { machineId: string }) {
  const wake = useWakes((state) => state.wakes[machineId])
  const machine = useMachine(machineId)
  if (wake === undefined || machine === undefined) return null
  const leave = () =>
    void work(`wake-cancel:${machineId}`, 'Stopping the wait', async () => {
      await stopWaiting(machineId)
    })
  return (
    <div data-testid="wake-progress">
      <Progress
        label={wakeWords(wake.step, machine)}
        since={wake.since}
        wayOut={{ title: 'Stop waiting', run: leave }}
      />
    </div>
  )
}

/** What is being done right now, in a few words. */
export function wakeWords(step: Wake['step'], machine: Pick<MachineView, 'machineType' | 'power' | 'links'>): string {
  switch (step) {
    case 'switch-on':
      return machine.machineType === 'ec2'
        ? `Starting the instance: EC2 says ${machine.power.state}`
        : 'Switching it on'
    case 'verify':
      return machine.links.agent.detail === 'booting' ? 'It boots; waiting for its agent' : 'Waiting for its agent'
    default:
      return 'Bringing its browser back'
  }
}
