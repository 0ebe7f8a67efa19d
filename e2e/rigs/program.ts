import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { onProcessEnd } from './process-end.ts'
import { allProcesses, isRunning, processTree } from './processes.ts'
import { Hopeless, until } from './until.ts'

export interface ProgramOptions {
  env?: NodeJS.ProcessEnv
  cwd?: string
  /** Given on standard input, which then closes. Without it there is no standard input. */
  input?: string
  /** Opens file descriptor 3 for what the program writes there. */
  report?: boolean
}

export interface Program {
  readonly pid: number
  /** Undefined while it runs. */
  readonly exitCode: number | undefined
  readonly report: Readable | null
  /** What it wrote to standard output and error, so far. */
  output(): string
  /** Like `until`, but stops waiting when the program has ended. */
  ready<Answer>(
    what: string,
    ask: () => Answer | Promise<Answer>,
    limitMs?: number,
  ): Promise<Exclude<Answer, undefined | false>>
  /** Ends it and everything it started. */
  end(): Promise<void>
}

const setpriv = '/usr/bin/setpriv'
const graceMs = 5000
const runLimitMs = 60_000
const maxOutputChars = 200_000

/** The start of a command line that makes Linux end the program when this process goes, even by `kill -9`. */
export const deathGuard: readonly string[] = existsSync(setpriv) ? [setpriv, '--pdeathsig', 'KILL'] : []

/** Starts a program that does not outlive this process. */
export async function startProgram(
  program: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<Program> {
  const [command = program, ...rest] = [...deathGuard, program, ...args]
  const child = spawn(command, rest, {
    env: options.env ?? process.env,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    stdio: [
      options.input === undefined ? 'ignore' : 'pipe',
      'pipe',
      'pipe',
      options.report === true ? 'pipe' : 'ignore',
    ],
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-maxOutputChars)
    })
  }
  let exitCode: number | undefined
  const exited = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      exitCode = code ?? (signal === null ? 1 : 128)
      resolve()
    })
  })
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('spawn', resolve)
  })
  child.on('error', () => {})
  child.stdin?.on('error', () => {})
  child.stdin?.end(options.input)
  const pid = child.pid ?? 0
  const forget = onProcessEnd(() => killAll(family(pid)))
  return {
    pid,
    get exitCode() {
      return exitCode
    },
    report: (child.stdio[3] as Readable | null) ?? null,
    output: () => output,
    ready(what, ask, limitMs) {
      return until(
        what,
        async () => {
          if (exitCode === undefined) return ask()
          throw new Hopeless(`${program} ended with ${exitCode}:\n${output}`)
        },
        limitMs,
      )
    },
    async end() {
      const all = family(pid)
      // Only the program itself: it knows in which order its children should go.
      send(pid, 'SIGTERM')
      send(pid, 'SIGCONT')
      const left = () => [...new Set([...all, ...family(pid)])].filter(isRunning)
      await until('its end', () => !isRunning(pid), graceMs).catch(() => {})
      killAll(left())
      await until(`${program} to be gone`, () => left().length === 0)
      await exited
      forget()
    },
  }
}

/** Runs a program to its end and gives its standard output; throws with all it said when that was not a good end. */
export function runProgram(program: string, args: readonly string[], options: ProgramOptions = {}): Promise<string> {
  const [command = program, ...rest] = [...deathGuard, program, ...args]
  const { env = process.env, cwd } = options
  return new Promise((resolve, reject) => {
    const child = execFile(
      command,
      rest,
      { env, ...(cwd === undefined ? {} : { cwd }), maxBuffer: maxOutputChars, timeout: runLimitMs },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout)
        else reject(new Error(`${program} ${args.join(' ')} failed: ${error.message}\n${stdout}${stderr}`))
      },
    )
    child.stdin?.on('error', () => {})
    child.stdin?.end(options.input)
  })
}

/** Its group, and those of its descendants that left the group. */
function family(pid: number): number[] {
  const tree = processTree(pid).map((entry) => entry.pid)
  const group = allProcesses()
    .filter((entry) => entry.group === pid)
    .map((entry) => entry.pid)
  return [...new Set([...tree, ...group])]
}

function killAll(pids: readonly number[]): void {
  for (const pid of pids) send(pid, 'SIGKILL')
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // Gone already.
  }
}
