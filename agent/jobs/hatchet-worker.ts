import os from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CreateWorkerOpts, HatchetClient } from '@hatchet-dev/typescript-sdk'
import { backoff } from '../../shared/client/backoff.ts'
import type { Capability } from '../../shared/contract/machine.ts'
import { installCommand, isInstalled } from '../engines/registry.ts'
import type { Log } from '../log.ts'
import { HatchetRuns, type HatchetRunsOptions } from './hatchet-runs.ts'
import { declareWorkflow, workflowName } from './hatchet-workflow.ts'

const library = '@hatchet-dev/typescript-sdk'
const packageWithVersion = `${library}@1.33.2`
/** A task that waits for its turn holds a place; those of the job that runs must find one too. */
const slots = 8
const stopLimitMs = 5000

export interface HatchetOptions extends Pick<HatchetRunsOptions, 'jobs' | 'browser' | 'lookMs'> {
  /** `HATCHET_CLIENT_TOKEN`; without one the jobs of this machine are its own. */
  token: string | undefined
  log: Log
  /** Which package to load; another one in tests. */
  library?: string
}

/** The part of the package that is used. */
type Library = Pick<typeof import('@hatchet-dev/typescript-sdk'), 'HatchetClient' | 'NonRetryableError'>
type LoggerMaker = NonNullable<NonNullable<ConstructorParameters<typeof HatchetClient>[0]>['logger']>

/** Has Hatchet give jobs to this machine, for as long as the agent runs. */
export class HatchetWorker {
  readonly #options: HatchetOptions
  readonly #stop = new AbortController()
  #state: Capability
  #runs: HatchetRuns | undefined
  #working: Promise<void> = Promise.resolve()

  constructor(options: HatchetOptions) {
    this.#options = options
    this.#state = inspectHatchet(options)
  }

  get capability(): Capability {
    return this.#state
  }

  /** Returns at once; what comes of it is the capability's to say. The agent never waits for Hatchet. */
  start(): void {
    if (this.#options.token === undefined || this.#state.install !== null) return
    this.#working = this.#work(this.#options.token)
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#runs?.close()
    await Promise.race([this.#working, sleep(stopLimitMs, undefined, { ref: false })])
  }

  async #work(token: string): Promise<void> {
    const { log } = this.#options
    const { signal } = this.#stop
    const wait = backoff({ firstMs: 2000, maxMs: 60_000 })
    while (!signal.aborted) {
      try {
        await this.#serve(token, () => wait.reset())
      } catch (error) {
        const reason = (error as Error).message.split('\n')[0] ?? ''
        this.#state = { available: false, detail: `Hatchet could not be reached: ${reason}`, install: null }
        log('warn', 'the Hatchet worker ended, and is started again', { reason })
      }
      await sleep(wait.next(), undefined, { signal }).catch(() => {})
    }
  }

  async #serve(token: string, onReady: () => void): Promise<void> {
    const { signal } = this.#stop
    // By a name that a bundler cannot see: it stays outside of the agent's one file.
    const { HatchetClient, NonRetryableError } = (await import(this.#options.library ?? library)) as Library
    const hatchet = HatchetClient.init({ token, logger: quietLogger(this.#options.log) as LoggerMaker })
    this.#runs ??= new HatchetRuns({ ...this.#options, final: (message) => new NonRetryableError(message) })
    const workflows = [declareWorkflow(hatchet, this.#runs)]
    const name = `pilothouse-${os.hostname()}`
    // The agent answers signals itself: a library that ended the process would leave a browser behind.
    const options: CreateWorkerOpts = { workflows, slots, handleKill: false, labels: { machine: os.hostname() } }
    const worker = await hatchet.worker(name, options)
    const stop = () => void worker.stop().catch(() => {})
    signal.addEventListener('abort', stop, { once: true })
    try {
      if (signal.aborted) return
      const ended = worker.start()
      await Promise.race([worker.waitUntilReady(30_000), ended])
      this.#state = { available: true, detail: `worker ${name} of the workflow ${workflowName}`, install: null }
      onReady()
      await ended
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }
}

/** Whether this machine could be a worker; looks, and reaches out to nobody. */
export function inspectHatchet({
  token,
  library: name = library,
}: Pick<HatchetOptions, 'token' | 'library'>): Capability {
  if (!isInstalled(name)) {
    const detail =
      token === undefined
        ? "Hatchet's package is not installed; jobs of this machine run without it."
        : "HATCHET_CLIENT_TOKEN is set, but Hatchet's package is not installed."
    return { available: false, detail, install: installCommand([packageWithVersion]) }
  }
  if (token === undefined)
    return {
      available: false,
      detail: 'No HATCHET_CLIENT_TOKEN is set; jobs of this machine are its own.',
      install: null,
    }
  return { available: false, detail: 'on the way to Hatchet', install: null }
}

/** The library tells a lot, in colours; only what went wrong is worth a line. */
function quietLogger(log: Log) {
  return (context: string) => {
    const say = (level: 'warn' | 'error') => (message: string) =>
      void log(level, message, { part: `hatchet ${context}` })
    const nothing = () => {}
    return { debug: nothing, info: nothing, green: nothing, warn: say('warn'), error: say('error'), util: nothing }
  }
}
