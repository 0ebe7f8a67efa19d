import { randomBytes } from 'node:crypto'
import { answersStill } from '../../shared/domain/lifecycle.ts'
import { Problem } from '../../shared/errors.ts'
import { type Clock, isoTime } from '../clock.ts'
import type { LocalAgent } from '../local-agent/local-agent.ts'
import type { Vault } from '../vault/vault.ts'
import type { Fleet } from './fleet.ts'
import type { Machine } from './machine.ts'
import { newRecord } from './new-record.ts'
import { isLost } from './sandbox-watch.ts'
import { problemOf } from './wakes.ts'

export const localMachineId = 'local'

export interface LocalMachineDeps {
  fleet: Fleet
  agent: Pick<LocalAgent, 'start' | 'stop' | 'running' | 'onUnexpectedEnd'>
  vault: Pick<Vault, 'get' | 'set'>
  clock: Clock
  /** The page its browser opens first. */
  startPage: () => Promise<string>
}

/** This computer as a machine of the fleet: on when a person wants it, off when the console ends. */
export class LocalMachine {
  readonly #deps: LocalMachineDeps
  #trying: Promise<string> | undefined

  constructor(deps: LocalMachineDeps) {
    this.#deps = deps
    deps.agent.onUnexpectedEnd = () => this.#lost()
    this.#settleAfterLastRun()
  }

  /** Agent, then its browser: each is started only if it is not there. */
  tryIt(): Promise<string> {
    this.#trying ??= this.#try().finally(() => {
      this.#trying = undefined
    })
    return this.#trying
  }

  async stop(reason = 'the console ended, and its agent with it'): Promise<void> {
    await this.#trying?.catch(() => {})
    if (this.#deps.fleet.has(localMachineId)) {
      this.#machine.end({ to: 'terminated', problem: undefined, reason })
    }
    await this.#deps.agent.stop()
  }

  get #machine(): Machine {
    return this.#deps.fleet.machine(localMachineId)
  }

  async #try(): Promise<string> {
    const machine = this.#hold()
    if (this.#deps.agent.running === undefined) await this.#startAgent(machine)
    else {
      if (answersStill(machine.record)) machine.wake('started by a person')
      await machine.check()
    }
    if (machine.record.state !== 'running') throw problemOf(machine)
    machine.keep()
    await this.#startBrowser(machine)
    return localMachineId
  }

  #hold(): Machine {
    if (this.#deps.fleet.has(localMachineId)) return this.#machine
    return this.#deps.fleet.hold(
      newRecord({
        id: localMachineId,
        name: 'This computer',
        environment: 'dev',
        machineType: 'local_docker',
        tunnel: { kind: 'local' },
        now: isoTime(this.#deps.clock),
      }),
    )
  }

  async #startAgent(machine: Machine): Promise<void> {
    if (machine.record.state !== 'starting') machine.wake('started by a person')
    try {
      const running = await this.#deps.agent.start(await this.#secret())
      // The console started this very process, so its identity is the machine's, whatever was recorded.
      if (machine.record.agentId !== running.agentId) machine.forgetIdentity()
    } catch (error) {
      const problem = Problem.from(error, 'start-failed')
      machine.end({ to: 'killed', problem, reason: problem.message })
      throw problem
    }
    await machine.verify()
  }

  async #startBrowser(machine: Machine): Promise<void> {
    const client = machine.client()
    const { state } = await client.call('browser.status')
    if (state === 'active' || state === 'starting') return
    try {
      await client.call('browser.start', { url: await this.#deps.startPage() }, { timeoutMs: 60_000 })
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'already-active') throw error
    }
    await machine.check()
  }

  async #secret(): Promise<string> {
    const kept = await this.#deps.vault.get(localMachineId, 'agent').catch(() => undefined)
    if (kept !== undefined) return kept
    const made = randomBytes(32).toString('base64url')
    await this.#deps.vault.set(localMachineId, 'agent', made)
    return made
  }

  /** Its agent ended with the console that started it, however that one ended. */
  #settleAfterLastRun(): void {
    if (!this.#deps.fleet.has(localMachineId) || isLost(this.#machine.record)) return
    this.#machine.end({
      to: 'terminated',
      problem: undefined,
      reason: 'its agent ended with the last run of the console',
    })
  }

  #lost(): void {
    const detail = 'The agent of this computer ended unexpectedly. Press Try it on this computer to start it again.'
    this.#machine.end({ to: 'killed', problem: new Problem('unreachable', detail), reason: 'the agent process ended' })
  }
}
