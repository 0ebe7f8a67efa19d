import fs from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { FileAlarm, type Nudge } from './file-alarm.ts'
import {
  type ChainFile,
  chainFrom,
  closeChain,
  endOfLines,
  newestOf,
  offsetOf,
  olderNames,
  openChain,
} from './file-chain.ts'

const chunkBytes = 64 * 1024
/** What is read at once of a file that has much to give. */
const floodBytes = 256 * 1024
/** A line beyond this is passed on in pieces: nothing may make the agent hold more. */
const maxCarryBytes = 4 * 1024 * 1024

export interface FollowFileOptions {
  path: string
  /** Lines before this time are passed over as far as that can be done without reading them; `end` passes all over. */
  from: string | 'end'
  timeOf: (line: string) => string | undefined
  signal: AbortSignal
  /** Given the way to have the file looked at before its time. */
  nudge?: Nudge | undefined
}

/**
 * The lines of a file as it grows, through rotation and truncation. An empty portion says that the end has been
 * reached. Ends when it is told to, having read what was there by then.
 */
export async function* followFile({
  path: file,
  from,
  timeOf,
  signal,
  nudge,
}: FollowFileOptions): AsyncGenerator<string[]> {
  const alarm = new FileAlarm(file, signal, nudge)
  const scratch = new Scratch()
  let files = from === 'end' ? await newestOf(file) : await chainFrom(file, from, timeOf)
  try {
    const [first] = files
    let offset =
      first === undefined
        ? 0
        : from === 'end'
          ? await endOfLines(first.handle)
          : await offsetOf(first.handle, from, timeOf)
    for (;;) {
      const current = files[0]
      // Asked before the read: what was written until then is read even if nobody waits for more.
      const last = signal.aborted
      const before = offset
      if (current !== undefined) {
        const reader = new GrowingFile(current.handle, offset, scratch)
        yield* reader.toEnd()
        offset = reader.offset
      }
      if (files.length > 1) {
        await closeChain(files.splice(0, 1))
        offset = 0
        alarm.forget()
        continue
      }
      const newer = await openNewer(file, current)
      if (newer.length > 0) {
        // What came between the last read and the rename.
        if (current !== undefined) yield* new GrowingFile(current.handle, offset, scratch).toEnd()
        await closeChain(files)
        files = newer
        offset = 0
        alarm.forget()
        continue
      }
      yield []
      if (last) return
      await alarm.wait(offset !== before)
      const began = current === undefined ? undefined : await alarm.emptied(current.handle, offset)
      if (began === undefined) continue
      yield* restOfCopy(olderNames(file)[0] ?? file, began, offset, scratch)
      offset = 0
    }
  } finally {
    alarm.stop()
    await closeChain(files)
  }
}

/** Who empties a file may have copied it first: what came between the last read and that is there and nowhere else. */
async function* restOfCopy(copy: string, began: Buffer, offset: number, scratch: Scratch): AsyncGenerator<string[]> {
  const handle = began.length === 0 ? undefined : await fs.open(copy, 'r').catch(() => undefined)
  if (handle === undefined) return
  try {
    const head = Buffer.alloc(began.length)
    await handle.read(head, 0, head.length, 0)
    if (head.equals(began)) yield* new GrowingFile(handle, offset, scratch).toEnd()
  } finally {
    await handle.close()
  }
}

/** Rotation renames one file after the other; looked at in between, the chain has holes. */
const rotationTries = 20

/** Files that took the place of `current`, oldest first. */
async function openNewer(file: string, current: ChainFile | undefined): Promise<ChainFile[]> {
  const inode = await fs.stat(file).then(
    (stat) => stat.ino,
    () => undefined,
  )
  if (inode === undefined || inode === current?.inode) return []
  for (let tries = 1; ; tries++) {
    const { files, met } = await openChain(file, current?.inode)
    if (met || current === undefined) return files.reverse()
    const { nlink, mtimeMs } = await current.handle.stat()
    // Rotated out of the folder altogether: then all that are left are newer.
    if (nlink === 0) return files.reverse()
    // Moved to a name that is none of the chain: whatever was written to after it is newer.
    if (tries === rotationTries) return onlyNewer(files.reverse(), mtimeMs)
    await closeChain(files)
    await sleep(2)
  }
}

async function onlyNewer(files: ChainFile[], thanMs: number): Promise<ChainFile[]> {
  const times = await Promise.all(files.map(async ({ handle }) => (await handle.stat()).mtimeMs))
  const older = files.filter((_file, index) => (times[index] ?? 0) < thanMs)
  await closeChain(older)
  return files.filter((file) => !older.includes(file))
}

/**
 * One buffer for all reads of a file. A file that grows is looked at a hundred times a second: a new buffer each time
 * was 60 MB of them before anyone collected the old ones.
 */
class Scratch {
  #buffer = Buffer.alloc(0)

  /** Of at least this size; what was in it is gone. */
  of(size: number): Buffer {
    if (this.#buffer.length < size) this.#buffer = Buffer.allocUnsafeSlow(size)
    return this.#buffer
  }

  /** A long line was read, as few are: its room is not kept. */
  shrink(): void {
    if (this.#buffer.length > floodBytes) this.#buffer = Buffer.alloc(0)
  }
}

/** Reads whole lines from a place in a file to its present end. */
class GrowingFile {
  readonly #handle: fs.FileHandle
  readonly #scratch: Scratch
  /** Behind the last whole line that was read. */
  offset: number

  constructor(handle: fs.FileHandle, offset: number, scratch: Scratch) {
    this.#handle = handle
    this.#scratch = scratch
    this.offset = offset
  }

  async *toEnd(): AsyncGenerator<string[]> {
    let size = chunkBytes
    for (;;) {
      const buffer = this.#scratch.of(size)
      const { bytesRead } = await this.#handle.read(buffer, 0, size, this.offset)
      const end = buffer.subarray(0, bytesRead).lastIndexOf(10)
      if (end !== -1) {
        this.offset += end + 1
        const text = buffer.toString('utf8', 0, end)
        this.#scratch.shrink()
        yield text.split('\n')
        size = bytesRead < size ? chunkBytes : floodBytes
      } else if (bytesRead === size && size < maxCarryBytes) size *= 2
      else if (bytesRead === size) {
        this.offset += bytesRead
        yield [buffer.toString('utf8', 0, bytesRead)]
      } else return
    }
  }
}
