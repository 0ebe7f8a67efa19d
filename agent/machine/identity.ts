import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

/** The agent's own id, made once and kept: a console knows by it that a machine is still the same one. */
export function agentIdentity(dataDir: string): string {
  const file = path.join(dataDir, 'agent-id')
  try {
    const kept = fs.readFileSync(file, 'utf8').trim()
    if (/^[0-9a-f-]{36}$/.test(kept)) return kept
  } catch {
    // Not there yet.
  }
  fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const made = randomUUID()
  fs.writeFileSync(`${file}.new`, made, { mode: 0o600 })
  fs.renameSync(`${file}.new`, file)
  return made
}
