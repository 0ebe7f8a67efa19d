import fs from 'node:fs/promises'
import type { MachineView } from '../../shared/domain/machine.ts'
import { compareVersions } from '../../shared/domain/versions.ts'
import { Problem } from '../../shared/errors.ts'
import type { IpcParamsOut } from '../../shared/ipc.ts'
import { sleep } from '../clock.ts'
import { putBeside } from './beside.ts'
import type { EnrollmentsDeps } from './enrollments.ts'
import { type Host, inspectHost, places } from './inspect-host.ts'
import { asRoot, digest, digestOf, installService, putFile } from './install-agent.ts'
import type { SshSession } from './ssh-session.ts'
import { done, Steps } from './steps.ts'

type Wish = IpcParamsOut<'enroll.upgrade'>

/** How long the new agent may take to answer, and then the old one that was put back. */
const answerLimitMs = 30_000
/** Where the old files wait until the new ones have proved themselves. */
const aside = (file: string) => `${file}.before`

/** Brings a machine's agent to this console's version over SSH. One that does not answer afterwards is put back. */
export class Upgrades {
  readonly #deps: EnrollmentsDeps
  readonly #running = new Set<string>()

  constructor(deps: EnrollmentsDeps) {
    this.#deps = deps
  }

  async start(wish: Wish): Promise<MachineView> {
    const { name, tunnel } = this.#deps.fleet.machine(wish.machineId).record
    if (tunnel.kind !== 'ssh') {
      throw new Problem(
        'conflict',
        `The agent is updated over SSH, and ${name} is not reached that way. Put the new bundle there by hand, or choose SSH with Edit machine.`,
      )
    }
    if (this.#running.has(wish.machineId)) throw new Problem('conflict', `${name} is being updated already.`)
    this.#running.add(wish.machineId)
    try {
      const steps = new Steps(wish.enrollId, new AbortController().signal, this.#deps.onStep)
      const session = await steps.take('connect', async () => {
        return { value: await this.#deps.connect(tunnel), detail: `logged in to ${tunnel.host}` }
      })
      try {
        return await this.#upgrade(wish, name, session, steps)
      } finally {
        session.close()
      }
    } finally {
      this.#running.delete(wish.machineId)
    }
  }

  async #upgrade(wish: Wish, name: string, session: SshSession, steps: Steps): Promise<MachineView> {
    const bytes = await fs.readFile(this.#deps.bundle)
    const { host, same } = await steps.take('check', async () => {
      const found = await this.#check(wish, name, session, digest(bytes))
      return { value: found, detail: found.words }
    })
    if (same) {
      for (const step of ['node', 'copy', 'service'] as const) await steps.take(step, async () => done('there already'))
      return steps.take('verify', () => this.#answers(wish.machineId, name))
    }
    try {
      await steps.take('node', async () => {
        if (host.node !== undefined) return done(`uses ${host.node}`)
        const node = await fs.readFile(this.#deps.node)
        if ((await digestOf(session, host, places.node)) === digest(node)) return done('ours, there already')
        await keepAside(session, host, places.node)
        await putFile(session, host, { target: places.node, bytes: node, mode: '0755' })
        return done('ours')
      })
      await steps.take('copy', async () => {
        await keepAside(session, host, places.agent)
        await putBeside(session, host, this.#deps.beside, this.#deps.ours)
        await putFile(session, host, { target: places.agent, bytes, mode: '0755' })
        return done(`${this.#deps.version}, its digest compared`)
      })
      await steps.take('service', async () => {
        await installService(session, host)
        return done('started anew')
      })
      const view = await steps.take('verify', () => this.#answers(wish.machineId, name))
      for (const file of [places.agent, places.node]) await asRoot(session, host, 'rm', '-f', aside(file))
      return view
    } catch (error) {
      await this.#putBack(wish.machineId, name, session, host, steps)
      throw error
    }
  }

  /** What is there, and whether it may be replaced; nothing is changed. */
  async #check({ machineId, downgrade }: Wish, name: string, session: SshSession, wanted: string) {
    const { version, ours } = this.#deps
    const host = await inspectHost(session, ours)
    const there = await digestOf(session, host, places.agent)
    if (there === undefined) {
      throw new Problem(
        'conflict',
        `The agent of ${name} is not in ${places.folder}, so it was installed in another way. Update it in that way.`,
      )
    }
    const found = await versionThere(session, host)
    if (found !== undefined && compareVersions(found, version) > 0 && !downgrade) {
      throw new Problem(
        'conflict',
        `${name} has the newer agent ${found}; this console would put ${version} in its place. Update the console, or say that the older one is wanted.`,
        { there: found, ours: version, downgrade: true },
      )
    }
    const same = there === wanted
    if (!same) await this.#refuseDuringDeploy(machineId, name)
    return { host, same, words: `${found ?? 'unknown version'} there, ${version} here${same ? ': the same file' : ''}` }
  }

  /** A restart in the middle of a deploy would leave it to be found out. An agent that is silent has none under way. */
  async #refuseDuringDeploy(machineId: string, name: string): Promise<void> {
    const health = await this.#deps.fleet
      .call(machineId, 'machine.health', {}, { timeoutMs: 10_000 })
      .catch(() => undefined)
    if (health?.currentDeploy == null) return
    throw new Problem('conflict', `A deploy is under way on ${name}. Update its agent when that has ended.`)
  }

  /** Whoever answers now was started anew: the service manager ended the old one before. */
  async #answers(machineId: string, name: string, version: string | null = this.#deps.version) {
    const { fleet, clock } = this.#deps
    const until = clock.now() + answerLimitMs
    for (;;) {
      const view = await fleet.verify(machineId)
      if (view.state === 'running' && version !== null && view.agentVersion !== version) {
        throw new Problem('start-failed', `${name} answers as ${view.agentVersion}, not as ${version}.`)
      }
      if (view.state === 'running') return { value: view, detail: `answers as ${view.agentVersion}` }
      if (clock.now() >= until) {
        const why = view.problem?.detail ?? view.state
        throw new Problem('start-failed', `The new agent of ${name} does not answer: ${why}`)
      }
      await sleep(clock, 1000, new AbortController().signal)
    }
  }

  async #putBack(machineId: string, name: string, session: SshSession, host: Host, steps: Steps): Promise<void> {
    try {
      let back = false
      for (const file of [places.node, places.agent]) {
        if ((await digestOf(session, host, aside(file))) === undefined) continue
        await asRoot(session, host, 'mv', '-f', aside(file), file)
        back = true
      }
      if (!back) return
      await installService(session, host)
      const { detail } = await this.#answers(machineId, name, null)
      steps.tell('register', 'undone', `the agent from before is back, and ${detail}`)
    } catch (error) {
      steps.tell('register', 'undone', `the agent from before could not be put back: ${Problem.from(error).message}`)
    }
  }
}

/** Once: broken off in between, what is aside already is the one that worked. */
async function keepAside(session: SshSession, host: Host, file: string): Promise<void> {
  if ((await digestOf(session, host, aside(file))) !== undefined) return
  if ((await digestOf(session, host, file)) === undefined) return
  await asRoot(session, host, 'cp', '-p', file, `${aside(file)}.new`)
  await asRoot(session, host, 'mv', '-f', `${aside(file)}.new`, aside(file))
}

/** As it calls itself in its own help: it may be too old to answer, or not running. */
async function versionThere(session: SshSession, host: Host): Promise<string | undefined> {
  for (const node of [places.node, host.node]) {
    if (node === undefined) continue
    const said = await asRoot(session, host, node, places.agent, 'help').catch(() => '')
    const version = /^pilothouse-agent (\d+\.\d+\.\d+)/.exec(said)?.[1]
    if (version !== undefined) return version
  }
  return undefined
}
