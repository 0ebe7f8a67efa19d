import fs from 'node:fs'
import path from 'node:path'
import type { Config } from './config.ts'
import type { MachineParts } from './machine/capabilities.ts'
import { minSecretBytes, othersCanRead } from './server/secrets.ts'

/** What works on this machine, what is missing, and the command that installs it, as text for a person. */
export function doctorReport(config: Config, machine: MachineParts, env: NodeJS.ProcessEnv): string {
  const lines = [
    line(true, 'node', process.version),
    line(canWrite(config.dataDir), 'data folder', config.dataDir),
    secretLine(config, env),
  ]
  for (const [name, { available, detail, install }] of Object.entries(machine.capabilities)) {
    lines.push(line(available, name, detail))
    if (install !== null) lines.push(`      install it with: ${install}`)
  }
  return `${lines.join('\n')}\n`
}

function line(good: boolean, name: string, detail: string): string {
  return `  ${good ? '✓' : '✗'} ${name.padEnd(12)} ${detail}`
}

function secretLine(config: Config, env: NodeJS.ProcessEnv): string {
  const told = env['PILOTHOUSE_SECRET']
  const file = env['PILOTHOUSE_SECRET_FILE'] ?? path.join(config.dataDir, 'secret')
  const place = told === undefined ? file : 'PILOTHOUSE_SECRET'
  const bytes = told !== undefined ? Buffer.byteLength(told.trim()) : fs.existsSync(file) ? sizeOf(file) : undefined
  if (bytes !== undefined && bytes >= minSecretBytes) {
    if (told !== undefined || !othersCanRead(file)) return line(true, 'secret', `from ${place}`)
    return `${line(false, 'secret', `every user of this machine can read ${file}`)}\n      make it yours with: chmod 600 ${file}`
  }
  const remedy = '      make one with: pilothouse-agent secret'
  if (bytes !== undefined) {
    const why = Number.isNaN(bytes) ? 'cannot be read by this user' : `has fewer than ${minSecretBytes} bytes`
    return `${line(false, 'secret', `${place} ${why}`)}\n${remedy}`
  }
  return `${line(false, 'secret', 'there is none')}\n${remedy}`
}

/** Of the secret itself; not a number where it cannot be read. */
function sizeOf(file: string): number {
  try {
    return Buffer.byteLength(fs.readFileSync(file, 'utf8').trim())
  } catch {
    return Number.NaN
  }
}

function canWrite(folder: string): boolean {
  let existing = folder
  while (!fs.existsSync(existing) && path.dirname(existing) !== existing) existing = path.dirname(existing)
  try {
    fs.accessSync(existing, fs.constants.W_OK)
    return true
  } catch {
    return false
  }
}
