import { gunzipSync, gzipSync } from 'node:zlib'
import { z } from 'zod'
import { type LogLine, logLine } from '../../shared/contract/logs.ts'
import { comparePositions } from '../../shared/domain/log-time.ts'
import { type Clock, isoTime } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Store } from '../store/store.ts'

/** Of each log so many lines are kept, and of each line so much: enough to see what happened last. */
const keptLines = 2000
const keptChars = 4096
const maxKeptChars = 4 * 1024 * 1024
/** How long new lines gather before they are written. */
const writeEveryMs = 3000

interface Kept {
  machineId: string
  service: string
  lines: LogLine[]
  changed: boolean
}

/** What was looked at in logs, for when the machine cannot be asked: the last lines of each, bounded. */
export class KeptLogs {
  readonly #store: Pick<Store, 'seenLogs'>
  readonly #clock: Clock
  readonly #log: Log
  readonly #kept = new Map<string, Kept>()
  #cancelWrite: (() => void) | undefined

  constructor(store: Pick<Store, 'seenLogs'>, clock: Clock, log: Log) {
    this.#store = store
    this.#clock = clock
    this.#log = log
  }

  /** Lines that a window is being shown. */
  seen(machineId: string, lines: readonly LogLine[]): void {
    const service = lines[0]?.service
    if (service === undefined) return
    const key = `${machineId} ${service}`
    const kept = this.#kept.get(key) ?? { machineId, service, lines: this.#read(machineId, service), changed: false }
    this.#kept.set(key, kept)
    // History and stream overlap where a view is opened again.
    const last = kept.lines.at(-1)
    const fresh = last === undefined ? lines : lines.filter((line) => isBehind(line, last))
    if (fresh.length === 0) return
    kept.lines.push(...fresh.slice(-keptLines))
    if (kept.lines.length > 2 * keptLines) kept.lines.splice(0, kept.lines.length - keptLines)
    kept.changed = true
    this.#cancelWrite ??= this.#clock.after(writeEveryMs, () => this.flush())
  }

  services(machineId: string): { service: string; savedAt: string; lines: number }[] {
    this.flush()
    return this.#store.seenLogs.list(machineId)
  }

  lines(machineId: string, service: string): { savedAt: string | null; lines: LogLine[] } {
    this.flush()
    const found = this.#store.seenLogs.read(machineId, service)
    return { savedAt: found?.savedAt ?? null, lines: found === undefined ? [] : unpack(found.packed) }
  }

  forget(machineId: string): void {
    for (const [key, kept] of this.#kept) if (kept.machineId === machineId) this.#kept.delete(key)
    this.#store.seenLogs.forget(machineId)
  }

  forgetAll(): void {
    this.#kept.clear()
  }

  /** Writes what has not been written. */
  flush(): void {
    this.#cancelWrite?.()
    this.#cancelWrite = undefined
    for (const kept of this.#kept.values()) {
      if (!kept.changed) continue
      kept.changed = false
      const lines = bounded(kept.lines)
      try {
        const { machineId, service } = kept
        const log = { service, savedAt: isoTime(this.#clock), lines: lines.length }
        this.#store.seenLogs.save(machineId, log, gzipSync(JSON.stringify(lines), { level: 1 }))
      } catch (error) {
        this.#log('warn', 'the lines that were looked at could not be kept', { error: String(error) })
      }
    }
  }

  #read(machineId: string, service: string): LogLine[] {
    const found = this.#store.seenLogs.read(machineId, service)
    return found === undefined ? [] : unpack(found.packed)
  }
}

function isBehind(line: LogLine, last: LogLine): boolean {
  const position = ({ timestamp, seq }: LogLine) => ({ timestamp, seq: seq ?? 0 })
  // Two containers of one service number their lines apart.
  if (line.container !== last.container) return line.timestamp >= last.timestamp
  return comparePositions(position(line), position(last)) > 0
}

function bounded(lines: readonly LogLine[]): LogLine[] {
  const kept: LogLine[] = []
  let chars = 0
  for (const line of lines.slice(-keptLines).reverse()) {
    const message = line.message.length > keptChars ? `${line.message.slice(0, keptChars)}…` : line.message
    chars += message.length
    if (chars > maxKeptChars) break
    kept.push({ ...line, message })
  }
  return kept.reverse()
}

/** What an older console wrote may have another shape: then nothing was kept. */
function unpack(packed: Buffer): LogLine[] {
  try {
    return z.array(logLine).parse(JSON.parse(gunzipSync(packed, { maxOutputLength: 64 * 1024 * 1024 }).toString()))
  } catch {
    return []
  }
}
