import type { LeaseView } from '../../shared/contract/takeover.ts'
import type { MachineView } from '../../shared/domain/machine.ts'
import type { Recreated } from '../../shared/domain/power.ts'
import type { Problem } from '../../shared/errors.ts'
import type { MachineRecord } from '../store/machines.ts'
import { factsFromSnapshot, type MachineFacts, toView } from './machine-facts.ts'
import { goneProblem } from './sandbox-watch.ts'

interface Beside {
  /** A lease that the machine reports, as it is shown here. */
  shownLease: (lease: LeaseView) => MachineView['lease']
  power: MachineView['power']
  autoStop: MachineView['autoStop']
}

/** What is known of a machine in this run, beside what is kept of it: what it said, and whether it can be heard. */
export class MachineKnown {
  facts: MachineFacts
  connected = false
  heardInThisRun = false
  problem: Problem | undefined
  /** A check is under way, in words. */
  checking: string | undefined
  recreated: Recreated | null = null
  auditWarning: string | null = null

  constructor(snapshot: unknown) {
    this.facts = factsFromSnapshot(snapshot)
  }

  /** The machine as a window is shown it. */
  view(record: Readonly<MachineRecord>, { shownLease, power, autoStop }: Beside): MachineView {
    const { facts, connected, heardInThisRun, checking, recreated, auditWarning } = this
    const lease = facts.lease === null ? null : shownLease(facts.lease)
    const problem = this.problem ?? goneProblem(record, facts.browser)
    return toView({
      ...{ record, facts: { ...facts, lease }, connected, heardInThisRun },
      ...{ problem, checking, power, autoStop, recreated, auditWarning },
    })
  }
}
