import type { LogLine } from '../../../../shared/contract/logs.ts'
import type { LevelIndex } from './line-store.ts'

/** What the window and the worker that keeps the lines say to each other. */

export interface Pattern {
  text: string
  regex: boolean
  caseSensitive: boolean
}

export type ToEngine =
  /** Lines of a source from its history, or kept from an earlier look. */
  | { type: 'lines'; source: number; lines: readonly LogLine[] }
  /** A stream of a source, whose port comes along. It is live when all up to `until`, a line's time, has come. */
  | { type: 'attach'; source: number; service: string; since: string | undefined; until?: string; port: MessagePort }
  | { type: 'remove'; source: number }
  | { type: 'mark'; source: number; text: string }
  | { type: 'look'; from: number; count: number; follow: boolean }
  | { type: 'anchor'; serial: number | undefined }
  | { type: 'levels'; mask: number }
  | { type: 'search'; pattern: Pattern | null }
  | { type: 'only'; on: boolean }
  | { type: 'step'; way: 1 | -1; from: number | undefined }
  | { type: 'jump'; time: number }
  /** Goes to a moment as soon as it is in view, and once more when lines that are nearer to it come; null ends that. */
  | { type: 'aim'; time: number | null }
  | { type: 'wrap'; cols: number }
  | { type: 'fold'; serial: number }
  | { type: 'pause'; on: boolean }
  | { type: 'clear' }
  | { type: 'export'; format: 'text' | 'jsonl'; names: readonly { machine: string; service: string }[] }
  | { type: 'exportNext' }

export interface Row {
  serial: number
  sub: number
  kind: 'line' | 'more' | 'json' | 'mark'
  time: number
  level: LevelIndex
  source: number
  text: string
  /** Where matches stand in the text: from and to, one behind the other. */
  hits: readonly number[]
  match: boolean
  fold: 'none' | 'closed' | 'open'
}

export interface Stats {
  /** Lines that are kept, and those of them that are seen. */
  lines: number
  seen: number
  levels: readonly number[]
  /** Lines taken in since the beginning; what is new while somebody reads further up. */
  added: number
  perSecond: number
  /** Lines that had to leave because the view keeps only so many. */
  left: number
  held: number
  matches: number
  /** How far a search is, from 0 to 1; null when it is done. */
  searching: number | null
  searchProblem: string | null
  firstTime: number | null
  lastTime: number | null
  widest: number
}

export type FromEngine =
  | {
      type: 'frame'
      rows: number
      from: number
      shown: readonly Row[]
      /** The line the window holds on to, and the row in which it is now. */
      anchor: number | undefined
      anchorRow: number | null
      stats: Stats
    }
  /** Where to go: a match, or a moment. */
  | { type: 'goto'; row: number; serial: number; rank: number | null }
  | { type: 'lost'; source: number; since: string | undefined; problem: { code: string; message: string } | null }
  | { type: 'live'; source: number }
  | { type: 'exported'; text: string | null }

export type ToSearcher =
  | { id: number; kind: 'test'; pattern: Pattern; text: string; ends: Uint32Array }
  | { id: number; kind: 'ranges'; pattern: Pattern; texts: readonly string[] }

export type FromSearcher =
  | { id: number; hits: Uint32Array }
  | { id: number; ranges: readonly (readonly number[])[] }
  | { id: number; problem: string }
