import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SleepWatchTimes } from '../../electron/tunnels/sleep-watch.ts'
import { makeSshHome } from '../../electron/tunnels/test/ssh-home.ts'
import { startTestAgent } from '../rigs/agent.ts'
import { freshFolder } from '../rigs/folder.ts'
import { processTree } from '../rigs/processes.ts'
import { startProgram } from '../rigs/program.ts'
import { startSshd } from '../rigs/sshd.ts'
import type { SleeperOptions, SleeperSays } from './sleeper.ts'

export interface SleepResult {
  /** How often it noticed by itself that it had slept. */
  woke: number
  /** From waking until news flowed again over the tunnel whose far end had died silently meanwhile. */
  backMs: number
  events: number
  lines: number
  lost: number[]
  doubled: number[]
}

/**
 * Freezes a process with open tunnels, as a sleeping laptop is, lets the far end of its SSH connection die without a
 * word meanwhile, and wakes it. Nothing that happened while it slept may be missing or come twice.
 */
export async function sleepAndWake(sleepMs: number, sleepWatch?: SleepWatchTimes): Promise<SleepResult> {
  const { folder, remove } = freshFolder('sleep')
  const logFile = path.join(folder, 'adspower.log')
  fs.writeFileSync(logFile, '')
  process.env['PILOTHOUSE_ADSPOWER_LOGS'] = logFile
  const [agent, sshd] = await Promise.all([startTestAgent(), startSshd()])
  const home = makeSshHome()
  home.writeConfig('Host box', 'HostName 127.0.0.1', `Port ${sshd.port}`, `IdentityFile ${sshd.keyFile}`)
  fs.writeFileSync(path.join(home.folder, '.ssh', 'known_hosts'), `[127.0.0.1]:${sshd.port} ${sshd.hostKey}\n`)
  const options: SleeperOptions = {
    ...{ environment: home.environment, socketPath: agent.config.socketPath ?? '', port: agent.port },
    ...{ secret: agent.secret, ...(sleepWatch && { sleepWatch }) },
  }
  const script = path.join(import.meta.dirname, 'sleeper.ts')
  const report = path.join(folder, 'says')
  const sleeper = await startProgram(
    'sh',
    ['-c', 'exec "$0" "$@" > "$REPORT"', process.execPath, script, JSON.stringify(options)],
    {
      env: { ...process.env, REPORT: report },
    },
  )
  const says = (): SleeperSays[] =>
    fs
      .readFileSync(report, 'utf8')
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as SleeperSays)
  const seen = (via: 'ssh' | 'direct') =>
    says().flatMap((one) => (one.kind === 'event' && one.via === via ? [one.seq] : []))
  const read = () => says().flatMap((one) => (one.kind === 'line' ? [one.number] : []))
  let written = 0
  /** One event and some lines, past the tunnels. */
  const happen = async () => {
    const { leaseId } = await agent.client.call('takeover.take', { operator: 'Tester' })
    await agent.client.call('takeover.handBack', { leaseId })
    const at = new Date().toISOString()
    fs.appendFileSync(logFile, Array.from({ length: 5 }, () => `${at} host test[1]: line ${++written}\n`).join(''))
  }
  try {
    await agent.client.call('browser.start', { headless: true }, { timeoutMs: 60_000 })
    await sleeper.ready('news over both ways', async () => {
      await happen()
      return seen('ssh').length > 0 && seen('direct').length > 0 && read().length > 0
    })
    // Those that serve the connection, not the one that takes new ones.
    const sessions = processTree(sshd.pid).filter(({ pid }) => pid !== sshd.pid)
    process.kill(sleeper.pid, 'SIGSTOP')
    for (const { pid } of sessions) process.kill(pid, 'SIGSTOP')
    const awakeAt = performance.now() + sleepMs
    while (performance.now() < awakeAt) {
      await happen()
      await sleep(Math.min(1000, sleepMs / 5))
    }
    const before = seen('ssh').length
    process.kill(sleeper.pid, 'SIGCONT')
    const woken = performance.now()
    await sleeper.ready('news over the tunnel', () => seen('ssh').length > before && read().length > 5, 60_000)
    const backMs = performance.now() - woken
    await happen()
    const last = Math.max(...seen('ssh'), ...seen('direct'))
    await sleeper.ready(
      'all of it',
      () => read().at(-1) === written && Math.min(seen('ssh').at(-1) ?? 0, seen('direct').at(-1) ?? 0) >= last,
      60_000,
    )
    const lines = read()
    const gaps = (numbers: number[], to: number) => {
      const there = new Set(numbers)
      return Array.from({ length: to - (numbers[0] ?? to) + 1 }, (_, place) => (numbers[0] ?? to) + place).filter(
        (one) => !there.has(one),
      )
    }
    const again = (numbers: number[]) => numbers.filter((one, place) => place > 0 && one <= (numbers[place - 1] ?? 0))
    return {
      woke: says().filter(({ kind }) => kind === 'woke').length,
      backMs,
      events: seen('ssh').length + seen('direct').length,
      lines: lines.length,
      lost: [...gaps(seen('ssh'), last), ...gaps(seen('direct'), last), ...gaps(lines, written)],
      doubled: [...again(seen('ssh')), ...again(seen('direct')), ...again(lines)],
    }
  } finally {
    for (const { pid } of processTree(sshd.pid)) {
      try {
        process.kill(pid, 'SIGCONT')
      } catch {
        // Ended by itself meanwhile.
      }
    }
    await sleeper.end()
    await sshd.stop()
    await agent.stop()
    delete process.env['PILOTHOUSE_ADSPOWER_LOGS']
    home.remove()
    remove()
  }
}
