import { randomBytes } from 'node:crypto'
import fs from 'node:fs/promises'
import { z } from 'zod'
import type { MachineView, Tunnel } from '../../shared/domain/machine.ts'
import { Problem } from '../../shared/errors.ts'
import type { IpcEventData, IpcParamsOut } from '../../shared/ipc.ts'
import { type Clock, sleep } from '../clock.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Store } from '../store/store.ts'
import { type Host, inspectHost, places } from './inspect-host.ts'
import { type Installed, installService, putFile, removeInstalled } from './install-agent.ts'
import type { SshSession } from './ssh-session.ts'

type Step = IpcEventData<'enroll.step'>['step']
type Wish = IpcParamsOut<'enroll.start'>
type SshTunnel = Extract<Tunnel, { kind: 'ssh' }>

export interface EnrollmentsDeps {
  fleet: Pick<Fleet, 'add' | 'remove' | 'machine'>
  settings: Store['settings']
  connect: (tunnel: SshTunnel) => Promise<SshSession>
  /** The agent's bundle and our own Node, as files. */
  bundle: string
  node: string
  ours: { platform: string; arch: string }
  clock: Clock
  onStep: (step: IpcEventData<'enroll.step'>) => void
}

const installedSchema = z.object({
  platform: z.enum(['linux', 'darwin']),
  hadUser: z.boolean(),
  hadState: z.boolean(),
})

/** How long a service may take to answer after it was started. */
const answerLimitMs = 30_000
const settingOf = (machineId: string) => `enrolled:${machineId}`

/** Installs the agent on machines over SSH, a step at a time; what fails halfway is taken away again. */
export class Enrollments {
  readonly #deps: EnrollmentsDeps
  readonly #running = new Map<string, AbortController>()

  constructor(deps: EnrollmentsDeps) {
    this.#deps = deps
  }

  async start(wish: Wish): Promise<MachineView> {
    const { ssh } = wish
    if (ssh.kind !== 'ssh')
      throw new Problem('invalid-params', 'The agent is installed over SSH: give a host to log in to.')
    if (this.#running.has(wish.enrollId)) throw new Problem('conflict', 'This enrolment is running already.')
    const abort = new AbortController()
    this.#running.set(wish.enrollId, abort)
    try {
      return await this.#enroll(wish, ssh, abort.signal)
    } finally {
      this.#running.delete(wish.enrollId)
    }
  }

  /** Stops after the step that is under way, and takes away what was installed. */
  cancel(enrollId: string): void {
    this.#running.get(enrollId)?.abort()
  }

  /** Takes the agent away from a machine that was enrolled here, and the machine from this console. */
  async undo(machineId: string): Promise<void> {
    const { record } = this.#deps.fleet.machine(machineId)
    const kept = installedSchema.safeParse(this.#deps.settings.get(settingOf(machineId)))
    if (!kept.success || record.tunnel.kind !== 'ssh') {
      throw new Problem(
        'conflict',
        `${record.name} was not installed from this console, so there is nothing to take away. Remove it instead.`,
      )
    }
    const session = await this.#deps.connect(record.tunnel)
    try {
      const root = (await session.exec('id', ['-u'])).stdout.trim() === '0'
      const left = await removeInstalled(session, root ? [] : ['sudo', '-n'], kept.data)
      if (left.length > 0)
        throw new Problem('start-failed', `Not everything could be removed from ${record.name}: ${left.join('; ')}`)
    } finally {
      session.close()
    }
    await this.#deps.fleet.remove(machineId)
    this.#deps.settings.set(settingOf(machineId), null)
  }

  async #enroll(wish: Wish, ssh: SshTunnel, signal: AbortSignal): Promise<MachineView> {
    const session = await this.#step(wish, 'connect', signal, async () => ({
      value: await this.#deps.connect(ssh),
      detail: `logged in to ${ssh.host}`,
    }))
    let host: Host | undefined
    let touched = false
    try {
      host = await this.#step(wish, 'check', signal, async () => {
        const value = await inspectHost(session, this.#deps.ours)
        return { value, detail: `${value.platform} ${value.arch}, ${value.sudo.length === 0 ? 'root' : 'sudo'}` }
      })
      touched = true
      return await this.#install(wish, ssh, session, host, signal)
    } catch (error) {
      if (host !== undefined && touched) await this.#takeAway(wish, session, host)
      throw error
    } finally {
      session.close()
    }
  }

  async #install(
    wish: Wish,
    ssh: SshTunnel,
    session: SshSession,
    host: Host,
    signal: AbortSignal,
  ): Promise<MachineView> {
    const { bundle, node } = this.#deps
    await this.#step(wish, 'node', signal, async () => {
      if (host.node !== undefined) return { value: undefined, detail: `uses ${host.node}` }
      await putFile(session, host, { target: places.node, bytes: await fs.readFile(node), mode: '0755' })
      return { value: undefined, detail: 'copied ours' }
    })
    await this.#step(wish, 'copy', signal, async () => {
      await putFile(session, host, { target: places.agent, bytes: await fs.readFile(bundle), mode: '0755' })
      return { value: undefined, detail: places.agent }
    })
    const secret = await this.#step(wish, 'secret', signal, async () => {
      const value = randomBytes(32).toString('base64url')
      await putFile(session, host, { target: places.secret, bytes: Buffer.from(`${value}\n`), mode: '0600' })
      return { value, detail: 'made, and kept by both sides only' }
    })
    await this.#step(wish, 'service', signal, async () => {
      await installService(session, host)
      return { value: undefined, detail: 'starts with the machine' }
    })
    const machine = await this.#step(wish, 'verify', signal, async () => {
      const value = await this.#addPatiently(wish, ssh, secret, signal)
      return { value, detail: `answers as ${value.hostname ?? value.name}` }
    })
    return this.#step(wish, 'register', signal, async () => {
      const { platform, hadUser, hadState } = host
      this.#deps.settings.set(settingOf(machine.id), { platform, hadUser, hadState } satisfies Installed)
      return { value: machine, detail: machine.name }
    })
  }

  /** A service that has just been started needs its moment. */
  async #addPatiently(wish: Wish, ssh: SshTunnel, secret: string, signal: AbortSignal): Promise<MachineView> {
    const { name, environment, machineType, provider } = wish
    const until = this.#deps.clock.now() + answerLimitMs
    for (;;) {
      try {
        return await this.#deps.fleet.add({ name, environment, machineType, provider, secret, tunnel: ssh })
      } catch (error) {
        const problem = Problem.from(error)
        if (problem.code !== 'unreachable' || this.#deps.clock.now() >= until || signal.aborted) throw problem
        await sleep(this.#deps.clock, 1000, signal)
      }
    }
  }

  async #takeAway(wish: Wish, session: SshSession, host: Host): Promise<void> {
    const left = await removeInstalled(session, host.sudo, host).catch((error: unknown) => [String(error)])
    const detail = left.length === 0 ? 'what was installed is removed again' : `still there: ${left.join('; ')}`
    this.#tell(wish, 'register', 'undone', detail)
  }

  async #step<Value>(
    wish: Wish,
    step: Step,
    signal: AbortSignal,
    act: () => Promise<{ value: Value; detail: string }>,
  ): Promise<Value> {
    try {
      if (signal.aborted) throw new Problem('cancelled', 'The installation was cancelled.')
      this.#tell(wish, step, 'running', '')
      const { value, detail } = await act()
      this.#tell(wish, step, 'done', detail)
      return value
    } catch (error) {
      const problem = Problem.from(error)
      this.#tell(wish, step, 'failed', problem.message)
      throw problem
    }
  }

  #tell({ enrollId }: Wish, step: Step, state: IpcEventData<'enroll.step'>['state'], detail: string): void {
    this.#deps.onStep({ enrollId, step, state, detail })
  }
}
