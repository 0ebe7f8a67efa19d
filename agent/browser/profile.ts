import { mkdirSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Problem } from '../../shared/errors.ts'
import { startTime } from '../processes/process-table.ts'
import { forgetPort } from './devtools.ts'

/** A context's folders: Chromium's user data, and the home that Chromium is given. */
export interface Profile {
  profileDir: string
  homeDir: string
}

/** Makes a context ready to be used, and clears away what a killed Chromium left there. */
export function openProfile(dataDir: string, contextId: string): Profile {
  const contextDir = path.join(dataDir, 'contexts', contextId)
  const profile = { profileDir: path.join(contextDir, 'profile'), homeDir: path.join(contextDir, 'home') }
  mkdirSync(profile.profileDir, { recursive: true, mode: 0o700 })
  mkdirSync(profile.homeDir, { recursive: true, mode: 0o700 })
  const holder = lockHolder(profile.profileDir)
  if (holder !== undefined) {
    throw new Problem(
      'start-failed',
      `The context "${contextId}" is in use by process ${holder}. End that browser, or start with another contextId.`,
    )
  }
  for (const name of ['SingletonLock', 'SingletonSocket', 'SingletonCookie'])
    rmSync(path.join(profile.profileDir, name), { force: true })
  forgetPort(profile.profileDir)
  forbidPrinting(profile.profileDir)
  return profile
}

/**
 * Nobody prints here. A page that asks for it would open a dialog of the browser's own, through which no click
 * passes and which saves files wherever one likes. A PDF of the page can be had all the same.
 */
function forbidPrinting(profileDir: string): void {
  const file = path.join(profileDir, 'Default', 'Preferences')
  let preferences: Record<string, unknown> = {}
  try {
    preferences = JSON.parse(readFileSync(file, 'utf8')) as typeof preferences
  } catch {
    // A new context, or one whose preferences Chromium will not be able to read either.
  }
  const printing = { ...(preferences['printing'] as object | undefined), enabled: false }
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.new`, JSON.stringify({ ...preferences, printing }), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

/** The living process that holds the profile. The lock is a link to `host-pid`. */
function lockHolder(profileDir: string): number | undefined {
  let target: string
  try {
    target = readlinkSync(path.join(profileDir, 'SingletonLock'))
  } catch {
    return undefined
  }
  const [, host, pid] = /^(.*)-(\d+)$/.exec(target) ?? []
  if (host !== os.hostname() || startTime(Number(pid)) === undefined) return undefined
  return usesProfile(Number(pid), profileDir) ? Number(pid) : undefined
}

/** A pid is used again: only a process that names this folder is the one that made the lock. */
function usesProfile(pid: number, profileDir: string): boolean {
  if (process.platform !== 'linux') return true
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(profileDir)
  } catch {
    return false
  }
}
