import { randomUUID } from 'node:crypto'
import type { AgentClient, CallOptions } from '../../shared/client/client.ts'
import type { CallName, CallParams, CallResult } from '../../shared/contract/index.ts'
import type { MachineView } from '../../shared/domain/machine.ts'
import { Problem } from '../../shared/errors.ts'
import type { IpcEventData, IpcParamsOut } from '../../shared/ipc.ts'
import { type Clock, isoTime } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Provider } from '../providers/provider.ts'
import type { MachineRecord, Transition } from '../store/machines.ts'
import type { Store } from '../store/store.ts'
import type { Tunnel } from '../tunnels/tunnel.ts'
import { unlessCancelled } from '../unless-cancelled.ts'
import type { Vault } from '../vault/vault.ts'
import type { EchoDeps } from './audit-echo.ts'
import { Changes } from './changes.ts'
import { FleetCounts } from './counts.ts'
import { Gate } from './gate.ts'
import { type LeaseChange, Leases } from './leases.ts'
import { Machine } from './machine.ts'
import type { MachineDeps } from './machine-deps.ts'
import { fitting, newRecord } from './new-record.ts'
import { Reconciliation } from './reconciliation.ts'
import type { WakeStep } from './wake.ts'
import { problemOf, Wakes } from './wakes.ts'

export interface FleetDeps {
  store: Pick<Store, 'machines' | 'metrics' | 'events'>
  vault: Pick<Vault, 'get' | 'set' | 'delete' | 'state'>
  openTunnel: (config: MachineRecord['tunnel']) => Tunnel
  operator: () => string
  clock: Clock
  log: Log
  onChanged: (changes: IpcEventData<'fleet.changed'>) => void
  onEvent: MachineDeps['onEvent']
  /** A machine answers again after it did not. */
  onConnected?: (machineId: string) => void
  /** A machine sends no events and was asked instead; whether a person is wanted there since the last look. */
  onPolled?: MachineDeps['onPolled']
  onRemoved?: (machineId: string, name: string) => void
  /** Control was given back since the machine is being removed: the last moment in which it can be asked. */
  onParting?: (machineId: string) => Promise<void>
  /** Control was taken here, kept on, or is no longer here. */
  onLease?: (machineId: string, change: LeaseChange) => void
  onWakeStep?: (machineId: string, step: WakeStep, detail: string) => void
  /** Every change of state, as it is written down. */
  onTransition?: (machineId: string, transition: Transition) => void
  /** Who switches a machine on and off; without one, nobody can. */
  makeProvider?: (record: MachineRecord, agent: () => AgentClient) => Provider | undefined
  cost?: MachineDeps['cost']
  echo?: EchoDeps
}

/** How often load is asked for: often while someone looks, seldom otherwise. One tick for all machines. */
const tickMs = { visible: 5000, hidden: 30_000 }

/** Every machine of this console, from the cache at once and from the machines themselves soon after. */
export class Fleet {
  readonly leases: Leases
  readonly counts: FleetCounts
  readonly reconciliation: Reconciliation
  readonly #deps: FleetDeps
  readonly #gate: Gate
  readonly #machines = new Map<string, Machine>()
  readonly #changes: Changes
  readonly #wakes: Wakes
  #visible = true
  #cancelTick: (() => void) | undefined

  constructor(deps: FleetDeps) {
    this.#deps = deps
    this.leases = new Leases(deps.clock)
    this.counts = new FleetCounts(deps.clock)
    this.#gate = new Gate(deps.clock)
    this.#wakes = new Wakes(deps)
    this.reconciliation = new Reconciliation({
      machines: () => this.#machines.values(),
      clock: deps.clock,
      log: deps.log,
    })
    this.#changes = new Changes(deps.clock, (id) => this.#machines.get(id)?.view(), deps.onChanged)
    this.leases.onChange = (id, change) => {
      this.#changes.changed(id)
      deps.onLease?.(id, change)
    }
    for (const record of deps.store.machines.all()) this.#hold(record)
  }

  list(): MachineView[] {
    return [...this.#machines.values()].map((machine) => machine.view())
  }

  view(id: string): MachineView {
    return this.machine(id).view()
  }

  machine(id: string): Machine {
    const machine = this.#machines.get(id)
    if (machine === undefined) throw new Problem('unknown-machine', 'This console does not know that machine.')
    return machine
  }

  has(id: string): boolean {
    return this.#machines.has(id)
  }

  client(id: string): AgentClient {
    return this.machine(id).client()
  }

  machines(): Iterable<Machine> {
    return this.#machines.values()
  }

  /** A call that ends with its machine: when that is gone, it fails at once and says why. */
  async call<Name extends CallName>(
    id: string,
    name: Name,
    params: CallParams<Name>,
    options: CallOptions = {},
  ): Promise<CallResult<Name>> {
    const machine = this.machine(id)
    const { signal } = machine
    const either = options.signal === undefined ? signal : AbortSignal.any([signal, options.signal])
    try {
      return await machine.client().call(name, params, { ...options, signal: either })
    } catch (error) {
      throw signal.aborted ? signal.reason : error
    }
  }

  /** Begins to connect. What needs a person (a machine that is off or gone) is left as it is. */
  start(): void {
    for (const machine of this.#machines.values()) machine.keep()
    this.reconciliation.start()
    this.#tick()
  }

  /** Whether anyone can see a window. */
  setVisible(visible: boolean): void {
    if (visible === this.#visible) return
    this.#visible = visible
    for (const machine of this.#machines.values()) machine.pace()
    if (this.#cancelTick === undefined) return
    this.#cancelTick()
    this.#tick(visible ? 0 : tickMs.hidden)
  }

  async verify(id: string): Promise<MachineView> {
    const machine = this.machine(id)
    await machine.check()
    return machine.view()
  }

  /** Adds a machine that answers to this secret; one that does not, or that nobody waits for any more, is not kept. */
  async add(
    wish: Omit<IpcParamsOut<'fleet.add'>, 'addId'>,
    id: string = randomUUID(),
    signal?: AbortSignal,
  ): Promise<MachineView> {
    if (wish.tunnel.kind === 'local') {
      throw new Problem('invalid-params', 'This computer is added with Try it on this computer.')
    }
    const { secret, ...kept } = wish
    const record = newRecord({ id, ...kept, now: isoTime(this.#deps.clock) })
    await this.#deps.vault.set(id, 'agent', secret)
    const machine = this.hold(record)
    try {
      await unlessCancelled(machine.verify(signal), signal)
      if (machine.record.state !== 'running') throw problemOf(machine)
      this.#refuseDouble(machine)
    } catch (error) {
      await this.remove(id)
      throw error
    }
    machine.keep()
    return machine.view()
  }

  async remove(id: string): Promise<void> {
    const machine = this.machine(id)
    if (this.leases.leaseId(id) !== undefined) {
      const note = 'The machine was removed from the console.'
      await this.leases.giveBack(id, { outcome: 'machine_removed', note }).catch(() => {})
      await this.#deps.onParting?.(id)
    }
    machine.stop()
    this.#machines.delete(id)
    this.#deps.store.machines.remove(id)
    await this.#deps.vault.delete(id, 'agent')
    await this.#deps.vault.delete(id, 'agent-next')
    this.#changes.removed(id)
    this.#deps.onRemoved?.(id, machine.record.name)
  }

  /** A person wakes it: switched on, verified, and its sandbox brought back as far as it can be. */
  wake(id: string): Promise<MachineView> {
    return this.#wakes.wake(this.machine(id))
  }

  get wakes(): Wakes['active'] {
    return this.#wakes.active
  }

  cancelWake(id: string): void {
    if (this.has(id)) this.#wakes.cancel(this.machine(id))
  }

  /** Ends a sandbox for good, as a person wants it; only a wake brings one back. */
  async terminate(id: string, reason: string): Promise<MachineView> {
    const machine = this.machine(id)
    const { provider } = machine.power
    if (provider?.terminate !== undefined) await provider.terminate()
    else {
      const client = machine.client()
      const { state } = await client.call('browser.status', {}, { timeoutMs: 10_000 })
      if (state !== 'inactive' && state !== 'install_required') {
        await client.call('browser.stop', {}, { timeoutMs: 60_000 })
      }
    }
    machine.end({ to: 'terminated', problem: undefined, reason })
    return machine.view()
  }

  /** Switches a machine off; the reason stands in its history. */
  async powerOff(id: string, reason: string): Promise<MachineView> {
    const machine = this.machine(id)
    await machine.power.act('stop', machine.record.name)
    machine.switchedOff(reason)
    return machine.view()
  }

  async reboot(id: string): Promise<MachineView> {
    const machine = this.machine(id)
    await machine.power.act('reboot', machine.record.name)
    return machine.view()
  }

  /** Changes what a person set of a machine. */
  update(id: string, changed: Omit<IpcParamsOut<'fleet.update'>, 'machineId'>): MachineView {
    const machine = this.machine(id)
    if (machine.record.tunnel.kind === 'local' && (changed.tunnel !== undefined || changed.machineType !== undefined)) {
      throw new Problem('invalid-params', 'This computer is reached in its own way, which cannot be changed.')
    }
    if (changed.tunnel?.kind === 'local') throw new Problem('invalid-params', 'Only this computer is reached that way.')
    machine.configure(fitting(machine.record, changed))
    return machine.view()
  }

  async setSecret(id: string, secret: string): Promise<MachineView> {
    const machine = this.machine(id)
    if (machine.record.tunnel.kind === 'local') {
      throw new Problem('invalid-params', 'The console makes the secret of this computer itself.')
    }
    await this.#deps.vault.set(id, 'agent', secret)
    return this.verify(id)
  }

  /** Keeps a record, new or changed, as one of the fleet's. */
  hold(record: MachineRecord): Machine {
    this.#deps.store.machines.save(record)
    const machine = this.#hold(record)
    this.#changes.changed(record.id)
    return machine
  }

  async stop(): Promise<void> {
    this.#cancelTick?.()
    this.#cancelTick = undefined
    this.reconciliation.stop()
    await this.leases.giveBackAll()
    for (const machine of this.#machines.values()) machine.stop()
    this.#changes.stop()
  }

  #hold(record: MachineRecord): Machine {
    const deps: MachineDeps = {
      store: this.#deps.store.machines,
      openTunnel: this.#deps.openTunnel,
      secret: (id) => this.#secret(id),
      operator: this.#deps.operator,
      leases: this.leases,
      clock: this.#deps.clock,
      log: this.#deps.log,
      gate: this.#gate,
      makeProvider: this.#deps.makeProvider ?? (() => undefined),
      cost: this.#deps.cost ?? (() => null),
      echo: this.#deps.echo,
      metricsEveryMs: () => (this.#visible ? tickMs.visible : tickMs.hidden),
      onVerified: (well) => this.counts.verified(well),
      onChange: (id) => this.#changes.changed(id),
      onConnected: (id) => this.#deps.onConnected?.(id),
      onPolled: (id, news) => this.#deps.onPolled?.(id, news),
      onTransition: (id, transition) => this.#deps.onTransition?.(id, transition),
      onMetrics: (id, metrics) => {
        try {
          this.#deps.store.metrics.add(id, metrics, this.#deps.clock.now())
        } catch (error) {
          this.#notKept(id, error)
        }
      },
      onEvent: (id, event, ageMs) => {
        this.counts.heard(event)
        this.#deps.store.events.add(id, event, (lost, error) => this.#notKept(lost, error))
        this.#deps.onEvent(id, event, ageMs)
        if (event.type === 'deploy_finished') void machine.learnImage()
      },
    }
    const machine = new Machine(record, deps)
    this.#machines.set(record.id, machine)
    return machine
  }

  /** History that cannot be written is missed later; what happens now goes on. */
  #notKept(machine: string, error: unknown): void {
    this.#deps.log('error', 'the history of a machine could not be kept', { machine, error: String(error) })
  }

  async #secret(id: string): Promise<string> {
    const secret = await this.#deps.vault.get(id, 'agent').catch(() => undefined)
    if (secret !== undefined) return secret
    const { detail } = await this.#deps.vault.state()
    throw new Problem('no-keychain', `The secret of this machine is not at hand. Enter it again. ${detail}`)
  }

  #refuseDouble(added: Machine): void {
    const twin = [...this.#machines.values()].find(
      (machine) => machine !== added && machine.record.agentId === added.record.agentId,
    )
    if (twin !== undefined) {
      throw new Problem('conflict', `That machine is in the fleet already, as ${twin.record.name}.`)
    }
  }

  #tick(afterMs: number = this.#visible ? tickMs.visible : tickMs.hidden): void {
    this.#cancelTick = this.#deps.clock.after(afterMs, () => {
      for (const machine of this.#machines.values()) {
        machine.tick().catch((error: unknown) => {
          this.#deps.log('error', 'a tick failed', { machine: machine.record.id, error: String(error) })
        })
      }
      this.#tick()
    })
  }
}
