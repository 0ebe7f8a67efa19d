import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DesktopState, DesktopStatus } from '../../shared/contract/desktop.ts'
import type { CallParamsOut } from '../../shared/contract/index.ts'
import { Problem } from '../../shared/errors.ts'
import { Heartbeat, type Pulse } from '../browser/heartbeat.ts'
import type { Resolution } from '../browser/session.ts'
import { type Display, findDisplayPrograms, startDisplay } from '../display/display.ts'
import type { Publish } from '../events/publish.ts'
import { installArgs } from '../install/packages.ts'
import type { Log } from '../log.ts'
import { packageManager } from '../machine/programs.ts'
import { type CaredProcess, exitReason } from '../processes/spawn-cared.ts'
import type { Screen } from './screens.ts'
import { findWindowManager, startWindowManager } from './window-manager.ts'

/** How much longer than its window manager's the end of a display may take to be noticed. */
const displayFirstMs = 200

interface Desktop {
  startedAt: string
  display: Display
  resolution: Resolution
  processes: () => CaredProcess[]
  broken: Promise<string>
  stop(): Promise<void>
}

type Phase =
  | { state: 'inactive' }
  | { state: 'starting'; abort: AbortController; settled: Promise<unknown> }
  | { state: 'active'; desktop: Desktop }
  | { state: 'stopping'; settled: Promise<unknown> }
  | { state: 'failed'; error: { code: string; message: string }; settled: Promise<unknown> }

export interface DesktopModeOptions {
  dataDir: string
  publish: Publish
  log: Log
  /** Whether the machine's display is the browser's now. */
  browserRuns: () => boolean
  pulse?: Pulse | undefined
}

/** A display with a window manager and no browser, for whatever else has to be done on the machine. */
export class DesktopMode {
  readonly #options: DesktopModeOptions
  readonly #endListeners = new Set<(reason: string) => void>()
  #phase: Phase = { state: 'inactive' }

  constructor(options: DesktopModeOptions) {
    this.#options = options
  }

  /** Whether the machine's display is the desktop's, or on its way to or from it. */
  get runs(): boolean {
    return this.#phase.state === 'starting' || this.#phase.state === 'active' || this.#phase.state === 'stopping'
  }

  get screen(): Screen | null {
    if (this.#phase.state !== 'active') return null
    const { display, resolution } = this.#phase.desktop
    const resized = (width: number, height: number) => {
      resolution.width = width
      resolution.height = height
    }
    return { display, resolution, resized }
  }

  /** Calls back whenever a desktop that was active is no more; returns what ends it. */
  onEnd(listener: (reason: string) => void): () => void {
    this.#endListeners.add(listener)
    return () => this.#endListeners.delete(listener)
  }

  async start(params: CallParamsOut<'desktop.start'>): Promise<DesktopStatus> {
    // One on its way out is waited for: a stop and a start in a row simply work.
    while (this.#phase.state === 'stopping' || this.#phase.state === 'failed') {
      const leaving = this.#phase
      await leaving.settled
      if (this.#phase === leaving) break
    }
    if (this.#phase.state === 'starting' || this.#phase.state === 'active')
      throw new Problem('already-active', `The desktop is ${this.#phase.state} already. Stop it first.`)
    if (this.#options.browserRuns())
      throw new Problem('desktop-conflict', 'The browser has the display. POST /v1/browser/stop first.')
    this.#refuseMissing()
    const abort = new AbortController()
    const starting = this.#open(params, abort.signal)
    this.#enter({ state: 'starting', abort, settled: starting.catch(() => {}) }, 'start asked for')
    try {
      this.#activate(await starting)
    } catch (error) {
      const { message } = error as Error
      if (abort.signal.aborted) {
        this.#enter({ state: 'inactive' }, 'stopped while starting')
        throw new Problem(
          'start-failed',
          'The desktop was stopped while it was starting. Start it again if it is wanted.',
        )
      }
      const problem = error instanceof Problem ? error : new Problem('start-failed', `It did not start: ${message}`)
      this.#enter({ state: 'failed', error: { code: problem.code, message }, settled: Promise.resolve() }, message)
      throw problem
    }
    return this.status()
  }

  /** Whatever state it is in: afterwards it is inactive, and no process is left. */
  async stop(reason = 'stop asked for'): Promise<void> {
    if (this.#phase.state === 'starting') {
      this.#phase.abort.abort()
      await this.#phase.settled
      // Whoever waits for the start goes first.
      await Promise.resolve()
    }
    if (this.#phase.state === 'stopping' || this.#phase.state === 'failed') await this.#phase.settled
    if (this.#phase.state === 'failed') this.#enter({ state: 'inactive' }, reason)
    if (this.#phase.state !== 'active') return
    const { desktop } = this.#phase
    const settled = desktop.stop().then(() => this.#enter({ state: 'inactive' }, reason))
    this.#enter({ state: 'stopping', settled }, reason)
    for (const listener of this.#endListeners) listener(reason)
    await settled
  }

  status(): DesktopStatus {
    const phase = this.#phase
    const desktop = phase.state === 'active' ? phase.desktop : null
    const missing = desktop === null ? findMissing() : { missingDependencies: [], installCommand: null }
    const lacks = phase.state === 'inactive' && missing.missingDependencies.length > 0
    const state: DesktopState = lacks ? 'install_required' : phase.state
    return {
      state,
      display: desktop?.display.name ?? null,
      resolution: desktop?.resolution ?? null,
      startedAt: desktop?.startedAt ?? null,
      ...missing,
      processes: (desktop?.processes() ?? []).map(({ name, pid, running }) => ({ name, pid, running })),
      lastError: phase.state === 'failed' ? phase.error : null,
    }
  }

  async #open(params: CallParamsOut<'desktop.start'>, signal: AbortSignal): Promise<Desktop> {
    const { dataDir, pulse } = this.#options
    const program = findWindowManager()
    if (program === undefined) throw new Problem('install-required', 'There is no window manager.')
    const display = await startDisplay({ ...params, dir: path.join(dataDir, 'desktop'), dataDir, signal })
    const ended = new AbortController()
    let manager: CaredProcess
    try {
      manager = await startWindowManager(program, display, dataDir, signal)
    } catch (error) {
      await display.stop()
      throw error
    }
    return {
      startedAt: new Date().toISOString(),
      ...{ display, resolution: { ...params } },
      processes: () => [...display.processes, manager],
      broken: Promise.race([
        display.broken,
        // Without a display it ends as well, and says less about it.
        exitReason(manager).then((reason) => sleep(displayFirstMs, reason)),
        new Heartbeat({ display }, ended.signal, pulse).stopped,
      ]),
      async stop() {
        ended.abort()
        await manager.end()
        await display.stop()
      },
    }
  }

  #activate(desktop: Desktop): void {
    this.#enter({ state: 'active', desktop }, 'started')
    void desktop.broken.then((reason) => {
      if (this.#phase.state !== 'active' || this.#phase.desktop !== desktop) return
      const error = { code: 'start-failed', message: reason }
      this.#enter({ state: 'failed', error, settled: desktop.stop() }, reason)
      for (const listener of this.#endListeners) listener(reason)
    })
  }

  #refuseMissing(): void {
    const missing = findMissing()
    if (missing.missingDependencies.length === 0) return
    const next = missing.installCommand === null ? 'Install it.' : `Run: ${missing.installCommand}`
    throw new Problem('install-required', `Not installed: ${missing.missingDependencies.join(', ')}. ${next}`, missing)
  }

  #enter(phase: Phase, reason: string): void {
    this.#phase = phase
    this.#options.log(phase.state === 'failed' ? 'warn' : 'info', `desktop ${phase.state}`, { reason })
    this.#options.publish('desktop_state', { state: phase.state, reason })
  }
}

function findMissing(): { missingDependencies: string[]; installCommand: string | null } {
  const missingDependencies = [
    ...(findDisplayPrograms() === null ? ['Xvnc'] : []),
    ...(findWindowManager() === undefined ? ['openbox'] : []),
  ]
  const manager = packageManager()
  if (missingDependencies.length === 0 || manager === undefined) return { missingDependencies, installCommand: null }
  const sudo = process.getuid?.() === 0 ? [] : ['sudo']
  return { missingDependencies, installCommand: [...sudo, ...installArgs('desktop', manager)].join(' ') }
}
