import type { Readable } from 'node:stream'
import { disorderMs, type RawLine } from '../../shared/domain/log-lines.ts'
import { earlier } from '../../shared/domain/log-time.ts'
import type { StreamDecoder } from './docker-stream.ts'
import { Repeats } from './repeats.ts'

/** What a container may write in the moment between "from now on" and Docker's answer to it. */
const freshTailLines = 2000
/** After so long without a line Docker is asked whether there is one; the longer it has none, the less often. */
const quietMs = { first: 3000, most: 60_000 }
const lookLimitMs = 20_000

export interface StreamOptions {
  since?: string
  tail?: number
  follow: boolean
  signal: AbortSignal
}

/** How a container's log is asked of Docker. */
export interface DockerLog {
  open: (options: StreamOptions) => Promise<Readable>
  decoder: () => StreamDecoder
}

export interface FollowDockerOptions {
  /** Nothing before this is wanted. */
  from: string
  /** Whether `from` is now: Docker need not look through all it has. */
  fresh: boolean
  stop: AbortSignal
  quiet?: typeof quietMs
}

/**
 * A log as Docker sends it. Up to version 20.10 its stream is not to be trusted where a log is rotated: it brings the
 * first lines of the new file twice, and now and then nothing any more although the container writes. Ends with the
 * container's run, and when it has to be opened anew.
 */
export async function* followDocker(
  log: DockerLog,
  { from, fresh, stop, quiet = quietMs }: FollowDockerOptions,
): AsyncGenerator<RawLine[]> {
  const repeats = new Repeats()
  if (fresh) {
    // Nothing before this moment is wanted: others need not wait for what a silent container has.
    yield []
    let complete = false
    for await (const lines of lively(log, { tail: freshTailLines, follow: true, signal: stop }, from, quiet)) {
      complete ||= (lines[0]?.timestamp ?? '') <= from
      // The tail may not reach back to `from`; or there is nothing older, and then asking for all costs little.
      if (!complete) break
      yield repeats.without(lines)
    }
    if (complete) return
  }
  const options = { since: earlier(from, disorderMs), follow: true, signal: stop }
  for await (const lines of lively(log, options, from, quiet)) yield repeats.without(lines)
}

/** Whether Docker has lines that are later than this. */
export async function hasLater(log: DockerLog, than: string, stop: AbortSignal): Promise<boolean> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(lookLimitMs)])
  const decoder = log.decoder()
  // With a time, Docker leaves the older files, which may be compressed, as they are.
  const stream = await log.open({ since: than, tail: 1, follow: false, signal })
  for await (const _lines of streamLines(stream, decoder));
  return decoder.newest > than
}

/** The lines of a stream, which ends when Docker has later ones that it does not bring. */
async function* lively(
  log: DockerLog,
  options: StreamOptions,
  from: string,
  quiet: typeof quietMs,
): AsyncGenerator<RawLine[]> {
  const decoder = log.decoder()
  const stream = await log.open(options)
  // Docker may look through much before it begins.
  let waitMs = quiet.most
  let waiting = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = async (turn: number) => {
    const newest = decoder.newest > from ? decoder.newest : from
    const behind = await hasLater(log, newest, options.signal).catch(() => false)
    if (turn !== waiting || stream.destroyed) return
    if (behind && decoder.newest <= newest) stream.destroy()
    else later(turn, Math.min(quiet.most, waitMs * 2))
  }
  const later = (turn: number, ms: number) => {
    waitMs = ms
    timer = setTimeout(() => void look(turn), ms).unref()
  }
  const lines = streamLines(stream, decoder)
  try {
    for (;;) {
      later(waiting, waitMs)
      const next = await lines.next()
      // What its reader is slow to take says nothing of Docker.
      waiting++
      clearTimeout(timer)
      waitMs = quiet.first
      if (next.done === true) return
      yield next.value
    }
  } catch (error) {
    // Destroyed above, or ended with the connection: whoever reads opens another.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  } finally {
    waiting++
    clearTimeout(timer)
    await lines.return(undefined)
  }
}

export async function* streamLines(stream: Readable, decoder: StreamDecoder): AsyncGenerator<RawLine[]> {
  try {
    for await (const chunk of stream) {
      const lines = decoder.push(chunk as Buffer)
      if (lines.length > 0) yield lines
    }
    yield decoder.finish()
  } finally {
    stream.destroy()
  }
}
