import type { CreateWorkflowTaskOpts, HatchetClient, JsonObject } from '@hatchet-dev/typescript-sdk'
import { type JobStepName, jobSteps } from '../../shared/contract/jobs.ts'

export const workflowName = 'job-application'
export const workflowEvent = 'task:created'

/** What passes between tasks: words only. The browser, its engine and the person stay where they are. */
export interface StepOutput extends JsonObject {
  cdpUrl: string | null
  profile: string | null
  detail: string
}

/** What the tasks of the workflow do, run by run. */
export interface StepTaker {
  take(runId: string, step: JobStepName, input: unknown, cancelled: AbortSignal): Promise<StepOutput>
  /** Always runs, after success and after failure. */
  end(runId: string, error: string | null): Promise<void>
}

/** How long Hatchet gives each step. The first waits for its turn, some wait for a person. */
const timeFor: Record<Exclude<JobStepName, 'cleanup'>, `${number}m`> = {
  'start-browser': '30m',
  'analyze-form': '2m',
  'fill-fields': '60m',
  'upload-resume': '2m',
  'check-captcha': '10m',
  submit: '10m',
  verify: '2m',
}

/** The job's seven steps as a workflow, one after the other, with the cleanup at both of its ends. */
export function declareWorkflow(hatchet: Pick<HatchetClient, 'workflow'>, steps: StepTaker) {
  const workflow = hatchet.workflow<JsonObject>({
    name: workflowName,
    description: 'Fills in and sends one job application, with a person where engines fail.',
    on: { event: workflowEvent },
    // The browser is on the machine that began: no other one can go on with it.
    sticky: 'hard',
    // Nothing is done twice by itself: an application that was sent is sent.
    taskDefaults: { retries: 0, scheduleTimeout: '10m' },
  })
  let before: CreateWorkflowTaskOpts<JsonObject, StepOutput> | undefined
  for (const step of jobSteps) {
    if (step === 'cleanup') continue
    before = workflow.task({
      name: step,
      executionTimeout: timeFor[step],
      ...(before === undefined ? {} : { parents: [before] }),
      fn: (input, context) => steps.take(context.workflowRunId(), step, input, context.abortController.signal),
    }) as CreateWorkflowTaskOpts<JsonObject, StepOutput>
  }
  workflow.onSuccess({
    executionTimeout: '2m',
    fn: async (_input, context) => {
      await steps.end(context.workflowRunId(), null)
      return { cleaned: true }
    },
  })
  workflow.onFailure({
    executionTimeout: '2m',
    fn: async (_input, context) => {
      await steps.end(context.workflowRunId(), Object.values(context.errors()).join('; ') || 'a step failed')
      return { cleaned: true }
    },
  })
  return workflow
}
