import { isUp } from '../../../shared/domain/lifecycle.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'

/** Whether the machine can be asked for something now. */
export function isReachable(machine: MachineView): boolean {
  return isUp(machine) && machine.knownFrom === 'machine' && machine.links.agent.state === 'up'
}

/** Why something cannot be done to the machine now; undefined when it can. */
export function whyNot(machine: MachineView): string | undefined {
  if (isReachable(machine)) return undefined
  switch (machine.state) {
    case 'running':
      return `${machine.name} is being verified; this works once it has answered.`
    case 'starting':
      return `${machine.name} is starting; this works once it runs.`
    case 'unknown':
      return `${machine.name} cannot be verified just now, so nothing is asked of it.`
    default:
      return `${machine.name} is ${machine.state === 'terminated' ? 'shut down' : machine.state}. Wake it first.`
  }
}
