import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import type { AssignedAction, StepActionEvent } from '@hatchet-dev/typescript-sdk/protoc/dispatcher/dispatcher.js'
import {
  ActionType,
  DispatcherDefinition,
  type DispatcherServiceImplementation,
  StepActionEventType,
  type WorkerRegisterRequest,
} from '@hatchet-dev/typescript-sdk/protoc/dispatcher/dispatcher.js'
import {
  AdminServiceDefinition,
  type AdminServiceImplementation,
  type CreateTaskOpts,
  type CreateWorkflowVersionRequest,
} from '@hatchet-dev/typescript-sdk/protoc/v1/workflows.js'

export interface HatchetRun {
  /** The outputs of the tasks that ended well, by name. */
  outputs: Record<string, unknown>
  /** Why tasks failed, by name. */
  errors: Record<string, string>
  /** Every task that was sent, in order. */
  order: string[]
}

export interface HatchetEngine {
  /** As HATCHET_CLIENT_TOKEN has it: it says where the engine is. */
  token: string
  workflows: CreateWorkflowVersionRequest[]
  workers: WorkerRegisterRequest[]
  /** Runs the registered workflow as the event would; each task after those it waits for. */
  run(input: unknown): { runId: string; done: Promise<HatchetRun>; cancel(): void }
  stop(): Promise<void>
}

/**
 * A stand-in for Hatchet's engine: it speaks the gRPC that the SDK speaks, with the SDK's own definitions, and sends
 * the tasks of one workflow to one worker. Scheduling, retries and everything else of the real one are not there.
 */
export async function startHatchetEngine(): Promise<HatchetEngine> {
  const fromSdk = createRequire(createRequire(import.meta.url).resolve('@hatchet-dev/typescript-sdk'))
  const { createServer, ServerError, Status } = fromSdk('nice-grpc') as typeof import('nice-grpc')
  const workflows: CreateWorkflowVersionRequest[] = []
  const workers: WorkerRegisterRequest[] = []
  const actions: AssignedAction[] = []
  const waiting = new Map<string, (event: StepActionEvent) => void>()
  let wake = () => {}
  const send = (action: AssignedAction) => {
    actions.push(action)
    wake()
  }

  const dispatcher: Partial<DispatcherServiceImplementation> = {
    register: async (request) => {
      workers.push(request as WorkerRegisterRequest)
      return { tenantId: 'tenant', workerId: randomUUID(), workerName: request.workerName }
    },
    getVersion: async () => ({ version: 'v0.80.0' }),
    async *listenV2(_request, { signal }) {
      while (!signal.aborted) {
        const next = actions.shift()
        if (next !== undefined) yield next
        else
          await new Promise<void>((resolve) => {
            wake = resolve
            signal.addEventListener('abort', () => resolve(), { once: true })
          })
      }
    },
    heartbeat: async () => ({}),
    unsubscribe: async ({ workerId = '' }) => ({ tenantId: 'tenant', workerId }),
    sendStepActionEvent: async (event) => {
      const { eventType, taskRunExternalId = '', workerId = '' } = event
      const over = [
        StepActionEventType.STEP_EVENT_TYPE_COMPLETED,
        StepActionEventType.STEP_EVENT_TYPE_FAILED,
        StepActionEventType.STEP_EVENT_TYPE_CANCELLED,
      ]
      if (eventType !== undefined && over.includes(eventType))
        waiting.get(taskRunExternalId)?.(event as StepActionEvent)
      return { tenantId: 'tenant', workerId }
    },
  }
  const admin: Partial<AdminServiceImplementation> = {
    putWorkflow: async (request) => {
      workflows.push(request as CreateWorkflowVersionRequest)
      return { id: randomUUID(), workflowId: randomUUID() }
    },
  }
  /** What is asked for beyond these is said not to be there, as an older engine would. */
  const rest = (methods: object) =>
    Object.fromEntries(
      Object.keys(methods).map((name) => [
        name,
        () => {
          throw new ServerError(Status.UNIMPLEMENTED, name)
        },
      ]),
    )
  const server = createServer()
  server.add(DispatcherDefinition, {
    ...rest(DispatcherDefinition.methods),
    ...dispatcher,
  } as unknown as DispatcherServiceImplementation)
  server.add(AdminServiceDefinition, {
    ...rest(AdminServiceDefinition.methods),
    ...admin,
  } as unknown as AdminServiceImplementation)
  const port = await server.listen('127.0.0.1:0')

  const perform = async (runId: string, task: CreateTaskOpts, payload: object, onSent: (id: string) => void) => {
    const taskRunExternalId = randomUUID()
    const { promise, resolve } = Promise.withResolvers<StepActionEvent>()
    waiting.set(taskRunExternalId, resolve)
    onSent(taskRunExternalId)
    send(
      assigned({ runId, taskRunExternalId, task, type: ActionType.START_STEP_RUN, payload: JSON.stringify(payload) }),
    )
    return promise
  }

  return {
    token: tokenFor(`127.0.0.1:${port}`),
    workflows,
    workers,
    run(input) {
      const runId = randomUUID()
      const workflow = workflows.at(-1)
      if (workflow === undefined) throw new Error('no workflow is registered')
      const result: HatchetRun = { outputs: {}, errors: {}, order: [] }
      let now: { id: string; task: CreateTaskOpts } | undefined
      let cancelled = false
      const work = async () => {
        const left = [...workflow.tasks]
        while (left.length > 0 && Object.keys(result.errors).length === 0) {
          const place = left.findIndex(({ parents }) => parents.every((name) => name in result.outputs))
          const [task] = left.splice(place, 1)
          if (task === undefined) throw new Error('the tasks wait for each other')
          result.order.push(task.readableId)
          const payload = { input, parents: result.outputs, triggered_by: 'event', user_data: {}, step_run_errors: {} }
          const { eventType, eventPayload } = await perform(runId, task, payload, (id) => {
            now = { id, task }
          })
          if (eventType === StepActionEventType.STEP_EVENT_TYPE_COMPLETED)
            result.outputs[task.readableId] = JSON.parse(eventPayload)
          else result.errors[task.readableId] = eventPayload
        }
        const { onFailureTask } = workflow
        if (Object.keys(result.errors).length > 0 && !cancelled && onFailureTask !== undefined) {
          result.order.push('on-failure')
          const payload = { input, parents: {}, triggered_by: 'event', user_data: {}, step_run_errors: result.errors }
          await perform(runId, onFailureTask, payload, () => {})
        }
        return result
      }
      return {
        runId,
        done: work(),
        cancel() {
          cancelled = true
          if (now === undefined) return
          const { id: taskRunExternalId, task } = now
          send(assigned({ runId, taskRunExternalId, task, type: ActionType.CANCEL_STEP_RUN, payload: '{}' }))
          // The engine decides that by itself: a worker that was told need not answer.
          const eventType = StepActionEventType.STEP_EVENT_TYPE_CANCELLED
          waiting.get(taskRunExternalId)?.({ eventType, eventPayload: 'cancelled' } as StepActionEvent)
        },
      }
    },
    stop: async () => server.forceShutdown(),
  }
}

function assigned(about: {
  runId: string
  taskRunExternalId: string
  task: CreateTaskOpts
  type: ActionType
  payload: string
}): AssignedAction {
  const { runId, taskRunExternalId, task, type, payload } = about
  return {
    ...{
      tenantId: 'tenant',
      workflowRunId: runId,
      getGroupKeyRunId: '',
      jobId: runId,
      jobName: 'job',
      jobRunId: runId,
    },
    ...{ taskId: task.readableId, taskRunExternalId, actionId: task.action, actionType: type, actionPayload: payload },
    ...{ taskName: task.readableId, retryCount: 0, priority: 1 },
  }
}

/** Not signed: the SDK reads where to go from it, and the engine that would check it is this one. */
function tokenFor(address: string): string {
  const claims = { sub: 'tenant', server_url: `http://${address}`, grpc_broadcast_address: address }
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return [part({ alg: 'none' }), part(claims), 'canary-hatchet-token'].join('.')
}
