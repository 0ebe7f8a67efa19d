import { spawn } from 'node:child_process'
import module from 'node:module'
import { type Agent, startAgent } from './agent.ts'
import type { Config } from './config.ts'
import { log } from './log.ts'
import { othersCanRead } from './server/secrets.ts'

/** After this a stop is no longer graceful: whoever waits for the process must not wait for ever. */
const stopLimitMs = 15_000
/** A console that was killed and is started again finds the agent of the one before ending. */
const folderLimitMs = stopLimitMs + 1000
/** One that was killed a moment ago may not be gone yet; who starts a second by hand need not wait long. */
const folderMomentMs = 2000
/** When a start has calmed down. */
const flushCacheMs = 3000

export interface ServeOptions {
  /** Reads the configuration again, when someone asks for that. */
  readConfig: () => Config
  /** End with whoever holds the other end of standard input. */
  lifeline: boolean
  /** Print one JSON line when ready, or when it failed. */
  announce: boolean
}

/**
 * Starts the agent again, outside the caller's process tree, and ends. Its standard streams stay the
 * caller's, so that the lifeline and the ready line still connect the two.
 */
export function detach(): void {
  const args = [...process.execArgv, process.argv[1] ?? '', 'serve', '--lifeline']
  const child = spawn(process.execPath, args, { detached: true, stdio: 'inherit', env: process.env })
  child.once('error', (error) => fail(`The agent could not be started: ${error.message}`, true))
  child.once('spawn', () => process.exit(0))
}

export async function serve(config: Config, secret: string, options: ServeOptions): Promise<void> {
  // Whoever reads our output may be gone before we are; that must not end a graceful stop.
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
  if (config.secretFile !== undefined && othersCanRead(config.secretFile))
    log('warn', 'every user of this machine can read the secret: make its file 0600', { file: config.secretFile })
  let agent: Agent
  try {
    agent = await startAgent(config, secret, log, {
      readConfig: options.readConfig,
      waitForFolderMs: options.lifeline ? folderLimitMs : folderMomentMs,
    })
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error), options.announce)
  }
  const { socketPath, port, agentId } = agent
  log('info', 'agent is ready', { socketPath, port, pid: process.pid })
  // Otherwise Node keeps what it compiled only at a graceful end.
  setTimeout(() => module.flushCompileCache?.(), flushCacheMs).unref()
  if (options.announce) announce({ ready: true, pid: process.pid, socketPath, port, agentId })

  let stopping = false
  const stop = (reason: string) => {
    if (stopping) return
    stopping = true
    log('info', 'stopping', { reason })
    setTimeout(() => {
      log('error', 'did not stop in time')
      process.exit(1)
    }, stopLimitMs).unref()
    agent.stop(reason).then(
      () => process.exit(0),
      (error: unknown) => {
        log('error', 'the stop failed', { error: String(error) })
        process.exit(1)
      },
    )
  }
  process.once('SIGTERM', () => stop('SIGTERM'))
  process.once('SIGINT', () => stop('SIGINT'))
  process.on('SIGHUP', () => {})
  if (options.lifeline) followLifeline(() => stop('the console is gone'))
}

function followLifeline(onEnd: () => void): void {
  process.stdin.resume()
  for (const event of ['end', 'close', 'error'] as const) process.stdin.once(event, onEnd)
}

function announce(line: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

function fail(message: string, toParent: boolean): never {
  if (toParent) announce({ ready: false, problem: message })
  process.stderr.write(`pilothouse-agent: ${message}\n`)
  process.exit(1)
}
