import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findProgram } from './find-program.ts'
import { OutputTail } from './output-tail.ts'
import { family, marked, markVariable, signal } from './process-table.ts'
import { record } from './record.ts'
import { withheldFds } from './withheld-fds.ts'

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface CaredOptions {
  /** What people call it: stands in the status and in error messages. */
  name: string
  program: string
  args: readonly string[]
  env: NodeJS.ProcessEnv
  cwd?: string
  /** Where the record of running programs is kept. */
  dataDir: string
  /** Opens file descriptor 3 for reading what the program writes there. */
  reportPipe?: boolean
  /** `streams`: whoever starts it reads its output; otherwise only the last lines are kept. */
  output?: 'tail' | 'streams'
}

export interface CaredProcess {
  readonly name: string
  readonly pid: number
  readonly running: boolean
  /** Settles when the program itself has exited, for whatever reason. Never rejects. */
  readonly exited: Promise<Exit>
  /** What the program writes to file descriptor 3, when that was asked for. */
  readonly report: Readable | null
  /** Its output, for the caller to read, when that was asked for. */
  readonly output: { stdout: Readable; stderr: Readable } | null
  /** The last lines of its output. */
  lastLines(): string
  /** It has ended: what is left of its group goes too, and what left the group (a service it started) stays. */
  endGroup(): void
  /** It has ended: what is left of its group goes, and what left the group is still looked after. */
  endJobs(): void
  /** What it started that left its group and still runs. */
  strays(): number[]
  /** Ends those as `end` does, and no other: its group's number may be another's by now. */
  endStrays(graceMs: number): Promise<void>
  /** Ends it and everything it started: asks, waits `graceMs`, then kills. Safe to call twice. */
  end(graceMs?: number): Promise<void>
}

/** How often a group that was told to end is looked at. */
const pollMs = 15
/** A killed process is gone within a poll or two; one that hangs in the kernel must not hang the agent as well. */
const killTries = 200

/** Starts a program that is sure to be ended with the agent: whichever way the agent itself ends. */
export async function spawnCared(options: CaredOptions): Promise<CaredProcess> {
  const mark = randomUUID()
  const guard = await deathGuard()
  const [program = options.program, ...args] = [...guard, options.program, ...options.args]
  const child = spawn(program, args, {
    env: { ...options.env, [markVariable]: mark },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    stdio: withheldFds(['ignore', 'pipe', 'pipe', ...(options.reportPipe === true ? (['pipe'] as const) : [])]),
    // A group of its own: signals reach all that it starts, and the terminal's Ctrl-C reaches none of it.
    detached: true,
  })
  const tail = new OutputTail()
  const output =
    options.output === 'streams' && child.stdout !== null && child.stderr !== null
      ? { stdout: child.stdout, stderr: child.stderr }
      : null
  if (output === null) {
    child.stdout?.on('data', (chunk: Buffer) => tail.add(chunk))
    child.stderr?.on('data', (chunk: Buffer) => tail.add(chunk))
  }
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signalName) => resolve({ code, signal: signalName }))
  })
  const pid = await started(child)
  // Node's pipes go both ways. What reads from its own output, as an editor without a terminal does, would wait for ever.
  for (const stream of [child.stdout, child.stderr]) (stream as Socket | null)?.end()
  const strikeOut = record(options.dataDir, { name: options.name, pid, mark })
  let ending: Promise<void> | undefined
  let jobsEnded = false
  return {
    name: options.name,
    pid,
    exited,
    report: (child.stdio[3] as Readable | undefined) ?? null,
    get running() {
      return child.exitCode === null && child.signalCode === null
    },
    output,
    lastLines: () => tail.lines(),
    endGroup() {
      if (!jobsEnded) signal(-pid, 'SIGKILL')
      strikeOut()
    },
    endJobs() {
      jobsEnded = true
      signal(-pid, 'SIGKILL')
    },
    strays: () => marked(mark),
    endStrays: (graceMs) => endMarked(mark, graceMs),
    end(graceMs = 3000) {
      ending ??= endAll(pid, mark, graceMs, exited).finally(strikeOut)
      return ending
    },
  }
}

/** How a program ended, in words. */
export function exitText(exit: Exit): string {
  return exit.signal === null ? `exit code ${exit.code}` : exit.signal
}

/** Settles with a sentence when a program has ended that should not have, and below it with what it said last. */
export async function exitReason(program: CaredProcess): Promise<string> {
  const exit = await program.exited
  return `${program.name} ended by itself (${exitText(exit)}).\n${program.lastLines()}`.trim()
}

function started(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('spawn', () => {
      // After this an 'error' is about a signal that could not be sent, which `end` looks after itself.
      child.on('error', () => {})
      resolve(child.pid ?? 0)
    })
  })
}

async function endAll(pid: number, mark: string, graceMs: number, exited: Promise<Exit>): Promise<void> {
  signal(-pid, 'SIGTERM')
  // A stopped program would sleep through the request.
  signal(-pid, 'SIGCONT')
  const asked = Date.now()
  while (family(pid, mark).length > 0 && Date.now() - asked < graceMs) await sleep(pollMs)
  for (let tries = 0; tries < killTries; tries++) {
    const left = family(pid, mark)
    if (left.length === 0) break
    signal(-pid, 'SIGKILL')
    for (const stray of left) signal(stray, 'SIGKILL')
    await sleep(pollMs)
  }
  // One that the kernel does not let go of is left to the record and the next start.
  await Promise.race([exited, sleep(1000)])
}

async function endMarked(mark: string, graceMs: number): Promise<void> {
  for (const pid of marked(mark)) {
    signal(pid, 'SIGTERM')
    signal(pid, 'SIGCONT')
  }
  const asked = Date.now()
  while (marked(mark).length > 0 && Date.now() - asked < graceMs) await sleep(pollMs)
  for (let tries = 0; tries < killTries; tries++) {
    const left = marked(mark)
    if (left.length === 0) return
    for (const pid of left) signal(pid, 'SIGKILL')
    await sleep(pollMs)
  }
}

let guardArgs: Promise<string[]> | undefined

/**
 * The command that makes Linux kill the program when the agent dies, so that `kill -9` of the agent leaves
 * nothing behind. Empty where util-linux's setpriv is missing: there the record alone has to do.
 */
export function deathGuard(): Promise<string[]> {
  guardArgs ??= (async () => {
    const setpriv = process.platform === 'linux' ? findProgram(['setpriv']) : undefined
    if (setpriv === undefined) return []
    const args = ['--pdeathsig', 'KILL']
    try {
      await promisify(execFile)(setpriv, [...args, setpriv, '--version'])
      return [setpriv, ...args]
    } catch {
      return []
    }
  })()
  return guardArgs
}
