import type { SocketReceive } from '../../../shared/contract/index.ts'
import type { PortStream } from '../../../shared/stream.ts'

type Told = SocketReceive<'exec'>

export interface OutputPart {
  id: number
  from: 'stdout' | 'stderr'
  text: string
}

export type CommandState =
  | { phase: 'idle' }
  | { phase: 'running'; since: number; parts: readonly OutputPart[]; cut: boolean }
  | { phase: 'ended'; parts: readonly OutputPart[]; cut: boolean; verdict: string; well: boolean }

/** The window shows the end of a long output; the whole of it is the machine's. */
const shownChars = 256 * 1024
/** What a terminal would obey: sequences that move, colour and set, then single control characters. */
const controls =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g

/** Output with one more piece; what a terminal would obey is taken out, and the oldest goes when it is too much. */
export function addOutput(
  parts: readonly OutputPart[],
  from: OutputPart['from'],
  text: string,
): { parts: readonly OutputPart[]; cut: boolean } {
  const clean = text.replace(controls, '').replaceAll('\r\n', '\n')
  const last = parts.at(-1)
  const next =
    last !== undefined && last.from === from && last.text.length < 16_384
      ? [...parts.slice(0, -1), { ...last, text: last.text + clean }]
      : [...parts, { id: (last?.id ?? 0) + 1, from, text: clean }]
  let length = next.reduce((sum, part) => sum + part.text.length, 0)
  let dropped = 0
  while (length > shownChars && dropped < next.length - 1) length -= next[dropped++]?.text.length ?? 0
  return { parts: next.slice(dropped), cut: dropped > 0 }
}

/** The state of a command after what the machine told of it. */
export function afterTold(state: CommandState, told: Told): CommandState {
  if (state.phase !== 'running') return state
  switch (told.type) {
    case 'stdout':
    case 'stderr': {
      const { parts, cut } = addOutput(state.parts, told.type, told.data)
      return { ...state, parts, cut: state.cut || cut }
    }
    case 'exit':
      return ended(state, verdictOf(told), told.exitCode === 0)
    case 'error':
      return ended(state, told.message, false)
  }
}

export function ended(state: CommandState, verdict: string, well: boolean): CommandState {
  if (state.phase !== 'running') return state
  return { phase: 'ended', parts: state.parts, cut: state.cut, verdict, well }
}

function verdictOf({ exitCode, signal, timedOut, truncated }: Extract<Told, { type: 'exit' }>): string {
  const how = timedOut
    ? 'It took too long and was ended.'
    : exitCode === null
      ? `It was ended by ${signal ?? 'a signal'}.`
      : `It ended with exit code ${exitCode}.`
  return truncated ? `${how} Its output was longer than the machine sends.` : how
}

/** Follows a command on its stream; returns the way to cancel it. */
export function followCommand(stream: PortStream, onChange: (change: (state: CommandState) => CommandState) => void) {
  stream.onText = (text) => {
    const told = JSON.parse(text) as Told
    onChange((state) => afterTold(state, told))
  }
  stream.onClose = (_code, reason) => onChange((state) => ended(state, reason || 'The connection ended.', false))
  return () => {
    stream.sendText(JSON.stringify({ type: 'cancel' }))
  }
}
