// @ts-check
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { SetupFailure } from './failure.mjs'

/** Children that must not outlive this script. @type {Set<import('node:child_process').ChildProcess>} */
const owned = new Set()

let interrupted = false

/** @type {(signal: NodeJS.Signals) => void} */
let onSignal = async (signal) => {
  const insisting = interrupted
  interrupted = true
  // npm undoes a half-done install when it is asked to end; until then the lock must stay ours.
  for (const child of owned) signalGroup(child, insisting ? 'SIGKILL' : signal)
  if (insisting) return
  for (let tries = 0; tries < 200 && owned.size > 0; tries += 1) await sleep(50)
  for (const child of owned) signalGroup(child, 'SIGKILL')
  for (let tries = 0; tries < 40 && owned.size > 0; tries += 1) await sleep(50)
  process.exit(signal === 'SIGINT' ? 130 : 143)
}

/** Takes over what a signal to this script does; by default it ends the script and its children. @param {typeof onSignal} handler */
export function handleSignals(handler) {
  onSignal = handler
}

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => onSignal(signal))
process.on('exit', () => {
  for (const child of owned) signalGroup(child, 'SIGTERM')
})

/**
 * Starts a program in a process group of its own: Ctrl-C then reaches it once, through us, and its
 * own children end with it.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 */
export function start(command, args, options) {
  const child = spawn(command, args, { detached: true, ...options })
  owned.add(child)
  return child
}

/** Waits for a child, then sweeps what is left of its group. @param {import('node:child_process').ChildProcess} child */
export function ended(child) {
  return /** @type {Promise<{ code: number | null, signal: NodeJS.Signals | null }>} */ (
    new Promise((resolve, reject) => {
      child.once('error', (error) => {
        owned.delete(child)
        reject(error)
      })
      // What it left running may hold its output open, and 'close' would wait for that.
      child.once('exit', () => signalGroup(child, 'SIGTERM'))
      child.once('close', async (code, signal) => {
        for (let tries = 0; tries < 40 && signalGroup(child, 0); tries += 1) await sleep(50)
        signalGroup(child, 'SIGKILL')
        owned.delete(child)
        // The script is ending; what waits for this child must not go on to its next step.
        if (!interrupted) resolve({ code, signal })
      })
    })
  )
}

/**
 * Signals a child and all it started; 0 only asks whether any of them is left.
 * @param {import('node:child_process').ChildProcess} child
 * @param {NodeJS.Signals | 0} signal
 */
export function signalGroup(child, signal) {
  if (!child.pid) return false
  try {
    return process.kill(-child.pid, signal)
  } catch {
    // Already gone, or it shares our group (sudo at a terminal): then it got the signal itself.
    return false
  }
}

/**
 * Runs a program quietly to its end and keeps the beginning and the end of what it said, for when it fails.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, onLine?: (line: string) => boolean | void, timeoutMs?: number }} [options]
 *   onLine returns false for lines not worth keeping
 * @returns {Promise<{ code: number, output: string }>}
 */
export async function run(command, args, { cwd, env, onLine, timeoutMs } = {}) {
  const child = start(command, args, { cwd, env: env ?? process.env, stdio: ['ignore', 'pipe', 'pipe'] })
  /** @type {string[]} */
  const kept = []
  const take = (/** @type {string} */ line) => {
    if (onLine?.(line) === false) return
    kept.push(line)
    // The cause often stands first and the summary last; what goes is the middle.
    if (kept.length > 200) kept.splice(100, 1)
  }
  const flush = [child.stdout, child.stderr].map((stream) => {
    let rest = ''
    stream?.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      const lines = (rest + text).split(/\r?\n/)
      rest = lines.pop() ?? ''
      lines.forEach(take)
    })
    return () => rest && take(rest)
  })
  const limit = timeoutMs ? setTimeout(() => signalGroup(child, 'SIGKILL'), timeoutMs) : undefined
  try {
    const { code, signal } = await ended(child)
    for (const last of flush) last()
    if (signal) kept.push(`${command} was ended by ${signal}`)
    return { code: code ?? 1, output: kept.join('\n') }
  } catch (error) {
    throw new SetupFailure(`${command} cannot be started: ${error instanceof Error ? error.message : error}`)
  } finally {
    clearTimeout(limit)
  }
}

/**
 * Runs a program that talks to the person directly; gives its exit code.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 */
export async function runAttached(command, args, options = {}) {
  const { code } = await ended(start(command, args, { stdio: 'inherit', ...options }))
  return code ?? 1
}
