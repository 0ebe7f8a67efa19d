import type { AgentClient } from '../../shared/client/client.ts'
import type { MachineView } from '../../shared/domain/machine.ts'
import type { Recreated } from '../../shared/domain/power.ts'
import { Problem } from '../../shared/errors.ts'
import { isoTime } from '../clock.ts'
import { AutoStop } from '../power/auto-stop.ts'
import { type MachinePower, makePower } from '../power/machine-power.ts'
import type { Observation } from '../providers/provider.ts'
import type { MachineRecord } from '../store/machines.ts'
import { echoQuietly } from './audit-echo.ts'
import { Checks } from './checks.ts'
import type { Finding } from './find-out.ts'
import { keepTrue, Naps } from './keep-true.ts'
import { type Ending, isDead, LifecycleRecord } from './lifecycle-record.ts'
import { MachineConnection } from './machine-connection.ts'
import type { MachineDeps } from './machine-deps.ts'
import { factsFromStatus, type MachineFacts, snapshotOf } from './machine-facts.ts'
import { MachineFeed } from './machine-feed.ts'
import { MachineKnown } from './machine-known.ts'
import { browserNews, deployedImage, essenceOf, powerNews } from './machine-news.ts'
import { isLost, SandboxWatch } from './sandbox-watch.ts'
import type { NotAlive, Verdict } from './verification.ts'

/** One machine: connects to it, keeps what is known of it true, and says when that changes. */
export class Machine {
  readonly autoStop = new AutoStop()
  readonly #deps: MachineDeps
  readonly #lifecycle: LifecycleRecord
  readonly #feed: MachineFeed
  readonly #connection: MachineConnection
  readonly #naps = new Naps()
  readonly #sandbox: SandboxWatch
  readonly #known: MachineKnown
  readonly #checks: Checks
  #power: MachinePower
  #keeping: AbortController | undefined

  constructor(record: MachineRecord, deps: MachineDeps) {
    this.#deps = deps
    this.#lifecycle = new LifecycleRecord(record, deps)
    this.#known = new MachineKnown(record.snapshot)
    this.#sandbox = new SandboxWatch(record, this.#known.facts.browser)
    this.#connection = new MachineConnection(record.id, deps)
    this.#power = this.#makePower()
    this.#checks = new Checks(deps, {
      ...{ lifecycle: this.#lifecycle, known: this.#known, connection: this.#connection },
      power: () => this.#power,
      signal: () => this.#keeping?.signal ?? this.#connection.signal,
      conclude: (finding) => this.#conclude(finding),
      changed: () => this.#changed(),
    })
    this.#feed = new MachineFeed(record.id, deps, {
      learned: (facts) => this.#learned(facts),
      navigated: (url) => {
        const { browser } = this.#known.facts
        if (browser !== null && browser.url !== url) this.#learned({ browser: { ...browser, url } })
      },
      heard: () => this.#lifecycle.note({ lastVerifiedAt: isoTime(deps.clock) }, { save: false }),
      isSame: (agentId) => this.record.agentId === null || this.record.agentId === agentId,
    })
  }

  get record(): Readonly<MachineRecord> {
    return this.#lifecycle.current
  }

  get power(): MachinePower {
    return this.#power
  }

  get connected(): boolean {
    return this.#known.connected
  }

  get leaseHolder(): string | null {
    return this.#known.facts.lease?.operator ?? null
  }

  /** Given while the machine is held; what waits for it ends with it. */
  get signal(): AbortSignal {
    return this.#connection.signal
  }

  view(): MachineView {
    const { record } = this
    return this.#known.view(record, {
      shownLease: (lease) => this.#deps.leases.shown(record.id, lease),
      power: this.#power.view(record, this.connected),
      autoStop: this.autoStop.view(record),
    })
  }

  /** The client of this machine; one that is gone with its agent has none, so that no command waits for it. */
  client(): AgentClient {
    const { name, state } = this.record
    if (state === 'paused' || (isDead(state) && !this.#known.connected))
      throw new Problem('unreachable', `${name} is ${state}. Wake it first.`)
    return this.#connect()
  }

  /** From now on the machine is connected to and followed. Returns at once. */
  keep(): void {
    if (this.#keeping !== undefined || isLost(this.record)) return
    const keeping = new AbortController()
    this.#keeping = keeping
    void keepTrue({
      ...this.#deps,
      signal: keeping.signal,
      naps: this.#naps,
      verify: () => this.verify(keeping.signal),
      now: () => ({ ...this.record, connected: this.#known.connected, lost: isLost(this.record) }),
      follow: () => this.#feed.follow(this.#connect(), keeping.signal),
    }).catch((error: unknown) => {
      this.#deps.log('error', 'following a machine failed', { machine: this.record.id, error: String(error) })
    })
  }

  /** Health check now. One check at a time: a second caller waits for the first one's result. */
  verify(signal?: AbortSignal): Promise<void> {
    return this.#checks.run(signal)
  }

  /** A person's own health check: shows its result at once, and follows the machine again if it is back. */
  async check(): Promise<void> {
    await this.verify()
    if (this.#known.connected && !this.#feed.following) this.#naps.end()
    else if (this.#known.connected) await this.#feed.refresh(this.#connect())
    else this.#feed.stop()
  }

  /** Looks at everything afresh, and says whether what was shown was wrong. */
  async reconcile(): Promise<'same' | 'corrected' | 'failed'> {
    const before = essenceOf(this.record, this.#known.facts)
    await this.verify()
    if (this.#known.connected) await this.#feed.refresh(this.#connect())
    if (!this.#known.connected && this.record.state === 'running') return 'failed'
    return essenceOf(this.record, this.#known.facts) === before ? 'same' : 'corrected'
  }

  /** A person wakes it: the only way out of a state in which it is gone. */
  wake(reason: string): boolean {
    const woken = this.#lifecycle.become({ to: 'starting', cause: 'wake', reason })
    if (woken) {
      this.#known.problem = undefined
      this.#known.recreated = null
      this.#sandbox.forget()
      this.#changed()
    }
    return woken
  }

  /** What answers after a wake may be a new machine in the old one's place. */
  forgetIdentity(): void {
    this.#lifecycle.note({ agentId: null, auditEntries: 0, auditHead: null }, { save: true })
  }

  /** For so long, silence of a machine that is being started proves nothing. */
  expectBoot(ms: number): void {
    this.#checks.expectBoot(ms)
  }

  noteRecreated(recreated: Recreated | null): void {
    this.#known.recreated = recreated
    this.#changed()
  }

  /** Changes what a person set; a new way to the machine is used at once. */
  configure(changed: Partial<MachineRecord>): void {
    const { tunnel, provider, machineType } = this.record
    this.#lifecycle.note(changed, { save: true })
    const differs = (a: unknown, b: unknown) => JSON.stringify(a) !== JSON.stringify(b)
    const { record } = this
    if (differs([provider, machineType], [record.provider, record.machineType])) this.#power = this.#makePower()
    if (differs(tunnel, record.tunnel)) {
      this.stop()
      this.keep()
    }
    this.#changed()
  }

  /** It was switched off on purpose: nobody waits for its agent any more. */
  switchedOff(reason: string): void {
    const { state } = this.record
    // One whose browser was gone before stays gone, also with its power off.
    if (state === 'paused' || isLost(this.record)) return
    if (!isDead(state) && !this.#lifecycle.become({ to: 'paused', reason })) return
    this.#sandbox.forget()
    this.#lifecycle.note({ lastStoppedAt: isoTime(this.#deps.clock), verificationFailures: 0 }, { save: true })
    this.#known.problem = undefined
    this.stop()
    this.keep()
    this.#changed()
  }

  /** It is known to be gone or off: stops following and says why. */
  end({ problem, ...ending }: Ending & { problem: Problem | undefined }): void {
    if (isLost(this.record)) return
    this.#lifecycle.end(ending)
    this.#known.problem = problem
    this.stop()
    this.#changed()
  }

  /** Lets go of the machine; nothing on it changes. Whatever waits for an answer is told so. */
  stop(): void {
    this.#keeping?.abort()
    this.#keeping = undefined
    const { name, state } = this.record
    this.#feed.stop()
    this.#known.connected = false
    this.#known.checking = undefined
    this.#connection.drop(
      new Problem('unreachable', `${name} is ${state}: what was asked of it ended without an answer.`),
    )
    this.autoStop.reset()
    this.#deps.leases.forget(this.record.id)
  }

  /** The fleet's common tick: whoever does not send its load is asked for it. */
  async tick(): Promise<void> {
    if (this.#known.connected && !this.#checks.underWay) await this.#feed.tick(this.#connect())
  }

  /** How often the load is wanted has changed. */
  pace(): void {
    this.#feed.pace()
  }

  #conclude(finding: Finding): void {
    this.#known.checking = undefined
    switch (finding.kind) {
      case 'alive':
        return this.#alive(finding)
      case 'gone': {
        const { problem, ended } = finding
        const to = ended === 'expired' ? 'expired' : 'killed'
        return this.end({ to, problem, reason: problem.message, ...(ended && { killedReason: ended }) })
      }
      case 'off':
        return this.#off(finding.observation)
      case 'quiet':
        return this.#changed()
      default:
        return this.#unverified(finding)
    }
  }

  #alive({ status, roundTripMs }: Extract<Verdict, { kind: 'alive' }>): void {
    const wasConnected = this.#known.connected
    this.#known.facts = { ...this.#known.facts, ...factsFromStatus(status), roundTripMs }
    this.#known.connected = true
    this.#known.heardInThisRun = true
    this.#known.problem = undefined
    const { agentId, agentVersion } = status
    const [lastVerifiedAt, snapshot] = [isoTime(this.#deps.clock), snapshotOf(this.#known.facts)]
    this.#lifecycle.note({ agentId, agentVersion, lastVerifiedAt, verificationFailures: 0, snapshot }, { save: true })
    const { state } = this.record
    if (state === 'starting' || state === 'paused') this.#sandbox.forget()
    if (!isDead(state)) this.#lifecycle.become({ to: 'running', reason: 'verified' })
    if (!wasConnected) {
      this.#sandbox.heardAgain()
      void this.#echo()
      void this.learnImage()
      this.#deps.onConnected(this.record.id)
    }
    this.#changed()
  }

  /** The provider says that it is off: that is as good as verified, and nothing is broken. */
  #off({ state }: Observation): void {
    this.#known.connected = false
    this.#known.heardInThisRun = true
    this.#known.problem = undefined
    this.#lifecycle.note({ lastVerifiedAt: isoTime(this.#deps.clock), verificationFailures: 0 }, { save: true })
    if (this.record.state === 'paused' || isDead(this.record.state)) return this.#changed()
    this.switchedOff(`EC2 says ${state}`)
  }

  #unverified({ kind, problem }: NotAlive): void {
    if (kind === 'unclear') {
      this.#deps.log('warn', 'a verification came back unclear', { machine: this.record.id, problem: problem.toWire() })
    }
    if (this.record.state === 'starting') return this.end({ to: 'killed', problem, reason: problem.message })
    this.#known.connected = false
    this.#known.problem = problem
    this.#lifecycle.note({}, { save: true })
    if (!isDead(this.record.state)) this.#lifecycle.become({ to: 'unknown', reason: problem.message })
    this.#changed()
  }

  async #echo(): Promise<void> {
    const { signal } = this.#connection
    const result = await echoQuietly(this.#connect(), this.record, this.#deps)
    if (result === undefined || signal.aborted) return
    this.#lifecycle.note({ auditEntries: result.entries, auditHead: result.head }, { save: true })
    this.#known.auditWarning = result.warning
    this.#changed()
  }

  /** Asks what is deployed there. */
  async learnImage(): Promise<void> {
    const { signal } = this.#connection
    const imageTag = await deployedImage(this.#connect())
    if (imageTag === undefined || signal.aborted || imageTag === this.record.imageTag) return
    this.#lifecycle.note({ imageTag }, { save: true })
    this.#changed()
  }

  #learned(facts: Partial<MachineFacts>): void {
    this.#known.facts = { ...this.#known.facts, ...facts }
    if (facts.metrics != null) this.#deps.onMetrics(this.record.id, facts.metrics)
    if (facts.browser != null) {
      const news = browserNews(this.record, facts.browser, snapshotOf(this.#known.facts))
      if (news !== undefined) this.#lifecycle.note(news, { save: true })
      if (this.#sandbox.judge(facts.browser, this.#lifecycle)) this.autoStop.reset()
    }
    this.#changed()
  }

  #makePower(): MachinePower {
    return makePower(
      this.#deps,
      this.record,
      () => this.client(),
      (seen) => {
        const { known, isNews } = powerNews(this.record, seen, isoTime(this.#deps.clock))
        this.#lifecycle.note(known, { save: isNews })
        this.#changed()
      },
    )
  }

  #connect(): AgentClient {
    return this.#connection.client(this.record.tunnel)
  }

  #changed(): void {
    this.#deps.onChange(this.record.id)
  }
}
