import { create } from 'zustand'
import type { IpcParams, Prompt } from '../../shared/ipc.ts'
import { call, onIpcEvent } from './bridge.ts'

interface PromptsState {
  open: readonly Prompt[]
}

/** What main waits for a person to answer, oldest first. */
export const usePrompts = create<PromptsState>(() => ({ open: [] }))

export type Answer =
  IpcParams<'prompt.answer'> extends infer Params ? (Params extends { id: string } ? Omit<Params, 'id'> : never) : never

/** Answers the question; it goes when main says that it is closed. */
export async function answerPrompt(id: string, answer: Answer): Promise<void> {
  await call('prompt.answer', { id, ...answer } as IpcParams<'prompt.answer'>)
}

/** Follows main's questions, and those that were open before this window; returns the way to stop. */
export function startPrompts(): () => void {
  const add = (prompts: readonly Prompt[]) =>
    usePrompts.setState(({ open }) => ({
      open: [...open, ...prompts.filter(({ id }) => !open.some((one) => one.id === id))],
    }))
  const closed = new Set<string>()
  const stopShown = onIpcEvent('prompt', (prompt) => add([prompt]))
  const stopClosed = onIpcEvent('prompt.closed', ({ id }) => {
    closed.add(id)
    usePrompts.setState(({ open }) => ({ open: open.filter((one) => one.id !== id) }))
  })
  call('prompt.list', {}).then(
    (prompts) => add(prompts.filter(({ id }) => !closed.has(id))),
    () => {},
  )
  return () => {
    stopShown()
    stopClosed()
  }
}
