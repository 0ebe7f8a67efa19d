import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { marked, signal, startTime } from './process-table.ts'

/**
 * One small file per running program. An agent that is killed cannot clean up; the next one finds these
 * files and ends what is left.
 */
const entrySchema = z.object({ name: z.string(), pid: z.int().min(2), startTime: z.string(), mark: z.string() })
type Entry = z.infer<typeof entrySchema>

function recordDir(dataDir: string): string {
  return path.join(dataDir, 'processes')
}

/** Writes down a running program; returns what strikes it out again. */
export function record(dataDir: string, entry: { name: string; pid: number; mark: string }): () => void {
  const started = startTime(entry.pid)
  if (started === undefined) return () => {}
  mkdirSync(recordDir(dataDir), { recursive: true, mode: 0o700 })
  const file = path.join(recordDir(dataDir), `${entry.pid}.json`)
  writeFileSync(file, JSON.stringify({ ...entry, startTime: started } satisfies Entry), { mode: 0o600 })
  return () => rmSync(file, { force: true })
}

/** Ends what an earlier agent on this data directory left running; returns the names of what it ended. */
export function reapLeftovers(dataDir: string): string[] {
  const ended: string[] = []
  for (const file of listRecords(dataDir)) {
    const entry = readEntry(file)
    if (entry !== undefined && endLeftover(entry)) ended.push(entry.name)
    rmSync(file, { force: true })
  }
  return ended
}

function endLeftover(entry: Entry): boolean {
  const sameProcess = startTime(entry.pid) === entry.startTime
  let found = sameProcess && signal(-entry.pid, 'SIGKILL')
  for (const pid of marked(entry.mark)) found = signal(pid, 'SIGKILL') || found
  return found
}

function listRecords(dataDir: string): string[] {
  try {
    return readdirSync(recordDir(dataDir))
      .filter((name) => /^\d+\.json$/.test(name))
      .map((name) => path.join(recordDir(dataDir), name))
  } catch {
    return []
  }
}

function readEntry(file: string): Entry | undefined {
  try {
    return entrySchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    // A record cut short by the crash: pdeathsig has ended its program already.
    return undefined
  }
}
