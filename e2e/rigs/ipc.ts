import type { Page } from 'playwright'
import type { IpcAnswer } from '../../shared/ipc.ts'

/** Asks main as a window does, for what a test needs done and does not test. */
export async function ask<Result = unknown>(window: Page, name: string, params: unknown): Promise<Result> {
  const answer = await window.evaluate(
    ([call, given]) =>
      (
        window as never as { pilothouse: { invoke(name: string, params: unknown): Promise<IpcAnswer> } }
      ).pilothouse.invoke(call, given),
    [name, params] as const,
  )
  if (!answer.ok) throw new Error(`${name}: ${answer.problem.detail}`)
  return answer.value as Result
}
