import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { signal } from '../processes/process-table.ts'

/** The processes of a terminal: its shell leads a session, and whatever the shell starts is in it. */

const pollMs = 15
const killTries = 100

/** Ends every process of the session: a hang-up as when a line is cut, and after `graceMs` the hard way. */
export async function endSession(leader: number, graceMs: number): Promise<void> {
  hangUp(leader)
  for (let waited = 0; members(leader).length > 0 && waited < graceMs; waited += pollMs) await sleep(pollMs)
  for (let tries = 0; members(leader).length > 0 && tries < killTries; tries++) {
    for (const pid of members(leader)) signal(pid, 'SIGKILL')
    await sleep(pollMs)
  }
}

/** Tells every process of the session that the line is cut; one that was told to ignore it (nohup) goes on. */
export function hangUp(leader: number): void {
  for (const pid of members(leader)) {
    signal(pid, 'SIGHUP')
    // A stopped job would sleep through it.
    signal(pid, 'SIGCONT')
  }
}

/** The group that gets what is typed: what a person means by "the program in this terminal". */
export function foregroundGroup(leader: number): number | undefined {
  const group = process.platform === 'linux' ? linuxStat(leader)?.foreground : psForeground(leader)
  return group !== undefined && group > 1 ? group : undefined
}

/** Every process of the session that is not a zombie. */
export function members(leader: number): number[] {
  if (process.platform !== 'linux') return signal(-leader, 0) ? [leader, -leader] : []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const stat = linuxStat(pid)
      return stat !== undefined && stat.session === leader && stat.state !== 'Z'
    })
}

function linuxStat(pid: number): { state: string; session: number; foreground: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The program's name stands in brackets and may itself hold spaces and brackets.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0] ?? '', session: Number(fields[3]), foreground: Number(fields[5]) }
  } catch {
    return undefined
  }
}

function psForeground(pid: number): number | undefined {
  try {
    return Number(execFileSync('ps', ['-o', 'tpgid=', '-p', String(pid)], { encoding: 'utf8' }).trim())
  } catch {
    return undefined
  }
}
