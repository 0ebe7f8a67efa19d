import type { BrowserState, BrowserStatus } from '../../shared/contract/browser.ts'
import type { CallParamsOut } from '../../shared/contract/index.ts'
import { Problem } from '../../shared/errors.ts'
import { startAdsPowerSession } from '../adspower/adspower-session.ts'
import { LocalApi } from '../adspower/local-api.ts'
import { AdsPowerProfiles } from '../adspower/profiles.ts'
import type { Publish } from '../events/publish.ts'
import type { Log } from '../log.ts'
import { announcePages } from '../pages/announce.ts'
import { announceTroubles } from '../pages/troubles.ts'
import { checkAddress } from './address.ts'
import { findMissing } from './dependencies.ts'
import type { PageTarget } from './devtools.ts'
import type { Pulse } from './heartbeat.ts'
import { type RestartPolicy, Restarts } from './restarts.ts'
import { type Session, type SessionOptions, startSession } from './session.ts'

export type StartParams = CallParamsOut<'browser.start'>

type Phase =
  | { state: 'inactive' }
  | { state: 'starting'; abort: AbortController; settled: Promise<void> }
  | { state: 'active'; session: Session; warnings: string[] }
  | { state: 'stopping'; settled: Promise<void> }
  | { state: 'failed'; error: { code: string; message: string }; settled: Promise<void>; restartsAt?: string }

export interface BrowserServiceOptions {
  dataDir: string
  publish: Publish
  log: Log
  /** Whether a browser that ended by itself is started again; it is not, unless told. */
  restart?: RestartPolicy | undefined
  existingDisplay?: string | undefined
  adspower?: { url: string; key: string | undefined; intervalMs?: number } | undefined
  pulse?: Pulse | undefined
  /** Whether the machine's display is the desktop's now. */
  desktopRuns?: () => boolean
}

const defaultAdsPower = 'http://127.0.0.1:50325'

/** The machine's one browser: starts it, stops it, and notices at once when it ends by itself. */
export class BrowserService {
  readonly #options: BrowserServiceOptions
  #phase: Phase = { state: 'inactive' }
  readonly #endListeners = new Set<(reason: string) => void>()
  readonly #troubleListeners = new Set<() => void>()
  #stopAnnouncing: () => void = () => {}
  #contextInUse: string | null = null
  readonly #restarts: Restarts
  readonly #adspower: AdsPowerProfiles
  /** What the running browser was started with, and the timer that starts it again after it has failed. */
  #lastStart: StartParams | undefined
  #restartTimer: NodeJS.Timeout | undefined
  /** How often a stop was asked for: a start that still waited then must not begin after it. */
  #stops = 0

  constructor(options: BrowserServiceOptions) {
    this.#options = options
    this.#restarts = new Restarts(options.restart ?? 'never')
    this.#adspower = new AdsPowerProfiles(new LocalApi(options.adspower ?? { url: defaultAdsPower, key: undefined }))
  }

  /** The running session; null unless the browser is active. */
  get session(): Session | null {
    return this.#phase.state === 'active' ? this.#phase.session : null
  }

  /** Why the browser is not well; undefined while it is, or is off because it was asked to be. */
  get trouble(): string | undefined {
    return this.#phase.state === 'failed' ? this.#phase.error.message : this.session?.heartbeat.silence
  }

  /** Calls back whenever the browser may be well no more, or again; returns what ends it. */
  onTrouble(listener: () => void): () => void {
    this.#troubleListeners.add(listener)
    return () => this.#troubleListeners.delete(listener)
  }

  /** Whether the machine's display is the browser's, or on its way to or from it. */
  get runs(): boolean {
    return this.#phase.state === 'starting' || this.#phase.state === 'active' || this.#phase.state === 'stopping'
  }

  /** The running session, or the problem that says there is none. */
  requireSession(): Session {
    if (this.#phase.state === 'active') return this.#phase.session
    throw new Problem('not-active', `The browser is ${this.#phase.state}. Start it first.`)
  }

  /** Calls back whenever a browser that was active is no more; returns what ends it. */
  onEnd(listener: (reason: string) => void): () => void {
    this.#endListeners.add(listener)
    return () => this.#endListeners.delete(listener)
  }

  start(params: StartParams): Promise<BrowserStatus> {
    return this.#start(params, 'asked for')
  }

  async #start(params: StartParams, why: 'asked for' | 'restart'): Promise<BrowserStatus> {
    const url = checkAddress(params.url)
    const begin = this.#starter(params)
    clearTimeout(this.#restartTimer)
    const stops = this.#stops
    await this.#settled()
    if (this.#stops !== stops) throw stoppedMeanwhile()
    if (this.#phase.state === 'starting' || this.#phase.state === 'active') {
      throw new Problem(
        'already-active',
        `The browser is ${this.#phase.state} already. Stop it first to start it anew.`,
      )
    }
    if (this.#options.desktopRuns?.() === true)
      throw new Problem('desktop-conflict', 'The desktop has the display. POST /v1/desktop/stop first.')
    if (params.provider === 'chromium') this.#refuseMissing(params.headless)

    const abort = new AbortController()
    const { width, height, dpi, headless, recordingFps, streamFrameRate } = params
    const contextId = params.provider === 'adspower' ? null : (params.contextId ?? 'default')
    const finished = Promise.withResolvers<void>()
    this.#contextInUse = contextId
    this.#enter({ state: 'starting', abort, settled: finished.promise }, 'start asked for', url)
    try {
      const { existingDisplay, pulse } = this.#options
      const frames = { recordingFps, streamFrameRate }
      const options = { width, height, dpi, url, headless, contextId, ...frames, existingDisplay, pulse }
      const session = await begin(options, abort.signal)
      this.#lastStart = params
      this.#activate(session, withoutEffect(params))
      // The stop came too late to abort anything.
      if (abort.signal.aborted) await this.#stop('stop asked for')
      abort.signal.throwIfAborted()
      return await this.status()
    } catch (error) {
      throw this.#startFailed(error, abort.signal.aborted, why === 'restart')
    } finally {
      finished.resolve()
    }
  }

  /** Whatever state it is in: afterwards it is inactive and no process is left. */
  stop(reason = 'stop asked for'): Promise<void> {
    this.#stops++
    return this.#stop(reason)
  }

  async #stop(reason: string): Promise<void> {
    clearTimeout(this.#restartTimer)
    if (this.#phase.state === 'starting') {
      this.#phase.abort.abort()
      await this.#phase.settled
    }
    if (this.#phase.state === 'stopping') return this.#phase.settled
    if (this.#phase.state === 'failed') {
      await this.#phase.settled
      if (this.#phase.state === 'failed') this.#enter({ state: 'inactive' }, reason)
    }
    if (this.#phase.state !== 'active') return
    const { session } = this.#phase
    const settled = session.stop().then(() => this.#enter({ state: 'inactive' }, reason))
    this.#enter({ state: 'stopping', settled }, reason)
    this.#ended(session, reason)
    await settled
  }

  async status(): Promise<BrowserStatus> {
    const phase = this.#phase
    const session = phase.state === 'active' ? phase.session : null
    const missing =
      session === null
        ? findMissing(false, this.#options.existingDisplay)
        : { missingDependencies: [], installCommand: null }
    const [page] = session === null ? [] : this.pages(session)
    return {
      state: this.#shownState(missing.missingDependencies.length > 0),
      display: session?.display?.name ?? null,
      resolution: session?.resolution ?? null,
      startedAt: session?.startedAt ?? null,
      cdpUrl: session?.devTools.browserUrl ?? null,
      url: page?.url ?? null,
      contextId: session?.options.contextId ?? null,
      ...missing,
      processes: (session?.processes ?? []).map(({ name, pid, running }) => ({ name, pid, running })),
      lastError: phase.state === 'failed' ? phase.error : silent(session),
      restartsAt: (phase.state === 'failed' && phase.restartsAt) || null,
      liveView: session === null ? 'none' : session.display === null ? 'screencast' : 'vnc',
      warnings: phase.state === 'active' ? phase.warnings : [],
    }
  }

  /** The open pages, the one in front first. */
  pages(session: Session): PageTarget[] {
    const { front } = session.pages
    const pages = session.pages.list().sort((a, b) => Number(b === front) - Number(a === front))
    return pages.map(({ id, url, title }) => ({ id, url, title }))
  }

  /** The context that must be left alone: its browser runs, comes or goes. */
  get contextInUse(): string | null {
    return this.#contextInUse
  }

  /** The display has another size now: the window follows it, since no window manager does that for it. */
  displayResized(session: Session, width: number, height: number): void {
    if (this.session !== session) return
    void session.resize(width, height).catch((error: Error) => {
      this.#options.log('warn', 'the window did not follow its display', { reason: error.message })
    })
  }

  #shownState(missing: boolean): BrowserState {
    return this.#phase.state === 'inactive' && missing ? 'install_required' : this.#phase.state
  }

  #activate(session: Session, warnings: string[]): void {
    this.#enter(
      { state: 'active', session, warnings: [...session.warnings, ...warnings] },
      'started',
      session.options.url,
    )
    this.#options.publish('sandbox_active', { sandboxId: session.sandboxId })
    const ends = [
      announcePages(session.pages, this.#options.publish),
      announceTroubles(session.pages, this.#options.publish),
      session.display?.keptVnc?.onRestart((text) => this.#noteRestart(session, text)) ?? (() => {}),
      session.heartbeat.onChange(() => this.#noteSilence(session)),
    ]
    this.#stopAnnouncing = () => {
      for (const end of ends) end()
    }
    void session.broken.then((reason) => this.#broke(session, reason))
  }

  /** The way to see the browser was mended; the browser itself never stopped. */
  #noteRestart(session: Session, reason: string): void {
    const [page] = this.pages(session)
    this.#options.log('warn', 'a part of the display was started again', { reason })
    this.#options.publish('browser_state', { state: 'active', url: page?.url ?? null, reason })
  }

  /** Nothing has ended, and nothing is ended yet: but nobody may be told meanwhile that all is well. */
  #noteSilence({ heartbeat }: Session): void {
    const { silence } = heartbeat
    if (silence === undefined) this.#options.log('info', 'the browser answers again', {})
    else this.#options.log('warn', 'the browser does not answer', { reason: silence })
    for (const listener of this.#troubleListeners) listener()
  }

  #broke(session: Session, reason: string): void {
    if (this.session !== session) return
    this.#ended(session, this.#fail({ code: 'browser-died', message: reason }, session.stop(), true))
  }

  /** Enters the failed state, and has it left again if the policy has a try left for that; returns what was said. */
  #fail({ code, message }: { code: string; message: string }, settled: Promise<void>, mayRestart: boolean): string {
    const plan = mayRestart ? this.#restarts.next() : { delayMs: null, text: '' }
    const [what, ...output] = message.split('\n')
    // Above what a program printed, and not behind it.
    const said = [`${what} ${plan.text}`.trim(), ...output].join('\n')
    const restartsAt = plan.delayMs === null ? {} : { restartsAt: new Date(Date.now() + plan.delayMs).toISOString() }
    this.#enter({ state: 'failed', error: { code, message: said }, settled, ...restartsAt }, said)
    if (plan.delayMs !== null) this.#restartTimer = setTimeout(() => this.#restart(), plan.delayMs)
    return said
  }

  #restart(): void {
    const before = this.#phase
    if (before.state !== 'failed' || this.#lastStart === undefined) return
    this.#start(this.#lastStart, 'restart').catch((error: unknown) => {
      const { code, message } = Problem.from(error, 'start-failed')
      this.#options.log('warn', 'the browser could not be started again', { reason: message })
      // One that was refused before it began has left the failure as it was: that was a try as well.
      if (this.#phase === before) this.#fail({ code, message }, before.settled, true)
    })
  }

  #ended(session: Session, reason: string): void {
    this.#stopAnnouncing()
    this.#options.publish('sandbox_terminated', { sandboxId: session.sandboxId, reason })
    for (const listener of this.#endListeners) listener(reason)
  }

  /** A browser on its way out is waited for: a stop and a start in a row simply work. */
  async #settled(): Promise<void> {
    for (;;) {
      const phase = this.#phase
      const isLeaving =
        phase.state === 'starting' ? phase.abort.signal.aborted : phase.state === 'stopping' || phase.state === 'failed'
      if (phase.state === 'inactive' || phase.state === 'active' || !isLeaving) return
      await phase.settled
      if (this.#phase === phase) return
    }
  }

  /** Leaves the starting state after a start that did not succeed; returns the problem for its caller. */
  #startFailed(error: unknown, aborted: boolean, mayRestart: boolean): Problem {
    const problem = aborted ? stoppedMeanwhile() : whyNotStarted(error)
    if (this.#phase.state !== 'starting') return problem
    if (aborted) this.#enter({ state: 'inactive' }, 'stopped while starting')
    else this.#fail(problem, Promise.resolve(), mayRestart)
    return problem
  }

  #enter(phase: Phase, reason: string, url: string | null = null): void {
    this.#phase = phase
    if (phase.state === 'inactive') this.#contextInUse = null
    if (phase.state === 'failed') {
      void phase.settled.then(() => {
        if (this.#phase === phase) this.#contextInUse = null
      })
    }
    this.#options.log(phase.state === 'failed' ? 'warn' : 'info', `browser ${phase.state}`, { reason })
    this.#options.publish('browser_state', { state: this.#shownState(false), url, reason })
    for (const listener of this.#troubleListeners) listener()
  }

  #refuseMissing(headless: boolean): void {
    const missing = findMissing(headless, this.#options.existingDisplay)
    if (missing.missingDependencies.length === 0) return
    const next = missing.installCommand === null ? 'Install it.' : `Run: ${missing.installCommand}`
    throw new Problem('install-required', `Not installed: ${missing.missingDependencies.join(', ')}. ${next}`, {
      ...missing,
    })
  }

  /** How this kind of browser is started. */
  #starter(params: StartParams): (options: SessionOptions, signal: AbortSignal) => Promise<Session> {
    const { dataDir } = this.#options
    if (params.provider !== 'adspower') return (options, signal) => startSession(dataDir, options, signal)
    const { profileId } = params
    if (profileId === undefined)
      throw new Problem('invalid-params', 'AdsPower needs a profileId: the id of a profile, or its serial number.')
    return (options, signal) => startAdsPowerSession(this.#adspower, { profileId, dataDir }, options, signal)
  }
}

function stoppedMeanwhile(): Problem {
  return new Problem('start-failed', 'The browser was stopped while it was starting. Start it again if it is wanted.')
}

/** Whatever a part of the start ran into, the start is what failed. */
function whyNotStarted(error: unknown): Problem {
  const problem = Problem.from(error, 'start-failed')
  if (problem.code === 'start-failed' || problem.code === 'install-required') return problem
  return new Problem('start-failed', problem.message, problem.extra, { cause: error })
}

function silent(session: Session | null): BrowserStatus['lastError'] {
  const message = session?.heartbeat.silence
  return message === undefined ? null : { code: 'timeout', message }
}

/** What was asked for that has no effect here. */
function withoutEffect(params: StartParams): string[] {
  const names = ['streamVideoCodec', 'streamAudioCodec', 'webrtcPortRange'] as const
  return names
    .filter((name) => params[name] !== undefined)
    .map((name) => `${name} has no effect: the picture travels as RFB or as a screencast, not over WebRTC.`)
}
