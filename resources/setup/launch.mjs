// @ts-check
import { createInterface } from 'node:readline'
import { ended, handleSignals, signalGroup, start } from './run.mjs'

/** A program that ignores the first request gets this long before it is ended the hard way. */
const graceMs = 10_000

/** Without a session bus Chromium complains of it a dozen times per start; the console says it once, in words. */
const busComplaint = /^\[[\d:/.]+:ERROR:dbus\//

/**
 * Runs a program in the foreground, passes signals on to it, and gives its exit code.
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, limitMs?: number | undefined }} options
 * @returns {Promise<{ code: number, timedOut: boolean }>}
 */
export async function launch(program, args, { cwd, env, limitMs }) {
  // Only the main process at first: it ends its own children in order. The sweep of its group comes after.
  const withoutBus = !env.DBUS_SESSION_BUS_ADDRESS
  const child = start(program, args, { cwd, env, stdio: ['ignore', 'inherit', withoutBus ? 'pipe' : 'inherit'] })
  if (child.stderr) {
    createInterface({ input: child.stderr }).on('line', (line) => busComplaint.test(line) || console.error(line))
  }
  let stopping = false
  let timedOut = false
  /** @type {NodeJS.Timeout | undefined} */
  let grace
  const stop = (/** @type {NodeJS.Signals} */ signal) => {
    if (stopping) return void signalGroup(child, 'SIGKILL')
    stopping = true
    child.kill(signal)
    grace = setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs)
  }
  handleSignals(stop)
  const limit = limitMs
    ? setTimeout(() => {
        timedOut = true
        stop('SIGTERM')
      }, limitMs)
    : undefined
  const { code, signal } = await ended(child)
  clearTimeout(limit)
  clearTimeout(grace)
  // 130 and 143 are what a shell says of a program that ended by these signals.
  const bySignal = signal === 'SIGINT' ? 130 : signal === 'SIGTERM' ? 143 : 1
  return { code: code ?? bySignal, timedOut }
}
