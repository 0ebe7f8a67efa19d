import fs from 'node:fs/promises'
import { disorderMs, LineAssembler, type RawLine } from '../../shared/domain/log-lines.ts'
import { PlainDecoder, plainTime, plainWriter } from '../../shared/domain/log-plain.ts'
import { earlier, type LogPosition } from '../../shared/domain/log-time.ts'
import { standsAlone } from '../../shared/domain/log-traces.ts'
import { blockFor, readBackward } from './file-backward.ts'
import { lacksTimes } from './file-chain.ts'
import { followFile } from './file-follow.ts'
import { readLast } from './history.ts'
import { assembleAll, type History, type HistoryQuery, type LineSink, type LineSource } from './sources.ts'

/** Whoever asks for what came after a time before this asks for all there is. */
const fromTheBeginning = '2000'

/** After a failure to read, the file is tried again. */
const retryMs = 1000

/** A text file that grows, such as the system's log. */
export class FileSource implements LineSource {
  readonly #file: string
  readonly #service: string

  constructor(file: string, service: string) {
    this.#file = file
    this.#service = service
  }

  async history(query: HistoryQuery): Promise<History> {
    const startedAt = (await fs.stat(this.#file)).mtimeMs
    return readLast(
      {
        portions: readBackward(this.#file, blockFor(query)),
        decode: (entries) => new PlainDecoder(startedAt).push(entries),
        freshStarts: (entries) => (index) => {
          const [entry = '', before = ''] = [entries[index], entries[index - 1]]
          const time = timeOf(entry)
          return time !== undefined && time !== timeOf(before) && standsAlone(saidIn(entry), saidIn(before))
        },
      },
      this.#service,
      query,
    )
  }

  follow(after: LogPosition, sink: LineSink): () => void {
    const stop = new AbortController()
    void this.#followOn(after, sink, stop.signal)
    return () => stop.abort()
  }

  async #followOn(after: LogPosition, sink: LineSink, signal: AbortSignal): Promise<void> {
    let position: LogPosition | undefined = after.timestamp < fromTheBeginning ? undefined : after
    let from = earlier(after.timestamp, disorderMs)
    // Only what has times can be looked for by a time.
    if (position !== undefined && (await lacksTimes(this.#file, timeOf).catch(() => false))) from = 'end'
    while (!signal.aborted) {
      const assembler = new LineAssembler(this.#service, position)
      try {
        await assembleAll(this.#raw(from, position, assembler, signal), assembler, (lines) =>
          signal.aborted ? undefined : sink.lines(lines),
        )
      } catch (error) {
        sink.notice(`The log cannot be read: ${error instanceof Error ? error.message : String(error)}`)
      }
      position = assembler.position ?? position
      if (position !== undefined) from = earlier(position.timestamp, disorderMs)
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, retryMs))
    }
  }

  async *#raw(
    from: string,
    position: LogPosition | undefined,
    assembler: LineAssembler,
    signal: AbortSignal,
  ): AsyncGenerator<RawLine[]> {
    // A line without a time that comes before any with one is of before; where nothing was before, it is new.
    const decoder = new PlainDecoder(
      position === undefined ? 'reading' : Date.parse(`${position.timestamp.slice(0, 19)}Z`),
    )
    for await (const entries of followFile({ path: this.#file, from, timeOf, signal })) {
      if (signal.aborted) return
      yield decoder.push(entries)
      if (entries.length > 0) continue
      // What there was has been read: what comes now is new, whatever its writer's clock says of it.
      decoder.fromNow()
      assembler.fromNow()
    }
  }
}

const saidIn = (line: string) => line.slice(plainWriter(line).body)
const timeOf = (line: string) => plainTime(line, Date.now())
