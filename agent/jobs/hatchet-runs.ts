import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { type JobStepName, startJob } from '../../shared/contract/jobs.ts'
import { describeIssues, Problem } from '../../shared/errors.ts'
import type { StepOutput, StepTaker } from './hatchet-workflow.ts'
import type { JobRun, JobsService } from './jobs.service.ts'

export interface HatchetRunsOptions {
  jobs: Pick<JobsService, 'begin'>
  /** Where the job's browser is, as far as it may be told. */
  browser: () => { cdpUrl: string | null; profile: string | null }
  /** Makes an error that Hatchet does not answer with another try. */
  final: (message: string) => Error
  /** Between two looks at whether the browser is free. */
  lookMs?: number
  /** A run of which Hatchet says nothing for so long was lost there; the browser is freed. */
  silenceMs?: number
}

/** An event may carry more than a job needs. */
const jobInput = z.object(startJob.params.shape)

/** Runs of the workflow, as jobs of this machine: one at a time, since there is one browser. */
export class HatchetRuns implements StepTaker {
  readonly #options: HatchetRunsOptions
  readonly #runs = new Map<string, { job: JobRun; silence: NodeJS.Timeout | undefined }>()

  constructor(options: HatchetRunsOptions) {
    this.#options = options
  }

  async take(runId: string, step: JobStepName, input: unknown, cancelled: AbortSignal): Promise<StepOutput> {
    const { final, browser } = this.#options
    if (step === 'start-browser') await this.#begin(runId, input, cancelled)
    const run = this.#runs.get(runId)
    if (run === undefined) throw final('This agent does not have that job any more: it was restarted meanwhile.')
    clearTimeout(run.silence)
    const stop = () => void this.#cancel(runId)
    cancelled.addEventListener('abort', stop, { once: true })
    const error = await run.job.take(step)
    cancelled.removeEventListener('abort', stop)
    this.#listen(runId)
    if (error !== null) throw final(error)
    const detail = run.job.view.steps.find((one) => one.step === step)?.detail ?? ''
    return { ...browser(), detail }
  }

  async end(runId: string, error: string | null): Promise<void> {
    const run = this.#runs.get(runId)
    if (run === undefined) return
    clearTimeout(run.silence)
    this.#runs.delete(runId)
    await run.job.finish(error)
  }

  /** Ends what runs; Hatchet is told by whoever stops the worker. */
  async close(): Promise<void> {
    for (const runId of [...this.#runs.keys()]) await this.end(runId, 'The agent is stopping.')
  }

  /** Waits until the browser is free: a job of another run, one of this machine's own, or a person may have it. */
  async #begin(runId: string, input: unknown, cancelled: AbortSignal): Promise<void> {
    const { jobs, final, lookMs = 1000 } = this.#options
    const asked = jobInput.safeParse(input)
    if (!asked.success) throw final(`The job's input is not usable: ${describeIssues(asked.error)}`)
    for (;;) {
      cancelled.throwIfAborted()
      try {
        const job = jobs.begin(asked.data)
        this.#runs.set(runId, { job, silence: undefined })
        return
      } catch (error) {
        const problem = Problem.from(error)
        if (problem.code !== 'conflict' && problem.code !== 'held-by-operator') throw final(problem.message)
        await sleep(lookMs, undefined, { signal: cancelled })
      }
    }
  }

  /** Hatchet sends no further task of a run that was cancelled, not even the one for a failure. */
  async #cancel(runId: string): Promise<void> {
    this.#runs.get(runId)?.job.cancel('Hatchet cancelled it.')
    await this.end(runId, 'Hatchet cancelled it.')
  }

  #listen(runId: string): void {
    const run = this.#runs.get(runId)
    if (run === undefined) return
    run.silence = setTimeout(
      () => void this.end(runId, 'Hatchet sent no further step.'),
      this.#options.silenceMs ?? 15 * 60_000,
    )
    run.silence.unref()
  }
}
