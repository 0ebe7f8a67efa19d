import { readdirSync, statSync } from 'node:fs'
import fs from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** A log file and the older ones that rotation left beside it: `x.log.1`, `x.log.2`, …, or by day `x.log-20260131`, … */

const maxRotated = 100
/** What logrotate's `dateext` puts behind the name: a day, with an hour or seconds where it rotates more often. */
const day = /^-\d{8}(?:-?\d{2,10})?$/
/** Names that are missing for the moment in which rotation renames their files. */
const maxHoles = 1
const probeBytes = 64 * 1024
const snapshotTries = 5
const openTries = 20

/** An open file of the chain; the name may change under it, the file does not. */
export interface ChainFile {
  handle: fs.FileHandle
  inode: number
}

/** The chain as it stands at one moment, newest first. Compressed files are the end of it. */
interface Snapshot {
  inodes: number[]
  /** Whether `stopAt` was met, and the chain ends before it. */
  met: boolean
}

/**
 * Looked at without letting go of the thread: while it is looked at, files move on by at most one place, so that they
 * may be met twice but never in the wrong order.
 */
function snapshot(path: string, stopAt?: number): Snapshot {
  const inodes: number[] = []
  let holes = 0
  for (const name of [path, ...olderNames(path)]) {
    if (holes > maxHoles) break
    const inode = inodeOf(name)
    if (inode === undefined) holes++
    else if (inode === stopAt) return { inodes, met: true }
    else if (!inodes.includes(inode)) inodes.push(inode)
  }
  return { inodes, met: false }
}

/** What the older files are called, newest first. Where both kinds lie there, the one that is still written counts. */
export function olderNames(path: string): string[] {
  const days = daysOf(path)
  const lastDay = days[0] === undefined ? undefined : mtimeOf(days[0])
  const lastNumber = mtimeOf(`${path}.1`)
  if (lastDay !== undefined && (lastNumber === undefined || lastDay > lastNumber)) return days
  return Array.from({ length: maxRotated }, (_, index) => `${path}.${index + 1}`)
}

function daysOf(path: string): string[] {
  const [folder, name] = [dirname(path), basename(path)]
  try {
    const found = readdirSync(folder).filter((one) => one.startsWith(name) && day.test(one.slice(name.length)))
    return found
      .sort()
      .reverse()
      .slice(0, maxRotated)
      .map((one) => join(folder, one))
  } catch {
    return []
  }
}

function mtimeOf(name: string): number | undefined {
  return statSync(name, { throwIfNoEntry: false })?.mtimeMs
}

function inodeOf(name: string): number | undefined {
  return statSync(name, { throwIfNoEntry: false })?.ino
}

/** A rotation that ends between two looks at it has the newest file replaced. */
function steadySnapshot(path: string, stopAt?: number): Snapshot {
  for (let tries = 1; ; tries++) {
    const newest = inodeOf(path)
    const found = snapshot(path, stopAt)
    if (inodeOf(path) === newest || tries === snapshotTries) return found
  }
}

/** Opens what there is, newest first, down to the file `stopAt`, which is left out. */
export async function openChain(path: string, stopAt?: number): Promise<{ files: ChainFile[]; met: boolean }> {
  const { inodes, met } = steadySnapshot(path, stopAt)
  const files: ChainFile[] = []
  for (const inode of inodes) {
    const handle = await openInode(path, inode)
    if (handle !== undefined) files.push({ handle, inode })
  }
  return { files, met }
}

/** Opens one file, wherever rotation has moved it since; undefined when it is gone. */
async function openInode(path: string, inode: number): Promise<fs.FileHandle | undefined> {
  for (let tries = 0; tries < openTries; tries++) {
    const name = [path, ...olderNames(path)].find((one) => inodeOf(one) === inode)
    if (name === undefined) continue
    const handle = await fs.open(name, 'r').catch(() => undefined)
    if ((await handle?.stat())?.ino === inode) return handle
    await handle?.close()
  }
  return undefined
}

export async function closeChain(files: readonly ChainFile[]): Promise<void> {
  await Promise.all(files.map(({ handle }) => handle.close().catch(() => {})))
}

/** The start of the first line at or after `from`, with that line's time; undefined where no line has one. */
async function lineAt(
  handle: fs.FileHandle,
  from: number,
  timeOf: (line: string) => string | undefined,
): Promise<{ start: number; time: string } | undefined> {
  const buffer = Buffer.allocUnsafe(probeBytes)
  let at = from
  let skip = from > 0
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, probeBytes, at)
    if (bytesRead === 0) return undefined
    let start = 0
    if (skip) {
      const end = buffer.subarray(0, bytesRead).indexOf(10)
      if (end === -1) {
        at += bytesRead
        continue
      }
      start = end + 1
      skip = false
    }
    for (;;) {
      const end = buffer.subarray(0, bytesRead).indexOf(10, start)
      if (end === -1) break
      const time = timeOf(buffer.toString('utf8', start, end))
      if (time !== undefined) return { start: at + start, time }
      start = end + 1
    }
    // Either a line longer than the buffer, which is passed over, or one that is cut at its end.
    if (start === 0) {
      at += bytesRead
      skip = true
    } else at += start
    if (bytesRead < probeBytes) return undefined
  }
}

/** A place in the file before which every line is earlier than `time`; found without reading the file. */
export async function offsetOf(
  handle: fs.FileHandle,
  time: string,
  timeOf: (line: string) => string | undefined,
): Promise<number> {
  let low = 0
  let high = (await handle.stat()).size
  while (high - low > probeBytes) {
    const middle = Math.floor((low + high) / 2)
    const found = await lineAt(handle, middle, timeOf)
    if (found !== undefined && found.time < time && found.start < high) low = found.start
    else high = middle
  }
  return low
}

/** The files that can have lines at or after `time`, oldest first; the others are closed again. */
export async function chainFrom(
  path: string,
  time: string,
  timeOf: (line: string) => string | undefined,
): Promise<ChainFile[]> {
  const { files } = await openChain(path)
  const needed: ChainFile[] = []
  let reached = false
  for (const file of files) {
    if (reached) {
      await file.handle.close()
      continue
    }
    needed.unshift(file)
    const first = await lineAt(file.handle, 0, timeOf)
    reached = first !== undefined && first.time < time
  }
  return needed
}

/** The file that is written now, alone. */
export async function newestOf(path: string): Promise<ChainFile[]> {
  const { files } = await openChain(path)
  await closeChain(files.slice(1))
  return files.slice(0, 1)
}

/** Behind the last whole line: what follows is a line that is not written to its end yet. */
export async function endOfLines(handle: fs.FileHandle): Promise<number> {
  const buffer = Buffer.allocUnsafe(probeBytes)
  for (let end = (await handle.stat()).size; end > 0; ) {
    const start = Math.max(0, end - probeBytes)
    const { bytesRead } = await handle.read(buffer, 0, end - start, start)
    const at = buffer.subarray(0, bytesRead).lastIndexOf(10)
    if (at !== -1) return start + at + 1
    end = start
  }
  return 0
}

/** Whether there are lines and none of the last has a time: then none can be found again by one. */
export async function lacksTimes(path: string, timeOf: (line: string) => string | undefined): Promise<boolean> {
  const { files } = await openChain(path)
  try {
    for (const { handle } of files) {
      const { size } = await handle.stat()
      if (size > 0) return (await lineAt(handle, Math.max(0, size - probeBytes), timeOf)) === undefined
    }
    return false
  } finally {
    await closeChain(files)
  }
}
