import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Problem } from '../../shared/errors.ts'
import { findProgram } from '../processes/find-program.ts'
import { FileSource } from './file-source.ts'
import { JournalSource } from './journal-source.ts'
import type { LineSource } from './sources.ts'

/** Where the logs that are not a container's can be. Tests and unusual machines say otherwise. */
export interface LogPlaces {
  journals: readonly string[]
  journalctl: string | undefined
  syslogs: readonly string[]
  adspower: readonly string[]
}

export function usualPlaces(env: NodeJS.ProcessEnv): LogPlaces {
  const home = os.homedir()
  const told = env['PILOTHOUSE_ADSPOWER_LOGS']
  return {
    journals: ['/var/log/journal', '/run/log/journal'],
    journalctl: findProgram(['journalctl'], env['PATH'] ?? ''),
    syslogs: ['/var/log/syslog', '/var/log/messages', '/var/log/system.log'],
    adspower:
      told !== undefined
        ? [told]
        : [
            path.join(home, '.config', 'adspower_global', 'logs'),
            path.join(home, '.config', 'AdsPower Global', 'logs'),
            path.join(home, 'Library', 'Application Support', 'adspower_global', 'logs'),
            path.join(home, 'Library', 'Logs', 'adspower_global'),
            path.join(home, 'Library', 'Logs', 'AdsPower Global'),
          ],
  }
}

/** The journal where there is one, else the syslog file. */
export function systemSource(places: LogPlaces, dataDir: string): LineSource {
  const { journalctl } = places
  if (journalctl !== undefined && places.journals.some(hasFiles)) {
    return new JournalSource(journalctl, 'system', dataDir)
  }
  const file = places.syslogs.find((place) => existsSync(place))
  if (file !== undefined) return new FileSource(readable(file), 'system')
  throw new Problem(
    'not-found',
    'This machine has neither a journal nor a syslog file. Start systemd-journald, or install rsyslog.',
  )
}

export function adspowerSource(places: LogPlaces): LineSource {
  const newest = places.adspower
    .flatMap(logFiles)
    .sort((a, b) => b.changed - a.changed)
    .at(0)
  if (newest !== undefined) return new FileSource(readable(newest.file), 'adspower')
  throw new Problem(
    'not-found',
    'AdsPower has left no log files on this machine. Start AdsPower, or name the folder of its logs in PILOTHOUSE_ADSPOWER_LOGS.',
  )
}

/** What cannot be read would look like a log without a line. */
function readable(file: string): string {
  try {
    accessSync(file, constants.R_OK)
    return file
  } catch {
    throw new Problem(
      'forbidden',
      `The agent may not read ${file}. Put its user into the group of that file (adm on Debian), then restart the agent.`,
    )
  }
}

function hasFiles(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0
  } catch {
    return false
  }
}

function logFiles(place: string): { file: string; changed: number }[] {
  try {
    const stat = statSync(place)
    if (stat.isFile()) return [{ file: place, changed: stat.mtimeMs }]
    return readdirSync(place)
      .filter((name) => /\.log$/.test(name))
      .map((name) => path.join(place, name))
      .map((file) => ({ file, changed: statSync(file).mtimeMs }))
  } catch {
    return []
  }
}
