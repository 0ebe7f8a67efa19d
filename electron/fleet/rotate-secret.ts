import { randomBytes } from 'node:crypto'
import { AgentClient } from '../../shared/client/client.ts'
import { Problem } from '../../shared/errors.ts'
import type { Log } from '../log.ts'
import type { Vault } from '../vault/vault.ts'
import type { Fleet } from './fleet.ts'
import { verifyLimitMs } from './verification.ts'

export interface RotationDeps {
  fleet: Pick<Fleet, 'machine' | 'call' | 'has'>
  vault: Pick<Vault, 'get' | 'set' | 'delete' | 'state' | 'list'>
  operator: () => string
  log: Log
}

/**
 * Gives an agent a new secret. It stands in the keychain beside the old one before the agent hears of it, and takes
 * its place once the agent has answered to it: whenever the console dies in between, one of the two works.
 */
export class SecretRotation {
  readonly #deps: RotationDeps
  readonly #underWay = new Set<string>()

  constructor(deps: RotationDeps) {
    this.#deps = deps
  }

  async rotate(machineId: string): Promise<{ message: string; oldValidUntil: string }> {
    const { fleet, vault } = this.#deps
    const { name, tunnel } = fleet.machine(machineId).record
    if (tunnel.kind === 'local')
      throw new Problem('invalid-params', 'The console makes the secret of this computer itself.')
    if (this.#underWay.has(machineId)) throw new Problem('conflict', `The secret of ${name} is being rotated already.`)
    const { state, detail } = await vault.state()
    if (state !== 'ready') {
      throw new Problem(
        'no-keychain',
        `The new secret of ${name} could only be kept for this run, and then nobody would know it. ${detail}`,
      )
    }
    const current = await vault.get(machineId, 'agent')
    if (current === undefined) throw new Problem('no-keychain', `The secret of ${name} is not at hand. Enter it first.`)
    this.#underWay.add(machineId)
    try {
      // What an earlier rotation left behind is settled first: its secret may be the one that works.
      if (await this.#settle(machineId))
        return { message: 'The rotation that was begun earlier is finished.', oldValidUntil: '' }
      const next = randomBytes(32).toString('base64url')
      await vault.set(machineId, 'agent-next', next)
      const answer = await this.#tell(machineId, current, next)
      if (!(await this.#answersTo(machineId, next))) {
        throw new Problem(
          'bad-answer',
          `${name} took the new secret but does not answer to it. The old one is kept, and the new one beside it: try a health check.`,
        )
      }
      await this.#adopt(machineId, next)
      return answer
    } finally {
      this.#underWay.delete(machineId)
    }
  }

  /** Whether a new secret waits for its proof. */
  async pending(machineId: string): Promise<boolean> {
    return (await this.#deps.vault.get(machineId, 'agent-next').catch(() => undefined)) !== undefined
  }

  /** After a crash in the middle: looks which of the two secrets the agent answers to. */
  async settleAll(): Promise<void> {
    const { vault, fleet, log } = this.#deps
    const left = (await vault.list().catch(() => [])).filter(({ kind }) => kind === 'agent-next')
    for (const { machineId } of left) {
      if (!fleet.has(machineId)) await vault.delete(machineId, 'agent-next').catch(() => {})
      else if (await this.#settle(machineId)) log('info', 'a rotation was finished', { machine: machineId })
    }
  }

  /** True when the new secret is the one that counts now. */
  async settle(machineId: string): Promise<boolean> {
    return this.#underWay.has(machineId) ? false : this.#settle(machineId)
  }

  async #settle(machineId: string): Promise<boolean> {
    const { vault } = this.#deps
    const next = await vault.get(machineId, 'agent-next').catch(() => undefined)
    if (next === undefined) return false
    const works = await this.#answersTo(machineId, next)
    if (works === true) {
      await this.#adopt(machineId, next)
      return true
    }
    // Refused: the agent never took it. Silent: nobody knows, so both are kept.
    if (works === false) await vault.delete(machineId, 'agent-next')
    return false
  }

  async #tell(machineId: string, current: string, next: string): Promise<{ message: string; oldValidUntil: string }> {
    try {
      const { message, oldValidUntil } = await this.#deps.fleet.call(
        machineId,
        'machine.rotateSecret',
        { current, next },
        { timeoutMs: 20_000 },
      )
      return { message, oldValidUntil }
    } catch (error) {
      const problem = Problem.from(error)
      // The answer may have been lost on the way, after the agent had taken the secret.
      if (problem.status === 0 || problem.code === 'timeout') {
        const works = await this.#answersTo(machineId, next)
        if (works === true) return { message: 'The new secret is in use.', oldValidUntil: '' }
        if (works === undefined) throw problem
      }
      await this.#deps.vault.delete(machineId, 'agent-next')
      throw problem
    }
  }

  async #adopt(machineId: string, next: string): Promise<void> {
    const { vault } = this.#deps
    await vault.set(machineId, 'agent', next)
    await vault.delete(machineId, 'agent-next')
  }

  /** Undefined when the machine does not say. */
  async #answersTo(machineId: string, secret: string): Promise<boolean | undefined> {
    const { fleet, operator } = this.#deps
    const machine = fleet.machine(machineId)
    try {
      const client = new AgentClient(machine.client().transport, { secret: () => secret, operator })
      const { agentId } = await client.call('machine.status', {}, { timeoutMs: verifyLimitMs })
      return machine.record.agentId === null || agentId === machine.record.agentId ? true : undefined
    } catch (error) {
      return Problem.from(error).code === 'unauthorized' ? false : undefined
    }
  }
}
