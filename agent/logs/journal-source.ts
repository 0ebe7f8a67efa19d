import type { Readable } from 'node:stream'
import { disorderMs, LineAssembler, type RawLine } from '../../shared/domain/log-lines.ts'
import { parseJournal } from '../../shared/domain/log-plain.ts'
import { earlier, type LogPosition, milliseconds } from '../../shared/domain/log-time.ts'
import { Problem } from '../../shared/errors.ts'
import { type CaredProcess, spawnCared } from '../processes/spawn-cared.ts'
import { LastLines, NewestLines } from './history.ts'
import { assembleAll, type History, type HistoryQuery, type LineSink, type LineSource } from './sources.ts'

const limitMs = 20_000
const retryMs = 2000
/** More than asked for, so that a stack trace counts as one line and the first is not cut. */
const marginEntries = 64
/** A search looks at this many entries and no more. */
const searchedEntries = 100_000

/** The system's journal, as journalctl tells it. */
export class JournalSource implements LineSource {
  readonly #program: string
  readonly #service: string
  readonly #dataDir: string

  constructor(program: string, service: string, dataDir: string) {
    this.#program = program
    this.#service = service
    this.#dataDir = dataDir
  }

  async history(query: HistoryQuery): Promise<History> {
    const late = AbortSignal.timeout(limitMs)
    for (let count = query.search === undefined ? query.lines + marginEntries : searchedEntries; ; count *= 4) {
      const { newest, all } = await this.#newest(query, count, late)
      if (!all && newest.lines.length < query.lines && count < searchedEntries) continue
      const taken = new LastLines(query)
      taken.add(newest.lines)
      return taken.result(newest.left || !all)
    }
  }

  /** What fits among the last so many entries, and whether these are all there are. */
  async #newest(query: HistoryQuery, count: number, late: AbortSignal): Promise<{ newest: NewestLines; all: boolean }> {
    const { since } = query
    const assembler = new LineAssembler(this.#service)
    const newest = new NewestLines(query)
    // Up to systemd 253, so many lines since a time are the first behind it; from the end they are the last everywhere.
    const backward = since === undefined ? [] : ['--reverse', sinceOf(since)]
    const reversed: RawLine[][] = []
    let entries = 0
    for await (const raws of this.#output([`--lines=${count}`, ...backward], late)) {
      entries += raws.length
      if (since === undefined) newest.add(assembler.push(raws))
      else reversed.push(raws.reverse())
    }
    for (const raws of reversed.reverse()) newest.add(assembler.push(raws))
    if (late.aborted)
      throw new Problem('timeout', `The journal was not read within ${limitMs / 1000} s. Ask for less of it.`)
    newest.add(assembler.flush())
    return { newest, all: entries < count }
  }

  follow(after: LogPosition, sink: LineSink): () => void {
    const stop = new AbortController()
    void this.#followOn(after, sink, stop.signal)
    return () => stop.abort()
  }

  get #args(): string[] {
    return ['--output=json', '--no-pager', '--quiet', '--all']
  }

  async #followOn(after: LogPosition, sink: LineSink, signal: AbortSignal): Promise<void> {
    let position = after
    let told: string | undefined
    while (!signal.aborted) {
      const assembler = new LineAssembler(this.#service, position)
      try {
        await assembleAll(this.#raw(position.timestamp, signal), assembler, (lines) =>
          signal.aborted ? undefined : sink.lines(lines),
        )
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        if (reason !== told) sink.notice(`The journal cannot be read: ${reason}`)
        told = reason
      }
      position = assembler.position ?? position
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, retryMs))
    }
  }

  async *#raw(from: string, signal: AbortSignal): AsyncGenerator<RawLine[]> {
    yield* this.#output(['--follow', '--lines=all', sinceOf(earlier(from, disorderMs))], signal)
  }

  /** What journalctl says, until it ends or is ended; rejects when it could not read the journal. */
  async *#output(args: readonly string[], signal: AbortSignal): AsyncGenerator<RawLine[]> {
    const journal = await this.#spawn([...this.#args, ...args])
    const end = () => void journal.end()
    signal.addEventListener('abort', end, { once: true })
    try {
      if (signal.aborted || journal.report === null) return
      yield* journalLines(journal.report)
      const { code } = await journal.exited
      if (code !== 0 && !signal.aborted) throw unreadable(journal.lastLines().slice(0, 300))
    } finally {
      signal.removeEventListener('abort', end)
      await journal.end()
    }
  }

  /** Its output comes through the report pipe, which waits for us; the usual one is read at once and kept for errors. */
  #spawn(args: readonly string[]): Promise<CaredProcess> {
    return spawnCared({
      name: 'journalctl',
      program: '/bin/sh',
      args: ['-c', 'exec "$@" >&3', 'sh', this.#program, ...args],
      env: process.env,
      dataDir: this.#dataDir,
      reportPipe: true,
    })
  }
}

/** journalctl knows no time before 1970. */
function sinceOf(timestamp: string): string {
  return `--since=@${Math.max(0, Math.floor(milliseconds(timestamp) / 1000))}`
}

function unreadable(said: string): Problem {
  const message = `journalctl could not read the journal: ${said}`
  if (!/permission/i.test(said)) return new Problem('internal', message)
  return new Problem(
    'forbidden',
    `${message} Put the agent's user into the group systemd-journal, then restart the agent.`,
  )
}

async function* journalLines(stream: Readable): AsyncGenerator<RawLine[]> {
  let rest: Buffer[] = []
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const end = chunk.lastIndexOf(10)
    if (end === -1) {
      rest.push(chunk)
      continue
    }
    const whole = Buffer.concat([...rest, chunk.subarray(0, end)]).toString('utf8')
    rest = [chunk.subarray(end + 1)]
    yield whole.split('\n').flatMap((entry) => parseJournal(entry) ?? [])
  }
}
