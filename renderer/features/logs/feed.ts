import { backoff } from '../../../shared/client/backoff.ts'
import type { LogLine } from '../../../shared/contract/logs.ts'
import { isUp } from '../../../shared/domain/lifecycle.ts'
import { nanoTimeOf } from '../../../shared/domain/log-time.ts'
import type { WireProblem } from '../../../shared/errors.ts'
import { call, callAgent, isGone, problemOf } from '../../app/bridge.ts'
import { openPort } from '../../app/streams.ts'
import { useFleet } from '../fleet/fleet.store.ts'
import { momentOf, type Pick, type Since } from './choices.store.ts'
import type { ToEngine } from './model/protocol.ts'

export type FeedState =
  /** What was written before is on its way. */
  | { state: 'loading' }
  | { state: 'live' }
  /** The line was cut; what came meanwhile is fetched when it is back. */
  | { state: 'waiting'; since: number; problem: WireProblem }
  | { state: 'failed'; problem: WireProblem }

export interface FeedDeps {
  post: (message: ToEngine, transfer?: Transferable[]) => void
  changed: (state: FeedState) => void
}

const retry = { firstMs: 300, maxMs: 4000 }

/** Brings one service's lines into the view: its history, then its stream, over every cut of the line. */
export class LogFeed {
  readonly #pick: Pick
  readonly #source: number
  readonly #deps: FeedDeps
  readonly #wait = backoff(retry)
  /** What was asked for and has not been read yet: so many last lines, or all from a time on. */
  #owed: { lines: number } | { from: string } | undefined
  #since: string | undefined
  #over = false
  #shownKept = false
  #waitingSince: number | undefined
  #stopWaiting: () => void = () => {}

  constructor(pick: Pick, source: number, deps: FeedDeps) {
    this.#pick = pick
    this.#source = source
    this.#deps = deps
  }

  async start(begin: Since): Promise<void> {
    this.#deps.changed({ state: 'loading' })
    const from = momentOf(begin, Date.now())
    this.#owed = from === undefined ? { lines: Number(begin.split(':')[1]) } : { from: nanoTimeOf(from) }
    if (this.#reachable) return this.#read()
    await this.#showKept()
    this.#later(offline)
  }

  /** The engine has all that was written before. */
  live(): void {
    if (!this.#over) this.#deps.changed({ state: 'live' })
  }

  /** The engine's end of the stream is gone. */
  lost(since: string | undefined, problem: { code: string; message: string } | null): void {
    if (this.#over) return
    this.#since = since ?? this.#since
    if (problem !== null) this.#deps.changed({ state: 'failed', problem: asProblem(problem) })
    else this.#later({ ...offline, detail: 'The line to the machine was cut. It is tried again.' })
  }

  close(): void {
    this.#over = true
    this.#stopWaiting()
    this.#deps.post({ type: 'remove', source: this.#source })
  }

  /** Lets go without a word to an engine that is gone itself. */
  abandon(): void {
    this.#over = true
    this.#stopWaiting()
  }

  get #reachable(): boolean {
    const machine = useFleet.getState().machines[this.#pick.machineId]
    return machine !== undefined && isUp(machine)
  }

  /** What is owed, and the stream behind it. */
  async #read(): Promise<void> {
    try {
      let until: string | undefined
      if (this.#owed !== undefined) {
        if ('lines' in this.#owed) await this.#history(this.#owed.lines)
        else until = await this.#lastTime(this.#owed.from)
      }
      await this.#connect(until)
    } catch (error) {
      await this.#failed(error)
    }
  }

  async #history(lines: number): Promise<void> {
    const { machineId, service } = this.#pick
    const found = await callAgent(machineId, 'logs.get', { service, lines })
    if (this.#over) return
    this.#owed = undefined
    this.#deps.post({ type: 'lines', source: this.#source, lines: found.lines })
    // A log without a line is followed from its beginning: what is written meanwhile is not missed.
    this.#since = positionOf(found.lines.at(-1)) ?? '1970-01-01T00:00:00Z'
  }

  /** When the last line that is there now was written: with it, a stream from a time on has come to the present. */
  async #lastTime(from: string): Promise<string | undefined> {
    const { machineId, service } = this.#pick
    const found = await callAgent(machineId, 'logs.get', { service, lines: 1, since: from }).catch((error: unknown) => {
      // The stream also waits for services of which there is nothing to read yet.
      if (isGone(error)) throw error
      return { lines: [] }
    })
    return found.lines.at(-1)?.timestamp
  }

  async #connect(until: string | undefined): Promise<void> {
    const { machineId, service } = this.#pick
    const port = await openPort(machineId, 'logs', {})
    if (this.#over) return port.close()
    this.#wait.reset()
    this.#waitingSince = undefined
    if (this.#owed !== undefined && 'from' in this.#owed) {
      // Kept lines that begin later than what is owed would be there twice.
      if (this.#shownKept) this.#deps.post({ type: 'remove', source: this.#source })
      this.#since = this.#owed.from
      this.#owed = undefined
    }
    this.#deps.changed({ state: 'loading' })
    const stream = { source: this.#source, service, since: this.#since, ...(until !== undefined && { until }), port }
    this.#deps.post({ type: 'attach', ...stream }, [port])
  }

  async #failed(error: unknown): Promise<void> {
    if (this.#over) return
    const problem = problemOf(error)
    // A service that is not there, or Docker missing: trying again by itself would not help.
    if (this.#owed !== undefined && !isGone(error)) return this.#deps.changed({ state: 'failed', problem })
    if (this.#owed !== undefined) await this.#showKept()
    if (!this.#over) this.#later(problem)
  }

  /** What was looked at before, until the machine can be asked. */
  async #showKept(): Promise<void> {
    if (this.#shownKept || this.#over) return
    const { savedAt, lines } = await call('logs.kept', this.#pick)
    const [first] = lines
    if (this.#over || first === undefined) return
    this.#shownKept = true
    this.#deps.post({ type: 'lines', source: this.#source, lines })
    const owed = this.#owed
    if (owed !== undefined && ('lines' in owed || first.timestamp <= owed.from)) {
      // What is kept is of what is owed: the stream goes on behind it.
      this.#owed = undefined
      this.#since = positionOf(lines.at(-1))
    }
    const when = savedAt === null ? '' : ` at ${new Date(savedAt).toLocaleString('sv')}`
    this.#deps.post({
      type: 'mark',
      source: this.#source,
      text: `Kept from the last look${when}; the machine cannot be asked now`,
    })
  }

  #later(problem: WireProblem): void {
    this.#waitingSince ??= Date.now()
    this.#deps.changed({ state: 'waiting', since: this.#waitingSince, problem })
    const go = () => {
      this.#stopWaiting()
      if (this.#over) return
      if (this.#reachable) void this.#read()
      else this.#later(problem)
    }
    const timer = setTimeout(go, this.#wait.next())
    // The moment the machine is back is the moment to try.
    const stop = useFleet.subscribe(({ machines }, before) => {
      const id = this.#pick.machineId
      const [now, then] = [machines[id], before.machines[id]]
      if (now !== undefined && isUp(now) && (then === undefined || !isUp(then))) go()
    })
    this.#stopWaiting = () => {
      clearTimeout(timer)
      stop()
    }
  }
}

const offline: WireProblem = {
  type: 'urn:pilothouse:problem:unreachable',
  title: 'The machine cannot be asked now',
  status: 0,
  detail: 'What was looked at before is shown. The rest comes when the machine is back.',
  code: 'unreachable',
}

function asProblem({ code, message }: { code: string; message: string }): WireProblem {
  return {
    type: `urn:pilothouse:problem:${code}`,
    title: 'The log cannot be followed',
    status: 0,
    detail: message,
    code,
  }
}

function positionOf(line: LogLine | undefined): string | undefined {
  if (line === undefined) return undefined
  return line.seq === undefined ? line.timestamp : `${line.timestamp}#${line.seq}`
}
