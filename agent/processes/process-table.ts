import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** What the operating system says about processes. Linux answers from /proc, macOS through `ps`. */

/** Every process that a cared-for program starts inherits this, so that none gets away by leaving its group. */
export const markVariable = 'CARED_FOR_BY'

/**
 * When a process was started, in the system's own notation; undefined when there is no such process. With the
 * pid it names a process for good: a pid alone is used again.
 */
export function startTime(pid: number): string | undefined {
  if (process.platform === 'linux') return linuxStat(pid)?.startTime
  try {
    const text = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()
    return text === '' ? undefined : text
  } catch {
    return undefined
  }
}

/**
 * Every process of a cared-for program: those of its group, and those that left it but carry its mark.
 * Zombies are left out: in a container without an init nobody takes them away.
 */
export function family(leader: number, mark: string): number[] {
  if (process.platform !== 'linux') return signal(-leader, 0) ? [leader] : []
  return processes().filter((pid) => {
    const stat = linuxStat(pid)
    if (stat === undefined || stat.state === 'Z') return false
    return stat.group === leader || hasVariable(pid, `${markVariable}=${mark}`)
  })
}

/** Those of the family that can be told by the mark alone, when the leader's pid may have been used again. */
export function marked(mark: string): number[] {
  if (process.platform !== 'linux') return []
  return processes().filter((pid) => hasVariable(pid, `${markVariable}=${mark}`))
}

function processes(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

function hasVariable(pid: number, wanted: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(wanted)
  } catch {
    return false
  }
}

function linuxStat(pid: number): { state: string; group: number; startTime: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The program's name stands in brackets and may itself hold spaces and brackets.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0] ?? '', group: Number(fields[2]), startTime: fields[19] ?? '' }
  } catch {
    return undefined
  }
}

/** Sends a signal; false when nobody was there to get it. A negative pid means the whole group. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name)
    return true
  } catch {
    return false
  }
}
