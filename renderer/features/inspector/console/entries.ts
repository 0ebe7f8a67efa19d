import { clipped, formatArgs, type Piece, piecesText, type RemoteObject } from '../objects/remote.ts'

export const levels = ['error', 'warn', 'info', 'log', 'debug'] as const
export type Level = (typeof levels)[number]

export interface Frame {
  functionName: string
  url: string
  lineNumber: number
  columnNumber: number
}

/** One line of the console: what the page said, or that it went somewhere. */
export interface Entry {
  id: number
  kind: 'message' | 'mark'
  level: Level
  pieces: readonly Piece[]
  text: string
  url: string
  /** Counted from one; 0 when it is not known. */
  line: number
  at: number
  /** How often it was said in a row. */
  count: number
  depth: number
  stack: readonly Frame[]
  /** Which connection its objects belong to; undefined for the page itself. */
  sessionId: string | undefined
  /** From the agent's own record: words only. */
  recorded: boolean
}

const callLevels: Record<string, Level> = {
  warning: 'warn',
  error: 'error',
  assert: 'error',
  info: 'info',
  debug: 'debug',
}
const logLevels: Record<string, Level> = { verbose: 'debug', info: 'info', warning: 'warn', error: 'error' }

export type Draft = Omit<Entry, 'id' | 'count' | 'depth' | 'sessionId'>

interface StackTrace {
  callFrames?: Frame[]
}

const placeOf = (frames: readonly Frame[]) => ({
  url: frames[0]?.url ?? '',
  line: frames[0] === undefined ? 0 : frames[0].lineNumber + 1,
})

/** A call of console.log and its kin. */
export function calledEntry(params: Record<string, unknown>): Draft {
  const type = String(params['type'])
  const args = (params['args'] as RemoteObject[] | undefined) ?? []
  const stack = (params['stackTrace'] as StackTrace | undefined)?.callFrames ?? []
  const shown: readonly Piece[] =
    type === 'assert' ? [{ text: 'Assertion failed:' }, ...formatArgs(args)] : formatArgs(args)
  const pieces = shown.length === 0 && type === 'trace' ? [{ text: 'console.trace' }] : shown
  const level = callLevels[type] ?? 'log'
  const keepsStack = level === 'error' || level === 'warn' || type === 'trace'
  return {
    kind: 'message',
    level,
    pieces,
    text: piecesText(pieces),
    ...placeOf(stack),
    at: Number(params['timestamp']),
    stack: keepsStack ? stack : [],
    recorded: false,
  }
}

/** An error that nobody caught. */
export function thrownEntry(params: Record<string, unknown>): Draft {
  const details = params['exceptionDetails'] as {
    text?: string
    url?: string
    lineNumber?: number
    exception?: RemoteObject
    stackTrace?: StackTrace
  }
  const { exception, text = 'Uncaught' } = details
  const pieces: Piece[] = [{ text }]
  // What follows the first line of an error's description is its stack, which stands below by itself.
  if (exception?.subtype === 'error') pieces[0] = { text: `${text} ${clipped(firstLine(exception.description ?? ''))}` }
  else if (exception !== undefined)
    pieces.push(exception.type === 'string' ? { text: clipped(String(exception.value)) } : { object: exception })
  const stack = details.stackTrace?.callFrames ?? []
  return {
    kind: 'message',
    level: 'error',
    pieces,
    text: piecesText(pieces),
    url: details.url ?? stack[0]?.url ?? '',
    line: (details.lineNumber ?? -1) + 1,
    at: Number(params['timestamp']),
    stack,
    recorded: false,
  }
}

const firstLine = (text: string) => text.split('\n    at ')[0] ?? text

/** What the browser itself has to say: a request that failed, something it refused. */
export function loggedEntry(entry: Record<string, unknown>): Draft {
  const text = clipped(String(entry['text'] ?? ''))
  return {
    kind: 'message',
    level: logLevels[String(entry['level'])] ?? 'log',
    pieces: [{ text }],
    text,
    url: String(entry['url'] ?? ''),
    line: typeof entry['lineNumber'] === 'number' ? entry['lineNumber'] + 1 : 0,
    at: Number(entry['timestamp']),
    stack: (entry['stackTrace'] as StackTrace | undefined)?.callFrames ?? [],
    recorded: false,
  }
}

export function recordedEntry(message: {
  level: string
  text: string
  url: string | null
  line: number | null
  timestamp: string
}): Draft {
  const level = levels.find((known) => known === message.level) ?? 'log'
  const { text } = message
  return {
    kind: 'message',
    level,
    pieces: [{ text }],
    text,
    url: message.url ?? '',
    line: message.line ?? 0,
    at: Date.parse(message.timestamp),
    stack: [],
    recorded: true,
  }
}

export const mark = (text: string, at: number): Draft => ({
  kind: 'mark',
  level: 'info',
  pieces: [{ text }],
  text,
  url: '',
  line: 0,
  at,
  stack: [],
  recorded: false,
})

/** Said again: nothing in it can be opened, and it reads the same. */
export function isRepeat(last: Entry | undefined, next: Draft, depth: number): boolean {
  return (
    last !== undefined &&
    last.kind === 'message' &&
    next.kind === 'message' &&
    last.level === next.level &&
    last.depth === depth &&
    last.text === next.text &&
    last.url === next.url &&
    last.line === next.line &&
    next.pieces.every((piece) => 'text' in piece || piece.object.objectId === undefined)
  )
}

/** With what a record says several times in a row counted, as it is for what is heard. */
export function folded(entries: readonly Entry[]): Entry[] {
  const found: Entry[] = []
  for (const entry of entries) {
    const last = found.at(-1)
    if (last?.recorded === true && entry.recorded && isRepeat(last, entry, entry.depth))
      found[found.length - 1] = { ...last, count: last.count + entry.count, at: entry.at }
    else found.push(entry)
  }
  return found
}

/**
 * What of a record is not already there: the same moment and level is the same message. Of one that was said several
 * times in a row only the last moment is known; those before it are told by their words.
 */
export function notYetThere(
  record: readonly Draft[],
  known: readonly Pick<Entry, 'at' | 'level' | 'count' | 'text'>[],
): Draft[] {
  const there = new Map<string, number>()
  const repeats = known.filter(({ count }) => count > 1).map((entry) => ({ ...entry, left: entry.count - 1 }))
  const keyOf = ({ at, level }: Pick<Entry, 'at' | 'level'>) => `${Math.floor(at)} ${level}`
  for (const entry of known) there.set(keyOf(entry), (there.get(keyOf(entry)) ?? 0) + 1)
  return record.filter((entry) => {
    const left = there.get(keyOf(entry)) ?? 0
    if (left > 0) {
      there.set(keyOf(entry), left - 1)
      return false
    }
    const repeat = repeats.find(
      ({ at, level, text, left: more }) => more > 0 && entry.at <= at && level === entry.level && text === entry.text,
    )
    if (repeat === undefined) return true
    repeat.left--
    return false
  })
}

/** A place in the page's code, short enough for the end of a line. */
export function placeText(url: string, line: number): string {
  if (url === '') return ''
  const path = url.startsWith('data:') ? 'data:' : (url.split(/[?#]/)[0] ?? url)
  const name = path.split('/').filter(Boolean).at(-1) ?? path
  return `${name.slice(0, 60)}${line > 0 ? `:${line}` : ''}`
}

export interface ConsoleFilter {
  levels: ReadonlySet<Level>
  text: string
}

export function passes(entry: Entry, { levels: shown, text }: ConsoleFilter): boolean {
  if (entry.kind === 'mark') return text === ''
  if (!shown.has(entry.level)) return false
  return text === '' || `${entry.text} ${entry.url}`.toLowerCase().includes(text.toLowerCase())
}
