import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import fs from 'node:fs/promises'
import os from 'node:os'
import { promisify } from 'node:util'

/** What the system has counted since it was started. */
export interface CpuTimes {
  busy: number
  total: number
}
export interface NetworkBytes {
  rx: number
  tx: number
}

/** Time of all cores, in whichever unit the system counts it: only shares are made of it. */
export async function cpuTimes(): Promise<CpuTimes> {
  if (process.platform === 'linux') {
    const read = parseProcStat(await fs.readFile('/proc/stat', 'utf8').catch(() => ''))
    if (read !== undefined) return read
  }
  const sum = { busy: 0, total: 0 }
  for (const { times } of os.cpus()) {
    const busy = times.user + times.nice + times.sys + times.irq
    sum.busy += busy
    sum.total += busy + times.idle
  }
  return sum
}

/**
 * The first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal. A core that waits for a disk is
 * free for others, as `top` has it; Node leaves that time out, and a machine that copies files then looks busy.
 */
export function parseProcStat(text: string): CpuTimes | undefined {
  const fields = /^cpu +(.*)/.exec(text)?.[1]?.trim().split(/\s+/).slice(0, 8).map(Number)
  if (fields === undefined || fields.length < 4 || fields.some(Number.isNaN)) return undefined
  const total = fields.reduce((sum, field) => sum + field, 0)
  return { busy: total - (fields[3] ?? 0) - (fields[4] ?? 0), total }
}

/** Bytes in and out since boot, over every interface that leads out of the machine. */
export async function networkBytes(): Promise<NetworkBytes> {
  try {
    if (process.platform === 'linux') return sumLinux(await fs.readFile('/proc/net/dev', 'utf8'), leadsOut)
    return sumMac((await promisify(execFile)('netstat', ['-ibn'], { timeout: 2000 })).stdout)
  } catch {
    return { rx: 0, tx: 0 }
  }
}

/**
 * What a container sends passes its own interface, Docker's bridge and the card: only the last of them is counted. A
 * card that is itself part of a bridge is one all the same.
 */
export function leadsOut(name: string): boolean {
  const at = (part: string) => existsSync(`/sys/class/net/${name}/${part}`)
  return !at('bridge') && (!at('brport') || at('device'))
}

export function sumLinux(text: string, counts: (name: string) => boolean = () => true): NetworkBytes {
  const sum = { rx: 0, tx: 0 }
  for (const line of text.split('\n')) {
    const match = /^\s*([^:\s]+):\s*(.*)$/.exec(line)
    if (match?.[1] === undefined || match[1] === 'lo' || !counts(match[1])) continue
    const fields = (match[2] ?? '').split(/\s+/).map(Number)
    sum.rx += fields[0] ?? 0
    sum.tx += fields[8] ?? 0
  }
  return sum
}

export function sumMac(text: string): NetworkBytes {
  const sum = { rx: 0, tx: 0 }
  for (const line of text.split('\n')) {
    const fields = line.trim().split(/\s+/)
    // One line per interface carries the link's own counters; the others repeat them per address.
    if (!fields[2]?.startsWith('<Link#') || fields[0]?.startsWith('lo')) continue
    const numbers = fields.slice(-7).map(Number)
    sum.rx += numbers[2] ?? 0
    sum.tx += numbers[5] ?? 0
  }
  return sum
}
