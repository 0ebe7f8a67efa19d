import type { LogLine } from '../../shared/contract/logs.ts'
import { type LineAssembler, type RawLine, tangle } from '../../shared/domain/log-lines.ts'
import type { LogPosition } from '../../shared/domain/log-time.ts'

/** Who takes a source's lines. */
export interface LineSink {
  /** A promise holds the source back until it is settled. */
  lines(lines: LogLine[]): void | Promise<void>
  /** Something about the stream itself, for a person to read. */
  notice(message: string): void
}

export interface HistoryQuery {
  lines: number
  /** Only lines of this time or later. */
  since: string | undefined
  /** Only lines with this text, in capitals or not. */
  search: string | undefined
}

export interface History {
  lines: LogLine[]
  /** Whether older lines that fit the query were left out. */
  truncated: boolean
}

/** Something with a log: a container, several of them, the system, AdsPower. */
export interface LineSource {
  history(query: HistoryQuery): Promise<History>
  /** Every line behind `after`, then every new one, until stopped. Returns the way to stop. */
  follow(after: LogPosition, sink: LineSink): () => void
}

/** A line may be the head of a stack trace: it waits this long for the rest, which is written in one go. */
const joinWaitMs = 20

/** Takes raw lines through the assembler to whoever wants them, until the source ends. */
export async function assembleAll(
  source: AsyncGenerator<RawLine[]>,
  assembler: LineAssembler,
  deliver: (lines: LogLine[]) => void | Promise<void>,
): Promise<void> {
  try {
    for (;;) {
      const next = source.next()
      const waitMs = assembler.tangled ? tangle.ms : joinWaitMs
      let result = assembler.holding ? await orNothing(next, waitMs) : await next
      if (result === undefined) {
        await deliver(assembler.flush())
        result = await next
      }
      if (result.done === true) break
      const lines = assembler.push(result.value)
      // "Nothing more for now" would not be true while a line is held.
      if (lines.length > 0 || (result.value.length === 0 && !assembler.holding)) await deliver(lines)
    }
  } finally {
    await source.return(undefined)
    // Also where the source broke off: the line counts as read, so it has to arrive.
    await deliver(assembler.flush())
  }
}

function orNothing<Value>(promise: Promise<Value>, ms: number): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    // A turn of the loop more after the wait: a timer that is late runs before what has come meanwhile is read.
    const timer = setTimeout(() => setImmediate(() => setImmediate(() => resolve(undefined))), ms)
    promise.then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error as Error)
      },
    )
  })
}
