import { app } from 'electron'
import type { Log } from './log.ts'

/** The agent gets ten seconds to end its browser; nothing else takes long. Then the console ends regardless. */
const limitMs = 14_000

/**
 * Whatever asks the console to end (a person, a signal, the end of a session), `close` runs once and first.
 * Returns the way to end with a given exit code.
 */
export function onQuit(close: () => Promise<void>, log: Log): (code: number) => void {
  let ending = false
  const quit = (code: number) => {
    if (ending) return
    ending = true
    const limit = setTimeout(() => {
      log('error', 'closing took too long')
      app.exit(code || 1)
    }, limitMs)
    close()
      .catch((error: unknown) => log('error', 'closing failed', { error: String(error) }))
      .finally(() => {
        clearTimeout(limit)
        app.exit(code)
      })
  }
  app.on('before-quit', (event) => {
    event.preventDefault()
    quit(0)
  })
  process.on('SIGINT', () => quit(0))
  process.on('SIGTERM', () => quit(0))
  process.on('SIGHUP', () => quit(0))
  return quit
}
