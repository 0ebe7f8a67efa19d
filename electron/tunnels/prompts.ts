import { randomUUID } from 'node:crypto'
import { Problem } from '../../shared/errors.ts'
import type { IpcEventData, IpcParamsOut } from '../../shared/ipc.ts'

export type ShownPrompt = IpcEventData<'prompt'>
export type PromptAnswer = Omit<IpcParamsOut<'prompt.answer'>, 'id'>
type Question = ShownPrompt extends infer Prompt ? (Prompt extends { id: string } ? Omit<Prompt, 'id'> : never) : never

export type PersonSays =
  | { kind: 'accepted' }
  | { kind: 'answered'; answers: string[]; remember: boolean }
  | { kind: 'declined' }

/** A server waits about two minutes for whoever logs in; after that an answer would reach nobody. */
const patienceMs = 110_000

interface Open {
  prompt: ShownPrompt
  done: Promise<PersonSays>
  finish: (says: PersonSays) => void
}

export interface PromptEvents {
  shown: (prompt: ShownPrompt) => void
  closed: (id: string) => void
}

/** Questions that only a person can answer, shown in every window until one of them does. */
export class Prompts {
  readonly #open = new Map<string, Open>()
  /** What a person said no to: nothing asks it again until they act themselves. */
  readonly #declined = new Set<string>()
  readonly #events: PromptEvents

  constructor(events: PromptEvents) {
    this.#events = events
  }

  /** For a window that opened later. */
  list(): ShownPrompt[] {
    return [...this.#open.values()].map(({ prompt }) => prompt)
  }

  /**
   * Asks, or joins whoever asks the same already.
   * @param subject What it is about, such as one key file: the same subject is asked about once.
   * @param signal Takes the question back: whoever asked has no use for the answer any more.
   */
  ask(subject: string, question: Question, signal?: AbortSignal): Promise<PersonSays> {
    const same = this.#open.get(subject)
    if (same !== undefined) return same.done
    if (this.#declined.has(subject)) return Promise.resolve({ kind: 'declined' })
    const prompt = { ...question, id: randomUUID() } as ShownPrompt
    const { promise, resolve } = Promise.withResolvers<PersonSays>()
    const limit = setTimeout(() => finish({ kind: 'declined' }), patienceMs)
    const finish = (says: PersonSays) => {
      if (!this.#open.delete(subject)) return
      clearTimeout(limit)
      signal?.removeEventListener('abort', takeBack)
      if (says.kind === 'declined' && signal?.aborted !== true) this.#declined.add(subject)
      this.#events.closed(prompt.id)
      resolve(says)
    }
    const takeBack = () => finish({ kind: 'declined' })
    signal?.addEventListener('abort', takeBack)
    this.#open.set(subject, { prompt, done: promise, finish })
    this.#events.shown(prompt)
    return promise
  }

  answer({ id, ...answer }: IpcParamsOut<'prompt.answer'>): void {
    const open = [...this.#open.values()].find(({ prompt }) => prompt.id === id)
    if (open === undefined) throw new Problem('conflict', 'That question is no longer open.')
    switch (answer.action) {
      case 'cancel':
        return open.finish({ kind: 'declined' })
      case 'accept':
        if (open.prompt.kind !== 'host-key') throw new Problem('invalid-params', 'That question wants an answer.')
        return open.finish({ kind: 'accepted' })
      case 'answer': {
        const { prompt } = open
        if (prompt.kind === 'host-key' || answer.answers.length !== prompt.questions.length) {
          throw new Problem('invalid-params', 'That question wants another kind of answer.')
        }
        return open.finish({ kind: 'answered', answers: answer.answers, remember: answer.remember })
      }
    }
  }

  /** A person tries again by themselves: what they declined may be asked once more. */
  personActs(): void {
    this.#declined.clear()
  }

  close(): void {
    for (const { finish } of [...this.#open.values()]) finish({ kind: 'declined' })
  }
}
