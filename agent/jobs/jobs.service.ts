import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { CallParamsOut } from '../../shared/contract/index.ts'
import { type JobStepName, type JobView, jobSteps } from '../../shared/contract/jobs.ts'
import { Problem } from '../../shared/errors.ts'
import { checkAddress } from '../browser/address.ts'
import type { Publish } from '../events/publish.ts'
import { uploadPath } from '../pages/upload-path.ts'
import { rows } from '../storage/database.ts'
import { type JobAsked, type JobProgress, type JobTools, stepWork } from './steps.ts'

/** A job under way, step by step. Whoever began it takes the steps in order and ends it. */
export interface JobRun {
  readonly view: JobView
  /** Returns why the step failed; null when it did not. */
  take(step: JobStepName): Promise<string | null>
  /** Ends what the job does now; the step that is under way fails. */
  cancel(reason: string): void
  /** Cleans up, whatever happened, and closes the job's record. A second call does nothing. */
  finish(error: string | null): Promise<void>
}

/** Job applications, one at a time: there is one browser. Kept across restarts. */
export class JobsService {
  readonly #tools: JobTools
  readonly #database: DatabaseSync
  readonly #publish: Publish
  #running: JobRun | null = null
  #settled: Promise<void> = Promise.resolve()
  #closing = false

  constructor(tools: JobTools, database: DatabaseSync, publish: Publish) {
    this.#tools = tools
    this.#database = database
    this.#publish = publish
    for (const view of this.#read("WHERE state = 'running'", 500))
      this.#keep({ ...view, state: 'interrupted', endedAt: now(), error: 'The agent ended while the job ran.' })
  }

  get runningId(): string | null {
    return this.#running?.view.id ?? null
  }

  /** Runs a whole job; what comes of it is asked for later, or heard on the events. */
  start(params: CallParamsOut<'jobs.start'>): JobView {
    const run = this.begin(params)
    this.#settled = this.#work(run)
    return run.view
  }

  /** Takes the browser for a job whose steps someone else takes, such as Hatchet. */
  begin(params: CallParamsOut<'jobs.start'>): JobRun {
    const url = checkAddress(params.url)
    if (params.resume !== undefined) uploadPath(this.#tools.uploadDir, params.resume)
    if (this.#closing) throw new Problem('stopping', 'The agent is stopping.')
    if (this.#running !== null)
      throw new Problem('conflict', `Job ${this.#running.view.id} is running. Wait for its end.`)
    const lease = this.#tools.leases.standing
    if (lease !== null)
      throw new Problem('held-by-operator', `${lease.operator} has control of the browser. Wait for the hand-back.`)
    const id = randomUUID()
    const pending = jobSteps.map((step) => ({ step, state: 'pending', startedAt: null, durationMs: null, detail: '' }))
    const view: JobView = {
      ...{ id, url, state: 'running', platform: params.platform ?? 'unknown', startedAt: now(), endedAt: null },
      ...{ steps: pending, error: null },
    }
    this.#keep(view)
    const { fields, resume, platform, headless, expect } = params
    const run = this.#run({ id, url, fields, resume, platform, headless, expect }, view)
    this.#running = run
    return run
  }

  get(id: string): JobView {
    const [view] = this.#read('WHERE id = ?', 1, id)
    if (view === undefined) throw new Problem('not-found', 'There is no such job. GET /v1/jobs lists them.')
    return view
  }

  list(limit: number): JobView[] {
    return this.#read('', limit)
  }

  async close(): Promise<void> {
    this.#closing = true
    await this.#settled
    await this.#running?.finish('The agent is stopping.')
  }

  #run(asked: JobAsked, view: JobView): JobRun {
    const abort = new AbortController()
    const progress: JobProgress = {
      ...{ startedBrowser: false, platform: asked.platform ?? 'unknown', fields: [], signal: abort.signal },
      ...{ uploaded: false, solvedBy: null },
    }
    let finishing: Promise<void> | undefined
    return {
      view,
      take: (step) => this.#take(step, asked, progress, view),
      cancel: (reason) => {
        abort.abort(new Problem('cancelled', reason))
        this.#tools.runner.cancel(reason)
      },
      finish: (error) => {
        finishing ??= this.#finish(asked, progress, view, error)
        return finishing
      },
    }
  }

  async #work(run: JobRun): Promise<void> {
    let error: string | null = null
    for (const step of jobSteps) {
      if (step === 'cleanup' || error !== null) continue
      error = this.#closing ? 'The agent is stopping.' : await run.take(step)
    }
    await run.finish(error)
  }

  async #finish(asked: JobAsked, progress: JobProgress, view: JobView, error: string | null): Promise<void> {
    for (const { step, state } of view.steps)
      if (state === 'pending' && step !== 'cleanup')
        this.#setStep(view, step as JobStepName, { state: 'skipped', detail: 'an earlier step failed' })
    const untidy = await this.#take('cleanup', asked, progress, view)
    view.state = error === null ? 'succeeded' : 'failed'
    view.error = error ?? untidy
    view.endedAt = now()
    this.#keep(view)
    this.#running = null
    this.#publish('job_ended', { jobId: view.id, state: view.state, error: view.error })
  }

  /** Returns why the step failed; null when it did not. */
  async #take(step: JobStepName, asked: JobAsked, progress: JobProgress, view: JobView): Promise<string | null> {
    const began = performance.now()
    const durationMs = () => Math.round(performance.now() - began)
    this.#setStep(view, step, { state: 'running', startedAt: now() })
    try {
      const said = await stepWork[step](asked, progress, this.#tools)
      const done =
        typeof said === 'string' ? { state: 'done', detail: said } : { state: 'skipped', detail: said.skipped }
      view.platform = progress.platform
      this.#setStep(view, step, { ...done, durationMs: durationMs() })
      return null
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error)
      this.#setStep(view, step, { state: 'failed', detail, durationMs: durationMs() })
      return `${step}: ${detail}`
    }
  }

  #setStep(view: JobView, step: JobStepName, change: Partial<JobView['steps'][number]>): void {
    view.steps = view.steps.map((one) => (one.step === step ? { ...one, ...change } : one))
    this.#keep(view)
    const { state, detail } = view.steps.find((one) => one.step === step) ?? { state: 'pending', detail: '' }
    this.#publish('job_step', { jobId: view.id, step, state, detail })
  }

  #keep(view: JobView): void {
    this.#database
      .prepare('INSERT OR REPLACE INTO jobs (id, time, state, job) VALUES (?, ?, ?, ?)')
      .run(view.id, view.startedAt, view.state, JSON.stringify(view))
  }

  #read(where: string, limit: number, ...values: string[]): JobView[] {
    const query = this.#database.prepare(`SELECT job FROM jobs ${where} ORDER BY time DESC, rowid DESC LIMIT ?`)
    return rows<{ job: string }>(query, ...values, limit).map(({ job }) => JSON.parse(job) as JobView)
  }
}

function now(): string {
  return new Date().toISOString()
}
