import { randomUUID } from 'node:crypto'
import { type CallName, type CallResult, contractVersion } from '../shared/contract/index.ts'
import type { WorkerView } from '../shared/contract/workers.ts'
import { answersStill } from '../shared/domain/lifecycle.ts'
import { systemClock } from './clock.ts'
import { Deploys } from './deploys/deploys.ts'
import { Enrollments, type EnrollmentsDeps } from './enroll/enrollments.ts'
import { openSession } from './enroll/ssh-session.ts'
import { Upgrades } from './enroll/upgrades.ts'
import { AgentAudits } from './fleet/agent-audits.ts'
import { announce } from './fleet/announce.ts'
import { Fleet } from './fleet/fleet.ts'
import { Gathering } from './fleet/gathering.ts'
import { LastAnswers } from './fleet/last-answers.ts'
import type { LeaseChange } from './fleet/leases.ts'
import { SecretRotation } from './fleet/rotate-secret.ts'
import { WorkersBook } from './fleet/workers-book.ts'
import { broadcast } from './ipc/serve.ts'
import type { Log } from './log.ts'
import type { Notifications } from './notifications.ts'
import type { appPaths } from './paths.ts'
import { AutoStopWatch } from './power/auto-stop-watch.ts'
import { AwsKeyKeeper } from './providers/aws-keys.ts'
import { createProvider } from './providers/create-provider.ts'
import { Ec2Accounts } from './providers/ec2-accounts.ts'
import { Prices } from './providers/prices.ts'
import type { SettingsKeeper } from './settings.ts'
import type { Store } from './store/store.ts'
import { startUpkeep } from './store/upkeep.ts'
import { TakeoverCalls } from './takeovers/calls.ts'
import { OwnTakeovers } from './takeovers/own-takeovers.ts'
import type { Tunnels } from './tunnels/tunnels.ts'
import type { Vault } from './vault/vault.ts'

export interface MachinePartsDeps {
  store: Store
  vault: Vault
  tunnels: Tunnels
  settings: SettingsKeeper
  paths: ReturnType<typeof appPaths>
  log: Log
  /** A machine was taken out of the fleet: what is kept of it goes. */
  onRemoved: (machineId: string) => void
  /** A machine is no longer there for anyone: what hangs on it ends. */
  onGone: (machineId: string, reason: string) => void
  onLease: (machineId: string, change: LeaseChange) => void
  /** A person is wanted: heard in one window. */
  playTone: () => void
  notifications: Pick<Notifications, 'heard' | 'changed' | 'notify'>
}

/** The fleet, with whoever switches its machines on and off, and what adds new ones. */
export function createMachineParts(deps: MachinePartsDeps) {
  const { store, vault, tunnels, settings, paths, log, onGone, onRemoved, onLease, playTone, notifications } = deps
  const named = (id: string) => ({ id, name: fleet.has(id) ? fleet.machine(id).record.name : id })
  const clock = systemClock
  const awsKeys = new AwsKeyKeeper(vault)
  const ec2 = new Ec2Accounts({ keys: (name) => awsKeys.get(name), clock })
  const prices = new Prices(store)
  const answers = new LastAnswers({ store, clock, log })
  const workers = new WorkersBook({ answers, clock, onChanged: (changed) => broadcast('workers.changed', changed) })
  const fleet = new Fleet({
    ...{ store, vault, clock, log },
    openTunnel: (config) => tunnels.open(config),
    operator: () => settings.current.operator,
    makeProvider: ({ provider, machineType }, agent) => {
      if (provider !== null) return createProvider(provider, { ec2, agent, clock, log })
      // An instance is nothing without its id; the other kinds need nothing said.
      return machineType === 'ec2' ? undefined : createProvider({ kind: machineType }, { ec2, agent, clock, log })
    },
    cost: (instanceType) => prices.of(instanceType),
    echo: { consoleId: consoleIdOf(store), audit: store.audit },
    onChanged: (changes) => broadcast('fleet.changed', changes),
    onEvent: (machineId, event, ageMs) => {
      workers.heard(machineId, event)
      if (event.type === 'deploy_finished')
        gathering.want(machineId, ['deploys.list', 'containers.list', 'workers.list'])
      ownTakeovers.heard(machineId, event)
      broadcast('agent.event', { machineId, event })
      deploys.heard(machineId, event)
      notifications.heard(named(machineId), event, ageMs)
      void takeoverCalls.heard(named(machineId), event, ageMs)
    },
    onTransition: (machineId, transition) => {
      announce(
        machineId,
        transition,
        {
          active: (news) => broadcast('sandbox_active', news),
          terminated: (news) => broadcast('sandbox_terminated', news),
          gone: onGone,
        },
        answersStill(fleet.machine(machineId).record),
      )
      notifications.changed(named(machineId), transition)
    },
    onConnected: (machineId) => gathering.want(machineId),
    onPolled: (machineId, { helpWanted }) => {
      gathering.want(machineId, ['workers.list'])
      if (helpWanted) takeoverCalls.found(named(machineId))
    },
    onLease,
    onParting: (machineId) => ownTakeovers.ask(machineId),
    onRemoved: (machineId, name) => {
      workers.forget(machineId)
      ownTakeovers.removed(machineId, name)
      onRemoved(machineId)
    },
    onWakeStep: (machineId, step, detail) => broadcast('wake.step', { machineId, step, detail }),
  })
  const ownTakeovers = new OwnTakeovers({ ...{ store, fleet, log }, operator: () => settings.current.operator })
  /** An answer of a machine, whoever asked for it. */
  const answered = (machineId: string, name: CallName, params: Record<string, unknown>, answer: unknown) => {
    answers.note(machineId, name, params, answer)
    if (name === 'workers.list') workers.listed(machineId, answer as WorkerView[])
    if (name === 'takeover.history') ownTakeovers.told(machineId, (answer as CallResult<'takeover.history'>).takeovers)
  }
  const gathering = new Gathering({
    ...{ fleet, clock, log },
    answered: (machineId, name, answer) => answered(machineId, name, {}, answer),
    alsoAsk: (machineId) => ownTakeovers.ask(machineId),
  })
  const takeoverCalls = new TakeoverCalls({
    ...{ fleet, clock, playTone },
    settings: () => settings.current,
    notify: (notice) => notifications.notify('takeovers', notice),
  })
  const rotation = new SecretRotation({ fleet, vault, log, operator: () => settings.current.operator })
  const deploys = new Deploys({
    ...{ fleet, store, vault, clock, log },
    onNews: (news) => broadcast('deploys.changed', news),
    onPlanning: (news) => broadcast('deploys.planning', news),
    notify: (notice) => notifications.notify('deploys', notice),
    onFeed: (feed) => broadcast('registry.changed', feed),
  })
  const autoStop = new AutoStopWatch({
    ...{ fleet, audit: store.audit, clock, log },
    onWarning: (warning) => broadcast('autostop.warning', warning),
  })
  const installing: EnrollmentsDeps = {
    ...{ fleet, vault, clock, settings: store.settings, bundle: paths.agentScript, node: paths.node },
    beside: paths.agentBeside,
    // Built and shipped with it.
    version: contractVersion,
    ours: { platform: process.platform, arch: process.arch },
    onStep: (step) => broadcast('enroll.step', step),
    onRunning: (running) => broadcast('enroll.changed', { running }),
    connect: async ({ host, port, user }) => {
      const { connection, release } = tunnels.ssh.hold({ host, port, user })
      try {
        return openSession(await connection.client(), release)
      } catch (error) {
        release()
        throw error
      }
    },
  }
  const enrollments = new Enrollments(installing)
  const upgrades = new Upgrades(installing)
  const stopUpkeep = startUpkeep({ store, clock, log, forget: (id) => fleet.remove(id) })
  const agentAudits = new AgentAudits({ fleet, store, clock })
  return {
    ...{ fleet, ec2, awsKeys, prices, autoStop, enrollments, upgrades, deploys, agentAudits },
    ...{ answers, answered, workers, gathering, rotation, ownTakeovers },
    start() {
      fleet.start()
      autoStop.start()
      deploys.start()
      void rotation.settleAll()
    },
    stop() {
      autoStop.stop()
      deploys.stop()
      gathering.stop()
      stopUpkeep()
    },
  }
}

/** Made with the store and lost with it. */
function consoleIdOf({ settings }: Pick<Store, 'settings'>): string {
  const kept = settings.get('consoleId')
  if (typeof kept === 'string') return kept
  const made = randomUUID()
  settings.set('consoleId', made)
  return made
}
