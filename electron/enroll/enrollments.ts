import { randomBytes } from 'node:crypto'
import fs from 'node:fs/promises'
import type { MachineView, Tunnel } from '../../shared/domain/machine.ts'
import { Problem } from '../../shared/errors.ts'
import type { IpcParamsOut } from '../../shared/ipc.ts'
import type { RunningEnrollment } from '../../shared/ipc-power.ts'
import { type Clock, isoTime, sleep } from '../clock.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Store } from '../store/store.ts'
import type { Vault } from '../vault/vault.ts'
import { putBeside } from './beside.ts'
import { type Host, inspectHost, places } from './inspect-host.ts'
import { digest, digestOf, installService, putFile, removeInstalled } from './install-agent.ts'
import { RunningEnrollments } from './running.ts'
import type { SshSession } from './ssh-session.ts'
import { done, type EnrollStep, Steps } from './steps.ts'
import { EnrollmentBook, type Unfinished } from './unfinished.ts'

type Wish = IpcParamsOut<'enroll.start'>
export type SshTunnel = Extract<Tunnel, { kind: 'ssh' }>

export interface EnrollmentsDeps {
  fleet: Pick<Fleet, 'add' | 'remove' | 'machine' | 'has' | 'verify' | 'call'>
  vault: Pick<Vault, 'get' | 'set' | 'delete'>
  settings: Store['settings']
  connect: (tunnel: SshTunnel) => Promise<SshSession>
  /** The agent's bundle with the folder of its native packages, our own Node, and the version of the bundle. */
  bundle: string
  beside: string
  node: string
  version: string
  ours: { platform: string; arch: string }
  clock: Clock
  onStep: (step: EnrollStep) => void
  /** Those that are under way, whenever one of them began, came further or ended. */
  onRunning: (running: RunningEnrollment[]) => void
}

/** How long a service may take to answer after it was started. */
const answerLimitMs = 30_000

/**
 * Installs the agent on machines over SSH, a step at a time. Each step looks whether it was done already, so that one
 * that was broken off, by a failure, a lost line or the end of this console, is simply begun again. The enrolment's id
 * becomes the machine's, and stands on the machine as long as what was installed does.
 */
export class Enrollments {
  readonly #deps: EnrollmentsDeps
  readonly #book: EnrollmentBook
  readonly #running: RunningEnrollments

  constructor(deps: EnrollmentsDeps) {
    this.#deps = deps
    this.#book = new EnrollmentBook(deps.settings)
    this.#running = new RunningEnrollments(deps.onRunning)
  }

  async start(wish: Wish): Promise<MachineView> {
    const { ssh } = wish
    if (ssh.kind !== 'ssh')
      throw new Problem('invalid-params', 'The agent is installed over SSH: give a host to log in to.')
    const signal = this.#running.begin(wish.enrollId, wish.name, ssh)
    try {
      return await this.#enroll(wish, ssh, signal)
    } finally {
      this.#running.ended(wish.enrollId)
    }
  }

  /** Stops after the step that is under way, and takes away what was installed. */
  cancel(enrollId: string): void {
    this.#running.cancel(enrollId)
  }

  /** Those that are under way, for windows that did not begin them. */
  running(): RunningEnrollment[] {
    return this.#running.list()
  }

  /** Those that were broken off: each can be gone on with, by starting it again, or undone. */
  unfinished(): Unfinished[] {
    return this.#book.unfinished().filter(({ enrollId }) => !this.#running.isWrittenAs(enrollId))
  }

  /** Takes away what one that was broken off has put onto its machine. */
  async discard(enrollId: string): Promise<void> {
    const found = this.unfinished().find((one) => one.enrollId === enrollId)
    if (found === undefined) throw new Problem('not-found', 'There is no such unfinished installation.')
    await this.#takeAway(found.ssh as SshTunnel, found.installed)
    await this.#deps.vault.delete(enrollId, 'agent')
    this.#book.ended(enrollId)
  }

  /** Takes the agent away from a machine that was enrolled here, and the machine from this console. */
  async undo(machineId: string): Promise<void> {
    const { record } = this.#deps.fleet.machine(machineId)
    const installed = this.#book.installedOn(machineId)
    if (installed === undefined || record.tunnel.kind !== 'ssh') {
      throw new Problem(
        'conflict',
        `${record.name} was not installed from this console, so there is nothing to take away. Remove it instead.`,
      )
    }
    await this.#takeAway(record.tunnel, installed)
    await this.#deps.fleet.remove(machineId)
    this.#book.forget(machineId)
  }

  async #enroll(wish: Wish, ssh: SshTunnel, signal: AbortSignal): Promise<MachineView> {
    // An earlier try goes on under its own name, whatever this one is called.
    const steps = new Steps(wish.enrollId, signal, (step) => {
      this.#running.told(step)
      this.#deps.onStep(step)
    })
    const session = await steps.take('connect', async () => {
      return { value: await this.#deps.connect(ssh), detail: `logged in to ${ssh.host}` }
    })
    try {
      const host = await steps.take('check', async () => {
        const value = await inspectHost(session, this.#deps.ours)
        return { value, detail: value.about }
      })
      const known = host.mark !== undefined && this.#deps.fleet.has(host.mark) ? host.mark : undefined
      if (known !== undefined) return await this.#nothingToDo(known, session, host, steps)
      const begun = this.#begin(wish, ssh, host)
      try {
        return await this.#install(begun, session, host, steps, signal)
      } catch (error) {
        const { message } = Problem.from(error)
        this.#book.begun({ ...begun, at: isoTime(this.#deps.clock), detail: message })
        if (signal.aborted) await this.#undoCancelled(begun, session, host, steps)
        throw error
      }
    } finally {
      session.close()
    }
  }

  /** Decides whether this is a new one or goes on with one that was broken off, and writes it down before it acts. */
  #begin(wish: Wish, ssh: SshTunnel, host: Host): Unfinished {
    const { name, environment, machineType, provider } = wish
    const earlier = this.#book.unfinished().find(({ enrollId }) => enrollId === host.mark)
    const removed = host.mark === undefined ? undefined : this.#book.installedOn(host.mark)
    if (host.installed && earlier === undefined && removed === undefined) {
      throw new Problem(
        'conflict',
        'An agent is installed there already, and not by this console. Add it with its secret instead, or remove it first.',
      )
    }
    const goesOn = earlier !== undefined || removed !== undefined
    if (!goesOn && host.portTaken) {
      throw new Problem(
        'conflict',
        `Another program listens on port ${host.port} of the machine. End it, or give the agent another port with PILOTHOUSE_PORT=… in ${places.settings} there, then try again.`,
      )
    }
    const { platform, hadUser, hadState, hadConfig } = host
    const remote = host.port === undefined ? { socketPath: places.socket } : { port: host.port }
    const begun: Unfinished = {
      enrollId: (goesOn ? host.mark : undefined) ?? wish.enrollId,
      ...{ name, environment, machineType, ...(provider && { provider }) },
      ssh: { ...ssh, remote },
      at: isoTime(this.#deps.clock),
      detail: 'This console ended before it was done.',
      installed: earlier?.installed ?? removed ?? { platform, hadUser, hadState, hadConfig },
    }
    if (begun.enrollId === wish.enrollId && this.#deps.fleet.has(wish.enrollId)) {
      throw new Problem('conflict', 'There is a machine of that id already.')
    }
    this.#running.goesOnAs(wish.enrollId, begun.enrollId)
    this.#book.begun(begun)
    return begun
  }

  async #install(
    begun: Unfinished,
    session: SshSession,
    host: Host,
    steps: Steps,
    signal: AbortSignal,
  ): Promise<MachineView> {
    const { bundle, beside, node, ours, vault } = this.#deps
    const { enrollId } = begun
    const said = (how: 'put' | 'there', words: string) => done(how === 'there' ? `${words}, there already` : words)
    await putFile(session, host, { target: places.mark, bytes: Buffer.from(`${enrollId}\n`), mode: '0600' })
    await steps.take('node', async () => {
      if (host.node !== undefined) return done(`uses ${host.node}`)
      return said(await putFile(session, host, { ...executable(places.node), bytes: await fs.readFile(node) }), 'ours')
    })
    await steps.take('copy', async () => {
      const bytes = await fs.readFile(bundle)
      await putBeside(session, host, beside, ours)
      return said(await putFile(session, host, { ...executable(places.agent), bytes }), places.agent)
    })
    const secret = await steps.take('secret', async () => {
      const earlier = await vault.get(enrollId, 'agent').catch(() => undefined)
      const value = earlier ?? randomBytes(32).toString('base64url')
      // Kept first: a secret that only the machine has is a machine that nobody can talk to.
      if (earlier === undefined) await vault.set(enrollId, 'agent', value)
      const file = { target: places.secret, bytes: Buffer.from(`${value}\n`), mode: '0600' } as const
      return { value, detail: said(await putFile(session, host, file), 'kept by both sides only').detail }
    })
    await steps.take('service', async () => {
      await installService(session, host)
      return done('starts with the machine')
    })
    const machine = await steps.take('verify', async () => {
      const value = await this.#addPatiently(begun, secret, signal)
      return { value, detail: `answers as ${value.hostname ?? value.name}` }
    })
    return steps.take('register', async () => {
      this.#book.enrolled(machine.id, begun.installed)
      this.#book.ended(enrollId)
      return { value: machine, detail: machine.name }
    })
  }

  /** The machine was enrolled before and is in the fleet: it is looked at, and nothing is changed. */
  async #nothingToDo(machineId: string, session: SshSession, host: Host, steps: Steps): Promise<MachineView> {
    const { name } = this.#deps.fleet.machine(machineId).record
    await steps.take('node', async () => done(host.node === undefined ? 'ours, there already' : `uses ${host.node}`))
    await steps.take('copy', async () => {
      const same = (await digestOf(session, host, places.agent)) === digest(await fs.readFile(this.#deps.bundle))
      return done(same ? `${places.agent}, there already` : `another version stands there; ${name} can be updated`)
    })
    for (const step of ['secret', 'service'] as const) await steps.take(step, async () => done('there already'))
    const view = await steps.take('verify', async () => {
      const value = await this.#deps.fleet.verify(machineId)
      if (value.state !== 'running') throw new Problem('unreachable', value.problem?.detail ?? `${name} is silent.`)
      return { value, detail: `answers as ${value.hostname ?? name}` }
    })
    return steps.take('register', async () => ({ value: view, detail: `in the fleet already, as ${name}` }))
  }

  /** A service that has just been started needs its moment. */
  async #addPatiently(begun: Unfinished, secret: string, signal: AbortSignal): Promise<MachineView> {
    const { name, environment, machineType, provider, ssh, enrollId } = begun
    const until = this.#deps.clock.now() + answerLimitMs
    for (;;) {
      try {
        const wish = { name, environment, machineType, provider, secret, tunnel: ssh }
        return await this.#deps.fleet.add(wish, enrollId, signal)
      } catch (error) {
        // The fleet forgets the secret of a machine that it did not take; this enrolment may go on with it.
        await this.#deps.vault.set(enrollId, 'agent', secret)
        const problem = Problem.from(error)
        if (problem.code !== 'unreachable' || this.#deps.clock.now() >= until || signal.aborted) throw problem
        await sleep(this.#deps.clock, 1000, signal)
      }
    }
  }

  async #undoCancelled(begun: Unfinished, session: SshSession, host: Host, steps: Steps): Promise<void> {
    const left = await removeInstalled(session, host.sudo, begun.installed).catch((error: unknown) => [String(error)])
    if (left.length > 0) return steps.tell('register', 'undone', `still there: ${left.join('; ')}`)
    await this.#deps.vault.delete(begun.enrollId, 'agent')
    this.#book.ended(begun.enrollId)
    steps.tell('register', 'undone', 'what was installed is removed again')
  }

  async #takeAway(ssh: SshTunnel, installed: Unfinished['installed']): Promise<void> {
    const session = await this.#deps.connect(ssh)
    try {
      const root = (await session.exec('id', ['-u'])).stdout.trim() === '0'
      const left = await removeInstalled(session, root ? [] : ['sudo', '-n'], installed)
      if (left.length > 0)
        throw new Problem('start-failed', `Not everything could be removed from ${ssh.host}: ${left.join('; ')}`)
    } finally {
      session.close()
    }
  }
}

const executable = (target: string) => ({ target, mode: '0755' }) as const
