import type { CallName, CallParams, CallResult } from '../../shared/contract/index.ts'
import type { WireProblem } from '../../shared/errors.ts'
import type { Bridge, IpcEventData, IpcEventName, IpcName, IpcParams, IpcResult } from '../../shared/ipc.ts'

declare global {
  interface Window {
    readonly pilothouse: Bridge
  }
}

/** A failure that main or the machine expected: it keeps its code and says what to do next. */
export class CallFailed extends Error {
  readonly problem: WireProblem

  constructor(problem: WireProblem) {
    super(problem.detail)
    this.name = 'CallFailed'
    this.problem = problem
  }
}

/** Whether a call failed because nobody answered: what it asked for may be there all the same. */
export function isGone(error: unknown): boolean {
  return error instanceof CallFailed && ['unreachable', 'timeout'].includes(error.problem.code)
}

/** Asks main; a failure is thrown as `CallFailed`. */
export async function call<Name extends IpcName>(name: Name, params: IpcParams<Name>): Promise<IpcResult<Name>> {
  const answer = await window.pilothouse.invoke(name, params)
  if (!answer.ok) throw new CallFailed(answer.problem)
  return answer.value as IpcResult<Name>
}

/** Asks a machine's agent, through main. */
export async function callAgent<Name extends CallName>(
  machineId: string,
  name: Name,
  params: CallParams<Name>,
): Promise<CallResult<Name>> {
  const result = await call('agent.call', { machineId, call: name, params: params as Record<string, unknown> })
  return result as CallResult<Name>
}

type Listener = (data: never) => void
const listeners = new Map<string, Set<Listener>>()

/** Listens to one kind of event from main; returns the way to stop. */
export function onIpcEvent<Name extends IpcEventName>(
  name: Name,
  listener: (data: IpcEventData<Name>) => void,
): () => void {
  // One for the whole window: the bridge copies an event anew for each that listens there.
  if (listeners.size === 0) window.pilothouse.onEvent(pass)
  const those = listeners.get(name) ?? new Set()
  listeners.set(name, those)
  those.add(listener)
  return () => those.delete(listener)
}

function pass(name: string, json: string): void {
  const those = listeners.get(name)
  if (those === undefined || those.size === 0) return
  const data: unknown = JSON.parse(json)
  for (const listener of [...those]) {
    try {
      listener(data as never)
    } catch (error) {
      // Whoever else listens hears of it all the same.
      reportError(error)
    }
  }
}

/** Anything thrown, as something that can be shown. */
export function problemOf(error: unknown): WireProblem {
  if (error instanceof CallFailed) return error.problem
  return {
    type: 'urn:pilothouse:problem:internal',
    title: 'Something in this window is broken',
    status: 0,
    detail: error instanceof Error ? error.message : String(error),
    code: 'window-error',
  }
}
