import fs from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { disorderMs, type RawLine } from '../../shared/domain/log-lines.ts'
import { earlier, unixTime } from '../../shared/domain/log-time.ts'
import type { DockerEngine } from '../docker/engine.ts'
import { type DockerLog, followDocker, type StreamOptions } from './docker-follow.ts'
import { FramedDecoder, type StreamDecoder, TerminalDecoder } from './docker-stream.ts'
import type { Nudge } from './file-alarm.ts'
import { followFile } from './file-follow.ts'
import { EntryDecoder, entryTime } from './json-file.ts'

/** How one container's log can be read. */
export interface ContainerLog {
  id: string
  tty: boolean
  /** Docker's own file, where it is of a kind we know and we may read it. */
  file: string | undefined
  /** Who keeps it, in Docker's words. */
  driver: string | undefined
}

/** A container keeps its file for life, so that Docker need be asked only once. */
const known = new WeakMap<DockerEngine, Map<string, ContainerLog>>()
const maxKnown = 256

export async function findLog(engine: DockerEngine, id: string): Promise<ContainerLog> {
  const logs = known.get(engine) ?? new Map<string, ContainerLog>()
  known.set(engine, logs)
  const before = logs.get(id)
  if (before?.file !== undefined && (await canRead(before.file))) return before
  const found = await askForLog(engine, id)
  if (logs.size >= maxKnown) logs.clear()
  if (found.file !== undefined) logs.set(id, found)
  return found
}

async function askForLog(engine: DockerEngine, id: string): Promise<ContainerLog> {
  const docker = await engine.client()
  const { Config, HostConfig, LogPath } = (await docker.getContainer(id).inspect()) as unknown as Inspected
  const { Type, Config: options } = HostConfig?.LogConfig ?? {}
  // Older files that Docker has compressed it has to read itself.
  const isJsonFile = Type === 'json-file' && options?.['compress'] !== 'true'
  const readable = isJsonFile && typeof LogPath === 'string' && LogPath !== '' && (await canRead(LogPath))
  return { id, tty: Config?.Tty === true, file: readable ? LogPath : undefined, driver: Type }
}

interface Inspected {
  Config?: { Tty?: boolean }
  HostConfig?: { LogConfig?: { Type?: string; Config?: Record<string, string> | null } }
  LogPath?: string
}

async function canRead(file: string): Promise<boolean> {
  try {
    await (await fs.open(file, 'r')).close()
    return true
  } catch {
    return false
  }
}

export interface FollowOptions {
  /** Nothing before this is wanted. */
  from: string
  /** Whether `from` is now: Docker need not look through all it has. */
  fresh: boolean
  /** Stops at once. */
  stop: AbortSignal
  /** Reads what is there, and stops then. */
  finish: AbortSignal
  nudge?: Nudge
}

/**
 * A container's lines from a little before `from` on, as they come. From Docker's file where that can be read:
 * Docker itself sends a line at a time, and looks for a moment by reading its whole log. An empty portion says
 * that the end has been reached. Ends with the container's run where Docker is asked, else when told to.
 */
export async function* followContainer(
  engine: DockerEngine,
  log: ContainerLog,
  { from, fresh, stop, finish, nudge }: FollowOptions,
): AsyncGenerator<RawLine[]> {
  if (log.file !== undefined) {
    const decoder = new EntryDecoder()
    const signal = AbortSignal.any([stop, finish])
    for await (const entries of followFile({
      path: log.file,
      from: earlier(from, disorderMs),
      timeOf: entryTime,
      signal,
      nudge,
    })) {
      if (stop.aborted) return
      yield decoder.push(entries)
    }
    yield decoder.finish()
    return
  }
  yield* followDocker(dockerLog(engine, log), { from, fresh, stop })
}

/** The log as Docker gives it, where it cannot be read from a file. */
export function dockerLog(engine: DockerEngine, log: ContainerLog): DockerLog {
  return { open: (options) => openStream(engine, log, options), decoder: () => decoderFor(log) }
}

/** Docker's own stream of a container's log. */
export async function openStream(engine: DockerEngine, log: ContainerLog, options: StreamOptions): Promise<Readable> {
  const docker = await engine.client()
  const { since, tail, follow, signal } = options
  const query = {
    stdout: true,
    stderr: true,
    timestamps: true,
    follow,
    ...(since === undefined || since < '1970-01-02' ? {} : { since: unixTime(since) }),
    ...(tail === undefined ? {} : { tail }),
  }
  return new Promise((resolve, reject) => {
    // The library's own `logs` gathers a log that is not followed in memory, however large it is.
    docker.modem.dial(
      {
        path: `/containers/${log.id}/logs?`,
        method: 'GET',
        isStream: true,
        abortSignal: signal,
        statusCodes: { 200: true, 404: 'no such container', 500: 'server error' },
        options: query,
      },
      (error: unknown, stream: unknown) => {
        if (error === null || error === undefined) resolve(stream as Readable)
        else reject(error as Error)
      },
    )
  })
}

export function decoderFor(log: ContainerLog): StreamDecoder {
  // The journal stamps what it is given, and Docker gives it a long line part by part.
  const parts = log.driver === 'journald' ? 'stamped apart' : 'stamped alike'
  return log.tty ? new TerminalDecoder(parts) : new FramedDecoder(parts)
}
