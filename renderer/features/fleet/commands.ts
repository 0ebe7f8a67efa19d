import type { MachineView } from '../../../shared/domain/machine.ts'
import { openStream } from '../../app/streams.ts'

/** A command on one machine, as far as it has come. */
export interface Answer {
  machineId: string
  name: string
  state: 'waiting' | 'running' | 'ended' | 'failed' | 'cancelled'
  output: readonly { from: 'stdout' | 'stderr'; text: string }[]
  exitCode: number | null
  /** Where it was that. */
  signal: string | null
  /** Why there is no exit code, or what was cut. */
  note: string
  tookMs: number | null
}

/** More than anyone reads beside a dozen others; the rest stays on the machine. */
const maxCharacters = 200_000

export const blankAnswer = ({ id, name }: MachineView): Answer => ({
  machineId: id,
  name,
  state: 'waiting',
  output: [],
  exitCode: null,
  signal: null,
  note: '',
  tookMs: null,
})

/** One message of the exec socket, added to what is there. */
export function withMessage(answer: Answer, message: unknown): Answer {
  const {
    type,
    data,
    exitCode,
    signal,
    timedOut,
    truncated,
    message: said,
  } = (message ?? {}) as Record<string, unknown>
  if ((type === 'stdout' || type === 'stderr') && typeof data === 'string') {
    const length = answer.output.reduce((sum, { text }) => sum + text.length, 0)
    if (length >= maxCharacters) return { ...answer, note: 'cut: there was more' }
    const last = answer.output.at(-1)
    if (last?.from !== type) return { ...answer, output: [...answer.output, { from: type, text: data }] }
    return { ...answer, output: [...answer.output.slice(0, -1), { from: type, text: last.text + data }] }
  }
  if (type === 'exit') {
    const note = timedOut === true ? 'it took too long and was ended' : truncated === true ? 'cut: there was more' : ''
    const state = answer.state === 'cancelled' ? 'cancelled' : 'ended'
    return {
      ...answer,
      state,
      exitCode: typeof exitCode === 'number' ? exitCode : null,
      signal: typeof signal === 'string' ? signal : null,
      note: note || answer.note,
    }
  }
  if (type === 'error') return { ...answer, state: 'failed', note: String(said) }
  return answer
}

/** Runs it and tells every change; the returned function ends it there. */
export function runOn(
  machine: MachineView,
  command: string,
  onChange: (answer: Answer) => void,
): { done: Promise<void>; cancel: () => void } {
  let answer: Answer = { ...blankAnswer(machine), state: 'running' }
  const began = performance.now()
  const tell = (next: Answer) => {
    answer = { ...next, tookMs: performance.now() - began }
    onChange(answer)
  }
  let cancelled = false
  let leave = () => {}
  const cancel = () => {
    if (answer.state !== 'running') return
    cancelled = true
    tell({ ...answer, state: 'cancelled', note: 'cancelled' })
    leave()
  }
  const done = (async () => {
    tell(answer)
    try {
      const stream = await openStream(machine.id, 'exec', { command, timeout_ms: 300_000 })
      const end = () => {
        stream.sendText(JSON.stringify({ type: 'cancel' }))
        stream.close()
      }
      // It may have been cancelled while the way there was being opened; the command has begun with it.
      if (cancelled) return end()
      await new Promise<void>((resolve) => {
        stream.onText = (text) => {
          tell(withMessage(answer, JSON.parse(text)))
          if (answer.state !== 'running') stream.close()
        }
        stream.onClose = (_code, reason) => {
          if (answer.state === 'running') tell({ ...answer, state: 'failed', note: reason || 'the connection ended' })
          resolve()
        }
        leave = () => {
          end()
          resolve()
        }
      })
    } catch (error) {
      if (!cancelled) tell({ ...answer, state: 'failed', note: error instanceof Error ? error.message : String(error) })
    }
  })()
  return { done, cancel }
}

const textOf = ({ output, exitCode, signal }: Answer) => JSON.stringify([exitCode, signal, output])

/** Which answers are not what most machines said; nothing until all have ended. */
export function differing(answers: readonly Answer[]): ReadonlySet<string> {
  if (answers.length < 2 || answers.some(({ state }) => state === 'running' || state === 'waiting')) return new Set()
  const counts = new Map<string, number>()
  for (const answer of answers) counts.set(textOf(answer), (counts.get(textOf(answer)) ?? 0) + 1)
  const [usual] = [...counts.entries()].sort((a, b) => b[1] - a[1])
  return new Set(answers.filter((answer) => textOf(answer) !== usual?.[0]).map(({ machineId }) => machineId))
}
