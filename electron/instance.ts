import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { startTime } from './local-agent/process.ts'

/** How often the first instance looks whether a second one asked for its window. A look costs one stat. */
const lookEveryMs = 500

/**
 * One console per user-data folder, without a socket: Electron's own lock would listen on one, and the
 * console listens on nothing. The lock is a file that names its process; a second console leaves a mark
 * beside it, which brings the first to the front, and ends. None of its arguments goes along.
 */
export function claimInstance(folder: string, onSecond: () => void): { release: () => void } | undefined {
  mkdirSync(folder, { recursive: true })
  const lock = path.join(folder, 'instance.lock')
  const mark = path.join(folder, 'instance.focus')
  const mine = JSON.stringify({ pid: process.pid, startTime: startTime(process.pid) })
  for (let tries = 0; tries < 3; tries++) {
    try {
      writeFileSync(lock, mine, { flag: 'wx', mode: 0o600 })
      // A mark from before is nobody's who waits; one that comes from here on is seen, however soon it comes, which a
      // watch that first has to learn what is there would miss.
      rmSync(mark, { force: true })
      const looking = setInterval(() => {
        if (!existsSync(mark)) return
        rmSync(mark, { force: true })
        onSecond()
      }, lookEveryMs)
      looking.unref()
      return {
        release() {
          clearInterval(looking)
          rmSync(mark, { force: true })
          rmSync(lock, { force: true })
        },
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      if (isHeld(lock)) {
        writeFileSync(mark, String(Date.now()), { mode: 0o600 })
        return undefined
      }
      // A console that was killed left it.
      rmSync(lock, { force: true })
    }
  }
  return undefined
}

function isHeld(lock: string): boolean {
  try {
    const holder = JSON.parse(readFileSync(lock, 'utf8')) as { pid?: unknown; startTime?: unknown }
    if (typeof holder.pid !== 'number') return false
    const running = startTime(holder.pid)
    return running !== undefined && running === holder.startTime
  } catch {
    return false
  }
}
