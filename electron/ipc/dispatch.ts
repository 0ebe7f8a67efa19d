import { describeIssues, Problem } from '../../shared/errors.ts'
import {
  type IpcAnswer,
  type IpcDefinition,
  type IpcName,
  type IpcParamsOut,
  type IpcResult,
  ipcCalls,
} from '../../shared/ipc.ts'
import type { Log } from '../log.ts'
import { diskFull, isDiskFull } from '../store/full-disk.ts'

/** Whoever called: the window's main frame, checked to be one of ours. */
export interface Caller {
  /** Hands a port over to the window; true when the window was still there. */
  sendPort(streamId: string, port: unknown): boolean
  /** Calls back once when the page goes: closed, reloaded or crashed. Returns the way to stop. */
  onGone(callback: () => void): () => void
}

/** One handler for every call of shared/ipc.ts: leaving one out does not compile. */
export type IpcHandlers = {
  [Name in IpcName]: (params: IpcParamsOut<Name>, caller: Caller) => IpcResult<Name> | Promise<IpcResult<Name>>
}

export interface DispatchOptions {
  handlers: IpcHandlers
  log: Log
  /** Results are checked as well where developers look; in a package this would cost time for nothing. */
  checkResults: boolean
  /** Writes the intent of a call that changes something; returns what writes its result. */
  audit?: (name: IpcName, params: unknown) => ((error?: unknown) => void) | undefined
}

/** The one way from a window into main. Expected failures are answers; what was not expected is logged. */
export function createDispatch({ handlers, log, checkResults, audit }: DispatchOptions) {
  return async (caller: Caller | undefined, name: unknown, params: unknown): Promise<IpcAnswer> => {
    try {
      if (caller === undefined) throw new Problem('forbidden', 'Only a window of the console may ask.')
      if (!isCall(name)) throw new Problem('unknown-route', 'The console has no such call.')
      const definition: IpcDefinition = ipcCalls[name]
      const checked = definition.params.safeParse(params)
      if (!checked.success) throw new Problem('invalid-params', `${name}: ${describeIssues(checked.error)}`)
      const handler = handlers[name] as (params: unknown, caller: Caller) => unknown
      const value = await recorded(audit?.(name, checked.data), () => handler(checked.data, caller), log)
      if (checkResults) definition.result.parse(value)
      return { ok: true, value }
    } catch (error) {
      if (isExpected(error)) return { ok: false, problem: error.toWire() }
      if (isDiskFull(error)) return { ok: false, problem: diskFull(error).toWire() }
      const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
      log('error', 'a call from a window failed', { call: isCall(name) ? name : 'unknown', detail })
      const problem = new Problem('internal', 'Something in the console is broken. Its log says what.')
      return { ok: false, problem: { ...problem.toWire(), title: 'Something in the console is broken' } }
    }
  }
}

async function recorded(
  finish: ((error?: unknown) => void) | undefined,
  act: () => unknown,
  log: Log,
): Promise<unknown> {
  // What was done was done, even where its end cannot be written: its entry then ends as unknown.
  const end = (...failed: [unknown?]) => {
    try {
      finish?.(...failed)
    } catch (error) {
      log('error', 'the end of a call could not be written down', { error: String(error) })
    }
  }
  let value: unknown
  try {
    value = await act()
  } catch (error) {
    end(error)
    throw error
  }
  end()
  return value
}

function isCall(name: unknown): name is IpcName {
  return typeof name === 'string' && Object.hasOwn(ipcCalls, name)
}

/** An agent's own `internal` is its news and passes on; one that wraps an error of ours does not. */
function isExpected(error: unknown): error is Problem {
  return error instanceof Problem && (error.code !== 'internal' || error.cause === undefined)
}
