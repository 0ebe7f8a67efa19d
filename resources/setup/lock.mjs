// @ts-check
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SetupFailure } from './failure.mjs'
import { note } from './progress.mjs'

/** Long enough for a slow first download of everything; then the other one hangs. */
const patienceMs = 20 * 60_000
const pollMs = 200

/**
 * Does the work while holding the lock file, so that two set-ups at once never write node_modules together.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(file, work) {
  mkdirSync(dirname(file), { recursive: true })
  const deadline = Date.now() + patienceMs
  let told = false
  while (!tryLock(file)) {
    const owner = ownerOf(file)
    if (Date.now() > deadline) {
      throw new SetupFailure(`Another set-up (process ${owner}) has held the lock for 20 minutes.`, {
        next: `end process ${owner}, then run this again`,
      })
    }
    if (!told) note(`waiting for another set-up (process ${owner ?? 'unknown'}) to finish …`)
    told = true
    await sleep(pollMs)
  }
  const release = () => rmSync(file, { force: true })
  process.once('exit', release)
  try {
    return await work()
  } finally {
    process.removeListener('exit', release)
    release()
  }
}

/** Takes the lock if it is free or its owner is gone. @param {string} file */
export function tryLock(file) {
  // Written aside and linked: the lock never exists without its content.
  const mine = `${file}.${process.pid}`
  writeFileSync(mine, JSON.stringify({ pid: process.pid, started: startTime(process.pid) }))
  try {
    if (link(mine, file)) return true
    const held = read(file)
    if (held === undefined || isAlive(held)) return false
    clearStale(file, held)
    return link(mine, file)
  } finally {
    rmSync(mine, { force: true })
  }
}

/** @param {string} from @param {string} to */
function link(from, to) {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false
    throw error
  }
}

/** Moves a dead owner's lock away, and puts it back if someone else took over in the meantime. @param {string} file @param {string} stale */
function clearStale(file, stale) {
  const aside = `${file}.${process.pid}.stale`
  try {
    renameSync(file, aside)
    if (read(aside) !== stale) link(aside, file)
    rmSync(aside, { force: true })
  } catch {
    // Another run cleared it first.
  }
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** @param {string} file @returns {number | undefined} */
function ownerOf(file) {
  return parse(read(file) ?? '')?.pid
}

/** @param {string} content @returns {{ pid: number, started?: string } | undefined} */
function parse(content) {
  try {
    const { pid, started } = JSON.parse(content)
    return Number.isInteger(pid) ? { pid, started } : undefined
  } catch {
    return undefined
  }
}

/** A pid may have been given to another program since; the start time tells. @param {string} content */
function isAlive(content) {
  const owner = parse(content)
  if (!owner) return false
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EPERM') return false
  }
  const started = startTime(owner.pid)
  return !owner.started || !started || owner.started === started
}

/** When a process began, as Linux tells it; undefined elsewhere. @param {number} pid */
function startTime(pid) {
  try {
    // The name in parentheses may hold spaces; the 22nd field is the 20th after it.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19]
  } catch {
    return undefined
  }
}
