import { backoff } from '../../../shared/client/backoff.ts'
import type { LogLine } from '../../../shared/contract/logs.ts'
import { isUp } from '../../../shared/domain/lifecycle.ts'
import type { WireProblem } from '../../../shared/errors.ts'
import { CallFailed, call, callAgent, problemOf } from '../../app/bridge.ts'
import { openPort } from '../../app/streams.ts'
import { useFleet } from '../fleet/fleet.store.ts'
import type { Pick, Since } from './choices.store.ts'
import type { ToEngine } from './model/protocol.ts'

export type FeedState =
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
    const [kind, amount] = begin.split(':')
    if (kind === 'ago') this.#since = new Date(Date.now() - Number(amount) * 60_000).toISOString()
    const lines = kind === 'lines' ? Number(amount) : 0
    if (!this.#reachable) {
      await this.#showKept(0)
      return this.#later(offline)
    }
    try {
      if (lines > 0) await this.#history(lines)
      await this.#connect()
    } catch (error) {
      await this.#failed(error)
    }
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

  async #history(lines: number): Promise<void> {
    const { machineId, service } = this.#pick
    const found = await callAgent(machineId, 'logs.get', { service, lines })
    if (this.#over) return
    this.#deps.post({ type: 'lines', source: this.#source, lines: found.lines })
    // A log without a line is followed from its beginning: what is written meanwhile is not missed.
    this.#since = positionOf(found.lines.at(-1)) ?? '1970-01-01T00:00:00Z'
  }

  async #connect(): Promise<void> {
    const { machineId, service } = this.#pick
    const port = await openPort(machineId, 'logs', {})
    if (this.#over) return port.close()
    this.#wait.reset()
    this.#waitingSince = undefined
    this.#deps.post({ type: 'attach', source: this.#source, service, since: this.#since, port }, [port])
    this.#deps.changed({ state: 'live' })
  }

  async #failed(error: unknown): Promise<void> {
    if (this.#over) return
    const problem = problemOf(error)
    const isGone = error instanceof CallFailed && ['unreachable', 'timeout'].includes(problem.code)
    // A service that is not there, or Docker missing: trying again by itself would not help.
    if (!isGone) return this.#deps.changed({ state: 'failed', problem })
    await this.#showKept(0)
    this.#later(problem)
  }

  /** What was looked at before, until the machine can be asked. */
  async #showKept(least: number): Promise<void> {
    if (this.#shownKept || this.#over) return
    this.#shownKept = true
    const { savedAt, lines } = await call('logs.kept', this.#pick)
    if (this.#over || lines.length <= least) return
    this.#deps.post({ type: 'lines', source: this.#source, lines })
    this.#since = positionOf(lines.at(-1))
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
      if (this.#reachable) this.#again()
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

  #again(): void {
    this.#connect().catch((error: unknown) => {
      if (!this.#over) this.#later(problemOf(error))
    })
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
