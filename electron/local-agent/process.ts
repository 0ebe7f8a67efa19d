import { execFileSync } from 'node:child_process'
import fs from 'node:fs'

/** Whether a process that is not our child still runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return !isZombie(pid)
}

/** It has ended, but its parent (often a slow process 1 in a container) has not collected it yet. */
function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')
  } catch {
    return true
  }
}

export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It went by itself between the check and the signal.
  }
}

/** Waits until the process is gone; false when it is still there after the limit. */
export async function gone(pid: number, limitMs: number): Promise<boolean> {
  const until = performance.now() + limitMs
  while (isAlive(pid)) {
    if (performance.now() > until) return false
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return true
}

/** With its pid this names a process for good, also over a restart of the computer; undefined when there is none. */
export function startTime(pid: number): string | undefined {
  if (!isAlive(pid)) return undefined
  try {
    if (process.platform === 'linux') {
      const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
      const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
      return `${fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${ticks}`
    }
    if (process.platform === 'win32') return 'running'
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}
