import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openSsh } from '../../electron/tunnels/ssh/ssh-tunnel.ts'
import { makeSshHome } from '../../electron/tunnels/test/ssh-home.ts'
import { startSshdIn } from '../../electron/tunnels/test/sshd-in.ts'
import { AgentClient } from '../../shared/client/client.ts'
import { followEvents } from '../../shared/client/events.ts'
import { followLogs } from '../../shared/client/logs.ts'
import { Problem } from '../../shared/errors.ts'
import { startTestAgent } from '../rigs/agent.ts'
import { freshFolder } from '../rigs/folder.ts'
import { startNetworkMachine } from '../rigs/namespaces.ts'
import { processTree } from '../rigs/processes.ts'
import { until } from '../rigs/until.ts'

export type CutKind = 'reset' | 'silence' | 'interface down'

export interface Cut {
  kind: CutKind
  /** From the cut until the stream's end was noticed, and from the moment the network was well until events flowed. */
  noticedMs: number
  backMs: number
}

export interface CutResult {
  cuts: Cut[]
  published: number
  received: number
  /** Numbers of events that came twice, or never. */
  doubled: number[]
  lost: number[]
  /** The same of the numbered lines of a log. */
  logLines: number
  logDoubled: number[]
  logLost: number[]
  calls: number
  failedCalls: number
  slowestCallMs: number
}

/** A call may take this long, whatever happens to the network. */
export const callLimitMs = 5000
const brokenForMs = 3000

/**
 * Cuts an SSH tunnel again and again, in three ways, while events flow and calls are made through it.
 * Needs root: the SSH server lives in a network of its own.
 */
export async function cutTunnel(times: number, onCut: (cut: Cut) => void = () => {}): Promise<CutResult> {
  // A log that this process writes: AdsPower's, since that is a file anywhere.
  const { folder: logs, remove: removeLogs } = freshFolder('cutlogs')
  const logFile = path.join(logs, 'adspower.log')
  fs.writeFileSync(logFile, '')
  process.env['PILOTHOUSE_ADSPOWER_LOGS'] = logFile
  const agent = await startTestAgent()
  const machine = await startNetworkMachine('100.64.9')
  const home = makeSshHome()
  try {
    const key = await home.makeKey('id', 'ed25519')
    const sshd = await startSshdIn(machine, {
      folder: home.folder,
      address: machine.address,
      authorizedKey: key.public,
    })
    // A watch that takes seconds instead of a quarter of a minute: the same code, less waiting.
    const alive = ['ServerAliveInterval 1', 'ServerAliveCountMax 2']
    home.writeConfig('Host box', `HostName ${sshd.address}`, `Port ${sshd.port}`, `IdentityFile ${key.file}`, ...alive)
    fs.writeFileSync(path.join(home.folder, '.ssh', 'known_hosts'), `${sshd.knownHost}\n`)
    const sessions = () => processTree(sshd.pid).map(({ pid }) => pid)
    const breakIt: Record<CutKind, () => Promise<() => Promise<void>>> = {
      reset: async () => {
        for (const pid of sessions().filter((one) => one !== sshd.pid)) signal(pid, 'SIGKILL')
        return async () => {}
      },
      silence: async () => {
        const stopped = sessions()
        for (const pid of stopped) signal(pid, 'SIGSTOP')
        return async () => {
          for (const pid of stopped) signal(pid, 'SIGCONT')
        }
      },
      'interface down': async () => {
        await machine.cut()
        return () => machine.mend()
      },
    }
    return await run(agent, home, times, breakIt, onCut, logFile)
  } finally {
    await machine.stop()
    home.remove()
    await agent.stop()
    delete process.env['PILOTHOUSE_ADSPOWER_LOGS']
    removeLogs()
  }
}

async function run(
  agent: Awaited<ReturnType<typeof startTestAgent>>,
  home: ReturnType<typeof makeSshHome>,
  times: number,
  breakIt: Record<CutKind, () => Promise<() => Promise<void>>>,
  onCut: (cut: Cut) => void,
  logFile: string,
): Promise<CutResult> {
  const socketPath = agent.config.socketPath ?? ''
  const tunnel = openSsh({ kind: 'ssh', host: 'box', remote: { socketPath } }, home.connections)
  const client = new AgentClient(tunnel.transport(), { secret: () => agent.secret })
  const seen: number[] = []
  let downs = 0
  let opens = 0
  const stopEvents = followEvents(client, {
    onEvent: ({ seq }) => void seen.push(seq),
    onOpen: () => void opens++,
    onDown: () => void downs++,
  })
  const lines: number[] = []
  let logOpens = 0
  const stopLogs = followLogs(client, 'adspower', {
    onLines: (more, dropped) => {
      if (dropped > 0) throw new Error(`${dropped} lines were dropped`)
      lines.push(...more.map(({ message }) => Number(message.split(' ').at(-1))))
    },
    onOpen: () => void logOpens++,
  })
  const busy = new AbortController()
  const result: CutResult = {
    cuts: [],
    published: 0,
    received: 0,
    doubled: [],
    lost: [],
    logLines: 0,
    logDoubled: [],
    logLost: [],
    calls: 0,
    failedCalls: 0,
    slowestCallMs: 0,
  }
  let working: Promise<unknown>[] = []
  try {
    await until('the first events', () => opens > 0 && logOpens > 0)
    await agent.client.call('browser.start', {}, { timeoutMs: 60_000 })
    working = [
      publish(agent.client, busy.signal),
      callOn(client, busy.signal, result),
      writeLog(logFile, busy.signal, result),
    ]
    await until('events through the tunnel', () => seen.length > 2)
    await until('lines through the tunnel', () => lines.length > 2)
    const kinds = Object.keys(breakIt) as CutKind[]
    for (let time = 0; time < times; time++) {
      const kind = kinds[time % kinds.length] ?? 'reset'
      const downsBefore = downs
      const began = performance.now()
      const mend = await breakIt[kind]()
      await until(`${kind} to be noticed`, () => downs > downsBefore, 30_000)
      const noticedMs = performance.now() - began
      if (kind !== 'reset') await sleep(Math.max(0, brokenForMs - noticedMs))
      await mend()
      const mended = performance.now()
      const last = { events: seen.length, lines: lines.length }
      await until(
        'events and lines to flow again',
        () => seen.length > last.events && lines.length > last.lines,
        40_000,
      )
      const cut = { kind, noticedMs, backMs: performance.now() - mended }
      result.cuts.push(cut)
      onCut(cut)
    }
    busy.abort()
    await Promise.all(working)
    const { seq } = await lastEvent(agent.client)
    await until('the last event', () => seen.at(-1) === seq, 30_000)
    await until('the last line', () => lines.at(-1) === result.logLines, 30_000)
  } finally {
    busy.abort()
    await Promise.allSettled(working)
    stopEvents()
    stopLogs()
    tunnel.close()
  }
  const [first = 0, final = 0] = [seen[0], seen.at(-1)]
  result.published = final - first + 1
  result.received = seen.length
  result.doubled = seen.filter((seq, place) => seen.indexOf(seq) !== place)
  const got = new Set(seen)
  for (let seq = first; seq <= final; seq++) if (!got.has(seq)) result.lost.push(seq)
  const read = new Set(lines)
  result.logDoubled = lines.filter((line, place) => place > 0 && line <= (lines[place - 1] ?? 0))
  for (let line = lines[0] ?? 1; line <= result.logLines; line++) if (!read.has(line)) result.logLost.push(line)
  return result
}

/** Takes and gives back control, past the tunnel: each is an event. */
async function publish(client: AgentClient, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { leaseId } = await client.call('takeover.take', { operator: 'Tester' })
    await client.call('takeover.handBack', { leaseId, outcome: 'completed', note: '' })
    await sleep(50)
  }
}

/** Numbered lines, several in the same moment, past the tunnel. */
async function writeLog(file: string, signal: AbortSignal, result: CutResult): Promise<void> {
  while (!signal.aborted) {
    const at = new Date().toISOString()
    const text = Array.from({ length: 5 }, () => `${at} host test[1]: line ${++result.logLines}\n`).join('')
    fs.appendFileSync(file, text)
    await sleep(20)
  }
}

async function callOn(client: AgentClient, signal: AbortSignal, result: CutResult): Promise<void> {
  while (!signal.aborted) {
    const began = performance.now()
    result.calls++
    await client.call('machine.status', {}, { timeoutMs: callLimitMs }).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error
      result.failedCalls++
    })
    result.slowestCallMs = Math.max(result.slowestCallMs, performance.now() - began)
    await sleep(100)
  }
}

async function lastEvent(client: AgentClient): Promise<{ seq: number }> {
  const socket = await client.open('events', {})
  return new Promise((resolve) => {
    socket.onMessage = (message) => {
      if (message.type !== 'hello') return
      socket.close()
      resolve({ seq: Number((message as { seq?: unknown }).seq) })
    }
  })
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // Ended by itself meanwhile.
  }
}
