import type { LogLine } from '../../shared/contract/logs.ts'

/** The lines in a message of the logs' socket, which the contract has checked. */
export function shownLines(message: unknown): readonly LogLine[] {
  const { type, lines } = message as { type: string; lines?: readonly LogLine[] }
  if (type === 'logs') return lines ?? []
  return type === 'log' ? [message as LogLine] : []
}
