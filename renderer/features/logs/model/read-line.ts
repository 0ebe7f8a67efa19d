import type { LogLine } from '../../../../shared/contract/logs.ts'
import { nanoTime } from '../../../../shared/domain/log-time.ts'
import { cleanMessage } from './clean.ts'
import { looksLikeJson } from './json-rows.ts'
import { flag, type LevelIndex, levelIndex } from './line-store.ts'

const plainText = /^[ -~]*$/

/** A line as the view keeps it. */
export function readLine(line: LogLine): { time: number; level: LevelIndex; message: string; flags: number } {
  const message = cleanMessage(line.message)
  const flags = (plainText.test(message) ? flag.plain : 0) | (looksLikeJson(message) ? flag.json : 0)
  return { time: timeOf(line.timestamp), level: levelIndex(line.level), message, flags }
}

export function droppedText(count: number): string {
  const lines = count === 1 ? '1 line' : `${count.toLocaleString('en')} lines`
  return `${lines} dropped while the reader was slow`
}

/** Milliseconds, with what is finer as a fraction: fine enough to keep lines of a burst in order. */
function timeOf(timestamp: string): number {
  const whole = timestamp.length === 30 ? timestamp : (nanoTime(timestamp) ?? '')
  const ms = Date.parse(`${whole.slice(0, 23)}Z`)
  return Number.isNaN(ms) ? 0 : ms + Number(whole.slice(23, 29)) / 1e6
}

/** How many characters its longest row has. */
export function widest(message: string): number {
  if (!message.includes('\n')) return message.length
  let most = 0
  for (const row of message.split('\n')) if (row.length > most) most = row.length
  return most
}
