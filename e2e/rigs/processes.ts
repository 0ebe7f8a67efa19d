import { readdirSync, readFileSync } from 'node:fs'

/** What Linux says of processes, read from /proc. */
export interface ProcessEntry {
  pid: number
  parent: number
  group: number
  name: string
  command: string
}

/** Every process there is. Zombies are left out: they hold nothing, and a container may have nobody to collect them. */
export function allProcesses(): ProcessEntry[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readEntry(Number(name)) ?? [])
}

/** A process and all that descends from it, the process itself first. */
export function processTree(root: number): ProcessEntry[] {
  const all = allProcesses()
  const found = all.filter((entry) => entry.pid === root)
  for (const entry of found) found.push(...all.filter((other) => other.parent === entry.pid))
  return found
}

/** Every process that has this text in its environment or its arguments, wherever in the tree it went. */
export function markedProcesses(marker: string): ProcessEntry[] {
  return allProcesses().filter(({ pid, command }) => {
    if (pid === process.pid) return false
    return command.includes(marker) || read(`/proc/${pid}/environ`).includes(marker)
  })
}

export function isRunning(pid: number): boolean {
  return readEntry(pid) !== undefined
}

/** Resident memory, in bytes; zero for a process that has ended. */
export function residentBytes(pid: number): number {
  return kilobytes(read(`/proc/${pid}/status`), 'VmRSS') * 1024
}

/** Memory of a process without the pages of files, which go when others need the room, in bytes. */
export function ownBytes(pid: number): number {
  return kilobytes(read(`/proc/${pid}/status`), 'RssAnon') * 1024
}

/** Memory with shared pages divided among their users, in bytes: what a tree of processes really takes. */
export function proportionalBytes(pid: number): number {
  return kilobytes(read(`/proc/${pid}/smaps_rollup`), 'Pss') * 1024
}

/** One line per process, for the message of a failed test. */
export function describeProcesses(entries: readonly ProcessEntry[]): string {
  return entries.map(({ pid, parent, command }) => `${pid} (of ${parent}) ${command.slice(0, 160)}`).join('\n')
}

function readEntry(pid: number): ProcessEntry | undefined {
  const stat = read(`/proc/${pid}/stat`)
  // The name stands in brackets and may itself hold spaces and brackets.
  const end = stat.lastIndexOf(')')
  if (end === -1) return undefined
  const [state, parent, group] = stat.slice(end + 2).split(' ')
  if (state === 'Z' || state === 'X') return undefined
  const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()
  return { pid, parent: Number(parent), group: Number(group), name: stat.slice(stat.indexOf('(') + 1, end), command }
}

function kilobytes(text: string, key: string): number {
  return Number(new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0)
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    // Processes come and go while one looks.
    return ''
  }
}
