import os from 'node:os'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '../../shared/errors.ts'
import { findProgram } from '../processes/find-program.ts'
import { type CaredProcess, spawnCared } from '../processes/spawn-cared.ts'
import { isFolder } from '../storage/is-folder.ts'
import { commandEnvironment } from './environment.ts'
import { OutputLimit, type OutputName } from './output-limit.ts'
import { RateLimit } from './rate-limit.ts'
import { splitCommand } from './split-command.ts'

/** After a time-out a program may clean up for this long. */
const graceMs = 1000
/** A program that has ended may have left its output open in another's hands: it is not waited for longer. */
const lastOutputMs = 500
const lookMs = 25
/** What still writes is noticed by its output; only one that does without is looked for, this often. */
const strayLookMs = 500

export interface ExecServiceOptions {
  dataDir: string
  allow: () => readonly string[] | undefined
  /** See `commandEnvironment`. */
  passedOn: () => readonly string[]
}

export interface Prepared {
  program: string
  args: string[]
}

export interface Finished {
  exitCode: number | null
  /** What ended it, where that was a signal. */
  signal: string | null
  timedOut: boolean
  truncated: boolean
  elapsedMs: number
}

export interface RunOptions {
  timeoutMs: number
  /** Aborted: the command is ended. */
  signal: AbortSignal
  /** Given every piece of output; a promise makes the program wait. */
  onText: (name: OutputName, text: string) => void | Promise<void>
}

/** Runs commands without a shell. */
export class ExecService {
  readonly #options: ExecServiceOptions
  readonly #rate = new RateLimit(10, 60_000)
  readonly #stopping = new AbortController()
  readonly #running = new Set<Promise<Finished>>()
  #count = 0

  constructor(options: ExecServiceOptions) {
    this.#options = options
  }

  /** How many commands were run since the agent started. */
  get count(): number {
    return this.#count
  }

  /** Splits the command, finds its program and counts it against the limit; or says what is wrong with it. */
  prepare(command: string): Prepared {
    const [name = '', ...args] = splitCommand(command)
    if (name.includes('/') && !path.isAbsolute(name)) {
      throw new Problem('bad-request', `"${name}" is a relative path. Give the program's name or its full path.`)
    }
    const program = findProgram([name], commandEnvironment(this.#options.passedOn())['PATH'])
    const allow = this.#options.allow()
    if (allow !== undefined && !allow.includes(name) && !(program !== undefined && allow.includes(program))) {
      throw new Problem(
        'forbidden',
        `"${name}" is not on this machine's list of commands (${allow.join(', ') || 'which is empty'}). Add it to PILOTHOUSE_EXEC_ALLOW to allow it.`,
      )
    }
    if (program === undefined) {
      throw new Problem(
        'not-found',
        `There is no program "${name}" on this machine. Install it, or check the name: shell commands such as cd, pipes and && need a terminal.`,
      )
    }
    this.#rate.take('commands')
    return { program, args }
  }

  run(prepared: Prepared, options: RunOptions): Promise<Finished> {
    this.#count++
    const running = this.#run(prepared, options).finally(() => this.#running.delete(running))
    this.#running.add(running)
    return running
  }

  /** Ends every command that runs. */
  async close(): Promise<void> {
    this.#stopping.abort()
    await Promise.allSettled(this.#running)
  }

  async #run({ program, args }: Prepared, options: RunOptions): Promise<Finished> {
    const started = performance.now()
    const late = AbortSignal.timeout(options.timeoutMs)
    const stop = AbortSignal.any([late, options.signal, this.#stopping.signal])
    const home = os.homedir()
    const running = await spawnCared({
      name: `command ${path.basename(program)}`,
      program,
      args,
      env: commandEnvironment(this.#options.passedOn()),
      // A system's user may have none.
      cwd: isFolder(home) ? home : '/',
      dataDir: this.#options.dataDir,
      output: 'streams',
    }).catch((error: NodeJS.ErrnoException) => {
      throw new Problem('forbidden', `${program} cannot be started here: ${error.code ?? error.message}.`)
    })
    const limit = new OutputLimit()
    let held = 0
    const onText: RunOptions['onText'] = async (name, text) => {
      held++
      await options.onText(name, text)
      held--
    }
    const reading = Promise.all([
      read(running.output?.stdout, 'stdout', limit, onText),
      read(running.output?.stderr, 'stderr', limit, onText),
    ])
    // Whoever takes the output may fail; that ends the command, and is told below.
    reading.catch(() => void running.end(0))
    await Promise.race([running.exited, aborted(stop)])
    const interrupted = running.running
    if (interrupted) await running.end(graceMs)
    const exit = await running.exited
    const whole = await isRead(reading, () => held > 0 && !stop.aborted)
    const outlasted = !whole && !interrupted && (await outlast(running, reading, stop))
    if (!whole && held > 0) limit.truncated = true
    this.#leave(running)
    await reading.catch(() => {})
    return {
      exitCode: outlasted ? null : exit.code,
      signal: exit.signal,
      timedOut: (interrupted || outlasted) && late.aborted,
      truncated: limit.truncated,
      elapsedMs: Math.round(performance.now() - started),
    }
  }

  #leave(running: CaredProcess): void {
    running.endGroup()
    running.output?.stdout.destroy()
    running.output?.stderr.destroy()
  }
}

/**
 * Whether all output was read. What is left in the pipes of a program that has ended is fetched however slow its reader
 * is; only what is waited for in vain, since another holds the pipes, is given up.
 */
async function isRead(reading: Promise<unknown>, isHeld: () => boolean): Promise<boolean> {
  const done = reading.then(() => true)
  for (let inVain = 0; inVain < lastOutputMs; ) {
    const before = isHeld()
    if (await Promise.race([done, sleep(lookMs, false, { ref: false })])) return true
    if (!before && !isHeld()) inVain += lookMs
  }
  return false
}

/**
 * What left the command's group but keeps its output is no service that was meant to stay: it is the command, as
 * `setsid` alone starts it. Until it has ended or let go; true where it had to be ended.
 */
async function outlast(running: CaredProcess, reading: Promise<unknown>, stop: AbortSignal): Promise<boolean> {
  running.endJobs()
  const done = reading.then(() => true)
  const told = aborted(stop).then(() => false)
  for (;;) {
    if (await Promise.race([done, told, sleep(strayLookMs, false, { ref: false })])) return false
    if (running.strays().length === 0) return false
    if (!stop.aborted) continue
    await running.endStrays(graceMs)
    return true
  }
}

async function read(
  stream: Readable | undefined,
  name: OutputName,
  limit: OutputLimit,
  onText: RunOptions['onText'],
): Promise<void> {
  const pass = async (text: string) => {
    if (text !== '') await onText(name, text)
  }
  try {
    for await (const chunk of stream ?? []) await pass(limit.take(name, chunk as Buffer))
  } catch (error) {
    // Left behind on purpose, see `#leave`.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
  await pass(limit.end(name))
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
