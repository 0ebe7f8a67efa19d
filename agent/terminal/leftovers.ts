import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { signal } from '../processes/process-table.ts'
import { members } from './shell-session.ts'

/** Inherited by all that a terminal's shell starts: a process number alone is used again. */
export const terminalMark = 'TERMINAL_SESSION'

/**
 * A killed agent takes its shells along, but not what ignores a hang-up. One small file per terminal lets the next
 * agent find those. What left the session by itself (tmux, a service) was meant to stay, and does.
 */
export function recordTerminal(dataDir: string, pid: number, mark: string): () => void {
  mkdirSync(folderOf(dataDir), { recursive: true, mode: 0o700 })
  const file = path.join(folderOf(dataDir), `${pid}.mark`)
  writeFileSync(file, mark, { mode: 0o600 })
  return () => rmSync(file, { force: true })
}

/** Ends what an earlier agent's terminals left running; returns how many processes that were. */
export function reapTerminals(dataDir: string): number {
  let ended = 0
  for (const name of list(folderOf(dataDir))) {
    const file = path.join(folderOf(dataDir), name)
    const mark = readFileSync(file, 'utf8')
    for (const pid of members(Number.parseInt(name, 10))) {
      if (hasMark(pid, mark) && signal(pid, 'SIGKILL')) ended++
    }
    rmSync(file, { force: true })
  }
  return ended
}

function folderOf(dataDir: string): string {
  return path.join(dataDir, 'open-terminals')
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^\d+\.mark$/.test(name))
  } catch {
    return []
  }
}

function hasMark(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`${terminalMark}=${mark}`)
  } catch {
    return false
  }
}
