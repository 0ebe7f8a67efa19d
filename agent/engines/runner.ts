import { randomUUID } from 'node:crypto'
import type { Attempt, EngineConfig } from '../../shared/contract/engines.ts'
import type { CallParamsOut, CallResult } from '../../shared/contract/index.ts'
import { type Level, type Plan, planCascade } from '../../shared/domain/cascade.ts'
import { detectPlatform, type Platform } from '../../shared/domain/platforms.ts'
import {
  countFailures,
  type Decision,
  type Driver,
  decideSwitch,
  sameDriver,
} from '../../shared/domain/switch-criteria.ts'
import { Problem } from '../../shared/errors.ts'
import type { Publish } from '../events/publish.ts'
import type { RequestOutcome, TakeoverRequests } from '../takeover/requests.service.ts'
import type { BrowserPort } from './browser-port.ts'
import type { SandboxController } from './controller.ts'
import { type Engine, type EngineResult, GaveUp } from './engine.ts'
import type { EngineStore } from './store.ts'

export type RunParams = CallParamsOut<'engine.run'> & { jobId?: string | null }
export type RunResult = CallResult<'engine.run'>

export interface RunnerOptions {
  controller: SandboxController
  browser: BrowserPort
  requests: TakeoverRequests
  store: Pick<EngineStore, 'addOperation' | 'trackRecords'>
  config: () => EngineConfig
  publish: Publish
}

interface Run {
  id: string
  params: RunParams
  platform: Platform
  attempts: Attempt[]
  began: number
  deadline: number
  level: number
  abort: AbortController
}

type Tried =
  | { kind: 'success'; result: EngineResult }
  /** `replaced`: an operator asked for another engine meanwhile, which then goes on with it. */
  | { kind: 'next' | 'replaced'; reason: string; detail: string }

/** Has the engines do things, one after the other until one succeeds, and a person last. */
export class EngineRunner {
  readonly #options: RunnerOptions
  #run: Run | null = null

  constructor(options: RunnerOptions) {
    this.#options = options
  }

  get running(): { runId: string; level: number } | null {
    return this.#run === null ? null : { runId: this.#run.id, level: this.#run.level }
  }

  /** Ends the operation that runs, wherever it is. */
  cancel(reason: string): void {
    this.#run?.abort.abort(new Problem('conflict', reason))
  }

  async run(params: RunParams): Promise<RunResult> {
    const { browser, config } = this.#options
    browser.require()
    if (this.#run !== null)
      throw new Problem('conflict', 'Another operation is running. Wait for it, or release the engine.')
    const began = performance.now()
    const run: Run = {
      ...{ id: randomUUID(), params, platform: params.platform ?? 'unknown', attempts: [], began, level: 1 },
      ...{ deadline: began + config().cascade.totalMs, abort: new AbortController() },
    }
    this.#run = run
    try {
      if (params.platform === undefined) run.platform = await this.detect()
      const plan = this.#plan(run)
      const levels = [...plan.levels]
      for (let index = 0; index < levels.length; index++) {
        run.abort.signal.throwIfAborted()
        const level = levels[index] as Level
        run.level = index + 1
        const tried = await this.#tryLevel(run, level)
        if (tried.kind === 'success') return this.#finished(run, plan, level, tried.result)
        if (tried.kind === 'replaced') levels.splice(index + 1, 0, await this.#askedFor(run, plan.levels))
        const next = levels[index + 1]
        if (next !== undefined) this.#escalate(run, level, next, tried)
      }
      const tries = `${run.attempts.length} ${run.attempts.length === 1 ? 'attempt' : 'attempts'}`
      const last = run.attempts.at(-1)?.detail ?? 'nothing could be tried'
      throw this.#failed(
        run,
        'engine-failed',
        `Nobody could do it in ${tries}; the last one: ${last}. Take over, or try again.`,
      )
    } finally {
      this.#run = null
    }
  }

  /** Which platform the page in front belongs to. */
  async detect(): Promise<Platform> {
    const { browser } = this.#options
    const facts = await browser.facts().catch(() => ({ url: browser.url(), sources: [], marks: [] }))
    return detectPlatform(facts)
  }

  /** The order in which engines would be tried on a platform now. */
  planFor(platform: Platform): Plan {
    const { config, store } = this.#options
    return planCascade(config().cascade, platform, config().pins[platform], store.trackRecords(platform))
  }

  #plan(run: Run): { levels: readonly Level[]; rule: Plan['rule'] | 'current'; why: string } {
    if (run.params.cascade) return this.planFor(run.platform)
    const { controller, config } = this.#options
    const { seat } = controller
    if (seat === null) throw new Problem('conflict', 'No engine is connected. Connect one, or run with the cascade.')
    const { engine, mode } = seat.driver
    const level: Level = { engine, mode, retries: 0, timeMs: config().limits[engine].timeMs }
    return { levels: [level], rule: 'current', why: 'the engine that is connected, without the cascade' }
  }

  async #tryLevel(run: Run, level: Level): Promise<Tried> {
    let detail = 'there was no time left'
    for (let attempt = 1; attempt <= 1 + level.retries; attempt++) {
      const leftMs = run.deadline - performance.now()
      if (leftMs <= 0) return { kind: 'next', reason: 'duration', detail: 'the time for all attempts is over' }
      const timeMs = Math.min(level.timeMs, leftMs)
      const tried =
        level.engine === 'human'
          ? await this.#tryPerson(run, level, attempt, timeMs)
          : await this.#tryEngine(run, { engine: level.engine, mode: level.mode }, attempt, timeMs)
      if ('success' in tried) return { kind: 'success', result: tried.success }
      if (tried.decision.switch) {
        const { reason, detail: why } = tried.decision
        return { kind: reason === 'operator' && level.engine !== 'human' ? 'replaced' : 'next', reason, detail: why }
      }
      detail = tried.detail
    }
    return { kind: 'next', reason: 'level_exhausted', detail }
  }

  async #tryEngine(
    run: Run,
    driver: Driver,
    number: number,
    timeMs: number,
  ): Promise<{ success: EngineResult } | { decision: Decision; detail: string }> {
    const { controller, config, publish } = this.#options
    const startedAt = new Date().toISOString()
    let began = performance.now()
    const note = (result: Attempt['result'], detail: string, confidence: number | null = null) =>
      this.#note(run, {
        ...driver,
        level: run.level,
        attempt: number,
        startedAt,
        durationMs: ms(began),
        result,
        confidence,
        detail,
      })
    try {
      await this.#seat(run, driver)
    } catch (error) {
      const problem = await this.#cause(Problem.from(error, 'engine-failed'))
      note(problem.code === 'held-by-operator' ? 'taken_over' : 'not_connected', problem.message)
      if (fatal.has(problem.code)) throw this.#failed(run, problem.code, problem.message)
      return { decision: { switch: true, reason: 'failures', detail: problem.message }, detail: problem.message }
    }
    const { seat } = controller
    began = performance.now()
    try {
      const { retries } = config().limits[driver.engine]
      const result = await controller.operate(timeMs, (engine, signal, acted) =>
        persist(() => perform(engine, run, signal), { retries, signal, acted }),
      )
      const observed = { failed: false, durationMs: performance.now() - began, confidence: result.confidence }
      const decision = decideSwitch(observed, 0, { ...config().limits[driver.engine], timeMs })
      if (decision.switch && decision.reason === 'confidence') {
        note('not_confident', decision.detail, result.confidence)
        return { decision, detail: decision.detail }
      }
      if (seat !== null) seat.failures = countFailures(seat.failures, observed)
      note('success', '', result.confidence)
      return { success: result }
    } catch (error) {
      const problem = await this.#cause(Problem.from(error, 'engine-failed'))
      const late = problem.code === 'timeout'
      note(problem.code === 'held-by-operator' ? 'taken_over' : late ? 'timed_out' : 'failed', problem.message)
      run.abort.signal.throwIfAborted()
      if (problem.extra['replaced'] === true && run.params.cascade)
        return { decision: { switch: true, reason: 'operator', detail: problem.message }, detail: problem.message }
      if (fatal.has(problem.code)) throw this.#failed(run, problem.code, problem.message)
      // What an engine cannot do at all is not tried again.
      if (problem.code === 'forbidden')
        return { decision: { switch: true, reason: 'failures', detail: problem.message }, detail: problem.message }
      const observed = { failed: true, durationMs: late ? timeMs + 1 : performance.now() - began, confidence: null }
      const failures = countFailures(seat?.failures ?? 0, observed)
      if (seat !== null) seat.failures = failures
      publish('engine_failure', { ...driver, runId: run.id, failuresInRow: failures, detail: problem.message })
      return {
        decision: decideSwitch(observed, failures, { ...config().limits[driver.engine], timeMs }),
        detail: problem.message,
      }
    }
  }

  /** The engine that is there after an operator's switch, with the limits it has in the cascade. */
  async #askedFor(run: Run, levels: readonly Level[]): Promise<Level> {
    const { controller, config } = this.#options
    await controller.settled()
    const { seat } = controller
    if (seat === null) throw this.#failed(run, 'conflict', 'The engine was released. Connect one, and try again.')
    const { engine, mode } = seat.driver
    const usual = levels.find((level) => level.engine === engine && level.mode === mode)
    return usual ?? { engine, mode, retries: 0, timeMs: config().limits[engine].timeMs }
  }

  /** A browser that dies takes the engine's connection along, often before anyone was told why. */
  async #cause(problem: Problem): Promise<Problem> {
    if (!symptoms.has(problem.code) || (await this.#options.browser.alive())) return problem
    return new Problem('browser-died', 'The browser ended. Start it anew.', {}, { cause: problem })
  }

  /** Sees to it that this very engine is connected. */
  async #seat(run: Run, driver: Driver): Promise<void> {
    const { controller } = this.#options
    const present = controller.seat?.driver ?? null
    if (sameDriver(present, driver)) return
    const last = run.attempts.at(-1)
    const reason = last === undefined ? 'first in the order' : last.result
    await controller.switchTo([driver], { reason, detail: last?.detail ?? 'the operation begins', runId: run.id })
  }

  async #tryPerson(
    run: Run,
    level: Level,
    number: number,
    timeMs: number,
  ): Promise<{ success: EngineResult } | { decision: Decision; detail: string }> {
    const { controller, browser, requests } = this.#options
    const startedAt = new Date().toISOString()
    const began = performance.now()
    await controller.release(false).catch(() => {})
    const picture = await browser.thumbnail()
    // It may have ended while it was drawn: nobody can help with it any more.
    browser.require()
    const asked = {
      reason: run.attempts.at(-1)?.detail ?? 'a person is wanted',
      instruction: run.params.instruction,
      tried: run.attempts,
      ...{ pageUrl: browser.url(), picture, timeMs: Math.max(1, timeMs) },
      ...{ runId: run.id, jobId: run.params.jobId ?? null },
    }
    const outcome = await requests.ask(asked, run.abort.signal, 'the operation was ended')
    const { done, result, detail } = read(outcome)
    this.#note(run, {
      ...{ engine: level.engine, mode: null, level: run.level, attempt: number, startedAt, durationMs: ms(began) },
      ...{ result, confidence: null, detail },
    })
    run.abort.signal.throwIfAborted()
    if (done) return { success: { data: outcome, confidence: null } }
    const again = outcome.kind === 'timed_out'
    return { decision: again ? { switch: false } : { switch: true, reason: 'operator', detail }, detail }
  }

  #note(run: Run, attempt: Attempt): void {
    run.attempts.push(attempt)
    const { kind } = run.params
    this.#options.store.addOperation(run.id, kind, run.platform, attempt)
    this.#options.publish('engine_operation', { runId: run.id, kind, platform: run.platform, attempt })
  }

  #escalate(run: Run, from: Level, to: Level, { reason, detail }: { reason: string; detail: string }): void {
    const driver = ({ engine, mode }: Level) => ({ engine, mode })
    const why = `${reason}: ${detail}`
    this.#options.publish('cascade_escalation', {
      ...{ runId: run.id, level: run.level + 1, from: driver(from), to: driver(to), reason: why },
    })
  }

  #finished(run: Run, plan: { rule: string; why: string }, level: Level, result: EngineResult): RunResult {
    return {
      ...{ runId: run.id, success: true, engine: level.engine, mode: level.mode },
      ...{ data: result.data, confidence: result.confidence, platform: run.platform },
      order: { rule: plan.rule, why: plan.why },
      attempts: run.attempts,
      durationMs: ms(run.began),
    }
  }

  #failed(run: Run, code: Problem['code'], detail: string): Problem {
    return new Problem(code, detail, { runId: run.id, platform: run.platform, attempts: run.attempts })
  }
}

/** What an operation says when its connection is gone, whatever cut it. */
const symptoms = new Set(['conflict', 'engine-failed', 'cdp-error', 'not-active'])
/** What no other engine would do better. */
const fatal = new Set(['held-by-operator', 'browser-died', 'not-active', 'stopping', 'conflict', 'controller-busy'])

/** Tries again what failed before it touched the page; what may have done half of it is not done twice. */
async function persist<Result>(
  work: () => Promise<Result>,
  { retries, signal, acted }: { retries: number; signal: AbortSignal; acted: () => number },
): Promise<Result> {
  const before = acted()
  for (let tried = 0; ; tried++) {
    try {
      return await work()
    } catch (error) {
      const hopeless = error instanceof GaveUp || error instanceof Problem || signal.aborted
      if (hopeless || tried >= retries || acted() !== before) throw error
    }
  }
}

function perform(engine: Engine, { params }: Run, signal: AbortSignal): Promise<EngineResult> {
  if (params.kind === 'observe') return engine.observe(params.instruction, signal)
  if (params.kind === 'extract') return engine.extract(params.instruction, params.schema, signal)
  return engine.act(params.instruction, signal)
}

function read(outcome: RequestOutcome): { done: boolean; result: Attempt['result']; detail: string } {
  switch (outcome.kind) {
    case 'handed_back': {
      const detail = `${outcome.operator}: ${outcome.outcome}${outcome.note === '' ? '' : ` (${outcome.note})`}`
      const done = outcome.outcome === 'resolved'
      return { done, result: done ? 'success' : 'failed', detail }
    }
    case 'lapsed':
      return { done: false, result: 'failed', detail: `${outcome.operator} had control: ${outcome.why}` }
    case 'declined':
      return { done: false, result: 'declined', detail: outcome.reason === '' ? 'nobody will help' : outcome.reason }
    case 'timed_out':
      return { done: false, result: 'timed_out', detail: 'nobody accepted in time' }
    case 'cancelled':
      return { done: false, result: 'failed', detail: outcome.reason }
  }
}

function ms(began: number): number {
  return Math.round((performance.now() - began) * 10) / 10
}
