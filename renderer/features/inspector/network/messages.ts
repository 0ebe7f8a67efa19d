/** What goes over a WebSocket, or comes in a stream of events. All of it is the page's and its server's own text. */

import { keptText } from '../../../../shared/domain/kept-text.ts'

export interface Message {
  kind: 'sent' | 'received' | 'error'
  /** The text, or for bytes their base64; cut where it is very long. */
  data: string
  /** Bytes of the whole where they are bytes, else letters. */
  length: number
  form: 'text' | 'bytes' | 'ping' | 'pong' | 'close'
  /** An event's own name and number; empty for a socket. */
  name: string
  id: string
  /** Seconds on the browser's clock. */
  at: number
  /** Milliseconds of this computer's clock, when it was heard. */
  heardAt: number
}

type Params = Record<string, unknown>

/** A page may send as much as it likes: of one message so much is kept, */
const maxData = 100_000
/** of one request so many, */
const maxMessages = 2000
/** and so many letters of all requests together. */
const maxLetters = 16_000_000

const forms: Record<number, Message['form']> = { 1: 'text', 2: 'bytes', 8: 'close', 9: 'ping', 10: 'pong' }

export function frameMessage(params: Params): Omit<Message, 'kind'> {
  const { opcode, payloadData = '' } = (params['response'] ?? {}) as { opcode?: number; payloadData?: string }
  const form = forms[opcode ?? 1] ?? 'text'
  const padding = payloadData.endsWith('==') ? 2 : payloadData.endsWith('=') ? 1 : 0
  return {
    ...message(params, payloadData),
    form,
    length: form === 'bytes' ? Math.max(0, (payloadData.length / 4) * 3 - padding) : payloadData.length,
  }
}

export const eventMessage = (params: Params): Omit<Message, 'kind'> => ({
  ...message(params, String(params['data'] ?? '')),
  name: keptText(String(params['eventName'] ?? ''), 200),
  id: keptText(String(params['eventId'] ?? ''), 200),
})

const message = (params: Params, data: string): Omit<Message, 'kind'> => ({
  ...{ data: keptText(data, maxData), length: data.length, form: 'text', name: '', id: '' },
  at: Number(params['timestamp']),
  heardAt: Date.now(),
})

interface Kept {
  list: Message[]
  letters: number
  dropped: number
}

const nothing = { list: [], dropped: 0 }

/** The last messages of each request. */
export class Messages {
  readonly #kept = new Map<string, Kept>()
  #letters = 0

  of(key: string): { list: readonly Message[]; dropped: number } {
    return this.#kept.get(key) ?? nothing
  }

  add(key: string, added: Message): void {
    const kept = this.#kept.get(key) ?? { list: [], letters: 0, dropped: 0 }
    this.#kept.set(key, kept)
    kept.list.push(added)
    kept.letters += added.data.length
    this.#letters += added.data.length
    // Not one by one: to move all the others for each would cost more than the message.
    if (kept.list.length > maxMessages * 1.1) this.#drop(kept, kept.list.length - maxMessages)
    while (this.#letters > maxLetters) this.#dropSome()
  }

  forget(key: string): void {
    this.#letters -= this.#kept.get(key)?.letters ?? 0
    this.#kept.delete(key)
  }

  clear(): void {
    this.#kept.clear()
    this.#letters = 0
  }

  /** Whoever says the most loses the oldest tenth. */
  #dropSome(): void {
    const largest = [...this.#kept.values()].reduce((most, one) => (one.letters > most.letters ? one : most))
    this.#drop(largest, Math.max(1, Math.floor(largest.list.length / 10)))
  }

  #drop(kept: Kept, count: number): void {
    const letters = kept.list.splice(0, count).reduce((sum, { data }) => sum + data.length, 0)
    kept.letters -= letters
    kept.dropped += count
    this.#letters -= letters
  }
}
