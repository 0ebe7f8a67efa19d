import { Problem } from '../../shared/errors.ts'
import type { powerCalls } from '../../shared/ipc-power.ts'
import type { Clock } from '../clock.ts'
import { type DiagnosticsDeps, diagnose } from '../diagnostics.ts'
import type { Enrollments } from '../enroll/enrollments.ts'
import type { Upgrades } from '../enroll/upgrades.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { LoadGaps } from '../fleet/load-gaps.ts'
import { type LocalMachine, localMachineId } from '../fleet/local-machine.ts'
import type { AutoStopWatch } from '../power/auto-stop-watch.ts'
import { type AwsKeyKeeper, awsProfiles } from '../providers/aws-keys.ts'
import { discovered } from '../providers/ec2.ts'
import type { Ec2Accounts } from '../providers/ec2-accounts.ts'
import type { Prices } from '../providers/prices.ts'
import { exportAudit } from '../store/export-audit.ts'
import type { Store } from '../store/store.ts'
import type { IpcHandlers } from './dispatch.ts'

export interface PowerHandlerDeps {
  fleet: Fleet
  local: LocalMachine
  store: Store
  ec2: Ec2Accounts
  awsKeys: AwsKeyKeeper
  prices: Prices
  autoStop: AutoStopWatch
  enrollments: Enrollments
  upgrades: Upgrades
  clock: Clock
  operator: () => string
  /** A person did something: questions may be asked again. */
  personActs: () => void
  /** Asks the person where to save; undefined when they changed their mind. */
  chooseFile: (suggested: string) => Promise<string | undefined>
  diagnostics: Pick<DiagnosticsDeps, 'streams' | 'versions'>
}

/** Power, discovery, enrolment, history and diagnostics. */
export function powerHandlers(deps: PowerHandlerDeps): Pick<IpcHandlers, keyof typeof powerCalls> {
  const { fleet, store, ec2, awsKeys, prices, autoStop, enrollments, clock } = deps
  const gaps = new LoadGaps(deps)
  return {
    'fleet.update': ({ machineId, ...changed }) => {
      deps.personActs()
      return fleet.update(machineId, changed)
    },
    'power.start': async ({ machineId }) => {
      deps.personActs()
      if (machineId === localMachineId) return fleet.view(await deps.local.tryIt())
      return fleet.wake(machineId)
    },
    'power.stop': ({ machineId }) => fleet.powerOff(machineId, `stopped by ${deps.operator()}`),
    'power.reboot': ({ machineId }) => fleet.reboot(machineId),
    'autostop.set': ({ machineId, enabled, idleMinutes }) => {
      const machine = fleet.machine(machineId)
      if (enabled && machine.power.provider?.stop === undefined) {
        const { name } = machine.record
        throw new Problem(
          'conflict',
          `${name} cannot be stopped from here, so it cannot be stopped by itself. Say with Edit machine what kind it is.`,
        )
      }
      machine.autoStop.reset()
      machine.configure({ autoStopEnabled: enabled, idleMinutes, keepUpUntil: null })
      return machine.view()
    },
    'autostop.keep': ({ machineId }) => {
      autoStop.keepUp(fleet.machine(machineId))
      return fleet.view(machineId)
    },

    'discover.ec2': async ({ account, tag }) => {
      const known = new Map<string, string>()
      for (const { record } of fleet.machines()) {
        if (record.provider?.kind === 'ec2') known.set(record.provider.instanceId, record.id)
      }
      const found = (await ec2.discover(account, tag)).flatMap((instance) => discovered(instance) ?? [])
      return { instances: found.map((one) => ({ ...one, machineId: known.get(one.instanceId) ?? null })) }
    },
    'aws.accounts': async () => ({ profiles: await awsProfiles(), keys: await awsKeys.list() }),
    'aws.setKeys': async ({ name, ...keys }) => {
      const kept = await awsKeys.set(name, keys)
      ec2.forget()
      return { kept }
    },
    'aws.removeKeys': async ({ name }) => {
      await awsKeys.remove(name)
      ec2.forget()
      return {}
    },
    'prices.get': () => prices.table,
    'prices.set': (table) => prices.set(table),

    'metrics.history': async ({ machineId, from, to }) => {
      const { id } = fleet.view(machineId)
      await gaps.fill(id, from)
      return store.metrics.history(id, from, to, clock.now())
    },
    'history.transitions': ({ machineId }) => store.machines.transitions(machineId),
    'history.events': ({ machineId, limit }) => store.events.last(machineId, limit),
    'audit.console': ({ machineId, ...filter }) => ({ entries: store.audit.list({ ...filter, sandboxId: machineId }) }),
    'audit.verifyConsole': () => store.audit.verify(),
    'audit.export': async ({ format }) => {
      const file = await deps.chooseFile(`pilothouse-audit.${format}`)
      return { file: file ?? null, entries: file === undefined ? 0 : await exportAudit(store.audit, file, format) }
    },
    'diagnostics.get': () => diagnose({ ...deps.diagnostics, fleet, store, clock }),
    'fleet.reconcile': () => fleet.reconciliation.round(),

    'enroll.start': (wish) => {
      deps.personActs()
      return enrollments.start(wish)
    },
    'enroll.cancel': ({ enrollId }) => {
      enrollments.cancel(enrollId)
      return {}
    },
    'enroll.running': () => ({ running: enrollments.running() }),
    'enroll.unfinished': () => ({
      enrollments: enrollments.unfinished().map(({ installed: _kept, ...shown }) => shown),
    }),
    'enroll.discard': async ({ enrollId }) => {
      deps.personActs()
      await enrollments.discard(enrollId)
      return {}
    },
    'enroll.upgrade': (wish) => {
      deps.personActs()
      return deps.upgrades.start(wish)
    },
    'enroll.undo': async ({ machineId }) => {
      await enrollments.undo(machineId)
      return {}
    },
  }
}
