import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { findProgram } from '../processes/find-program.ts'

/**
 * The System V shared memory that a program reads the display through. It outlives a program that is killed, dozens
 * of segments each time, and once the machine has no more of them no such program starts.
 */
export interface Segment {
  id: number
  /** 0 unless it was made for others to find. */
  key: number
  /** The process that made it, which may be gone, and its number somebody else's. */
  creator: number
  attached: number
  /** It goes with the last process that is attached. */
  marked: boolean
}

/** SHM_DEST, which stands among the permissions. */
const markedBit = 0o1000

/** Every segment of this machine; none where the kernel does not list them. */
export function readSegments(): Segment[] {
  try {
    return parseSegments(readFileSync('/proc/sysvipc/shm', 'latin1'))
  } catch {
    return []
  }
}

/** Reads the kernel's table, by the names at its top. */
export function parseSegments(table: string): Segment[] {
  const [names = [], ...rows] = table
    .trimEnd()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
  const [key, id, perms, creator, attached] = ['key', 'shmid', 'perms', 'cpid', 'nattch'].map((n) => names.indexOf(n))
  const at = (row: string[], place: number | undefined, base = 10) => Number.parseInt(row[place ?? -1] ?? '', base)
  return rows.map((row) => ({
    id: at(row, id),
    key: at(row, key),
    creator: at(row, creator),
    attached: at(row, attached),
    marked: (at(row, perms, 8) & markedBit) !== 0,
  }))
}

/** The segments of one program that is about to be started. */
export class SharedMemory {
  /** What was there before it: an earlier process may have had the same number, and left some on purpose. */
  readonly #before: ReadonlySet<number>

  constructor(before = readSegments()) {
    this.#before = new Set(before.map(({ id }) => id))
  }

  /** Those of the program that are still to be removed. */
  toRelease(pid: number, running: boolean, segments = readSegments()): number[] {
    const its = segments.filter(({ id, key, creator }) => creator === pid && key === 0 && !this.#before.has(id))
    // Made and not yet attached: removed now, it would be gone before its maker has it.
    return its.filter(({ marked, attached }) => !marked && (!running || attached > 0)).map(({ id }) => id)
  }

  /**
   * Removes them. The kernel keeps each for those who are attached, so this is done while the program runs: from then
   * on nothing of it can be left, whoever is killed, and be it the agent.
   */
  async release(program: { pid: number; running: boolean }): Promise<void> {
    const ids = this.toRelease(program.pid, program.running)
    const ipcrm = findProgram(['ipcrm'])
    if (ids.length === 0 || ipcrm === undefined) return
    const args = ids.flatMap((id) => ['-m', String(id)])
    // One that its maker removed meanwhile makes it fail, after it has removed the others.
    await promisify(execFile)(ipcrm, args).catch(() => {})
  }
}
