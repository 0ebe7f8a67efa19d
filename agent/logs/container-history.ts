import type { LogLine } from '../../shared/contract/logs.ts'
import { disorderMs, LineAssembler } from '../../shared/domain/log-lines.ts'
import { earlier } from '../../shared/domain/log-time.ts'
import type { DockerEngine } from '../docker/engine.ts'
import { type ContainerLog, decoderFor, findLog, openStream } from './container-lines.ts'
import { streamLines } from './docker-follow.ts'
import { blockFor, readBackward } from './file-backward.ts'
import { LastLines, NewestLines, readLast } from './history.ts'
import { EntryDecoder, freshStarts } from './json-file.ts'
import type { History, HistoryQuery } from './sources.ts'

/** More than asked for, so that stack traces count as one line and moments are numbered from their first line. */
const marginLines = 64
/** Docker reads its whole log for a search: not more of it than this. */
const searchedLines = 200_000

export async function containerHistory(
  engine: DockerEngine,
  id: string,
  service: string,
  query: HistoryQuery,
): Promise<History> {
  const log = await findLog(engine, id)
  return log.file === undefined ? askDocker(engine, log, service, query) : readFile(log.file, service, query)
}

function readFile(file: string, service: string, query: HistoryQuery): Promise<History> {
  return readLast(
    {
      portions: readBackward(file, blockFor(query)),
      decode: (entries) => {
        const decoder = new EntryDecoder()
        return [...decoder.push(entries), ...decoder.finish()]
      },
      freshStarts,
    },
    service,
    query,
  )
}

async function askDocker(
  engine: DockerEngine,
  log: ContainerLog,
  service: string,
  query: HistoryQuery,
): Promise<History> {
  const wide = query.search !== undefined || query.since !== undefined
  for (let tail = wide ? searchedLines : query.lines + marginLines; ; tail *= 4) {
    const { lines, entries, left } = await askOnce(engine, log, service, query, tail)
    const all = entries < tail
    if (!all && lines.length < query.lines && tail < searchedLines) continue
    const taken = new LastLines(query)
    taken.add(lines)
    const { lines: last, truncated } = taken.result(false)
    const reachesBack = query.since !== undefined && (all || lines.length === 0)
    return { lines: last, truncated: truncated || left || (!all && !reachesBack) }
  }
}

/** Docker's last lines that fit, of which the newest are kept. */
async function askOnce(
  engine: DockerEngine,
  log: ContainerLog,
  service: string,
  query: HistoryQuery,
  tail: number,
): Promise<{ lines: readonly LogLine[]; entries: number; left: boolean }> {
  const assembler = new LineAssembler(service)
  const { since } = query
  const signal = AbortSignal.timeout(20_000)
  const stream = await openStream(engine, log, {
    // A line that is stamped too early counts with the one before it.
    ...(since === undefined ? {} : { since: earlier(since, disorderMs) }),
    tail,
    follow: false,
    signal,
  })
  const newest = new NewestLines(query)
  const decoder = decoderFor(log)
  for await (const portion of streamLines(stream, decoder)) newest.add(assembler.push(portion))
  newest.add(assembler.flush())
  return { lines: newest.lines, entries: decoder.entries, left: newest.left }
}

/** Several containers' last lines as one, in the order of their times. */
export function mergeHistories(histories: readonly History[], count: number): History {
  const [only] = histories
  if (histories.length === 1 && only !== undefined) return only
  const lines = histories
    .flatMap((history) => history.lines)
    .sort((a, b) => (a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0))
  // Where one container's oldest lines were left out, what the others have from before would stand there alone.
  const horizon = histories
    .filter((history) => history.truncated)
    .map((history) => history.lines[0]?.timestamp ?? '')
    .reduce((latest, timestamp) => (timestamp > latest ? timestamp : latest), '')
  const kept = lines.filter((line) => line.timestamp >= horizon)
  const truncated = kept.length < lines.length || kept.length > count || histories.some((history) => history.truncated)
  return { lines: kept.slice(-count), truncated }
}
