import { afterEach, describe, expect, test } from 'vitest'
import type { EngineConfig } from '../../shared/contract/engines.ts'
import { defaultCascade, type Level } from '../../shared/domain/cascade.ts'
import { defaultLimits, driverName } from '../../shared/domain/switch-criteria.ts'
import { TakeoverRequests } from '../takeover/requests.service.ts'
import { type Conduct, world } from './controller-world.ts'
import { EngineRunner, type RunParams } from './runner.ts'

const dom: Level = { engine: 'stagehand', mode: 'dom', retries: 2, timeMs: 300 }
const cua: Level = { engine: 'stagehand', mode: 'cua', retries: 1, timeMs: 300 }
const magnitude: Level = { engine: 'magnitude', mode: null, retries: 0, timeMs: 300 }
const human: Level = { engine: 'human', mode: null, retries: 1, timeMs: 20 }

function setUp(levels: Level[], conducts: Record<string, Conduct> = {}, totalMs = 5000) {
  // Long enough for a busy machine: only what hangs on purpose may be late.
  const made = world(1200, 20)
  for (const [name, conduct] of Object.entries(conducts)) made.conducts.set(name, conduct)
  const told: string[] = []
  const publish = (type: string, data: object) => {
    const { to } = data as { to?: { engine: string; mode: string | null } }
    told.push(type === 'cascade_escalation' && to !== undefined ? `to ${driverName(to)}` : type)
  }
  const requests = new TakeoverRequests(publish)
  const limits = { stagehand: { ...defaultLimits.stagehand, retries: 0 }, magnitude: { ...defaultLimits.magnitude } }
  const config = { limits, cascade: { totalMs, levels, platforms: {} }, pins: {} } as unknown as EngineConfig
  const history: { driver: string; operations: number; successes: number }[] = []
  const runner = new EngineRunner({
    ...{ controller: made.controller, browser: made.browser, requests, publish, config: () => config },
    store: { addOperation() {}, trackRecords: () => history },
  })
  const run = (more: Partial<RunParams> = {}) =>
    runner.run({ instruction: 'x', kind: 'act', platform: 'lever', cascade: true, ...more })
  const failure = (more: Partial<RunParams> = {}) => run(more).catch((error: unknown) => error)
  running.push(() => made.controller.stop())
  return { ...made, told, requests, runner, run, failure, history }
}
const running: (() => void)[] = []
afterEach(() => {
  for (const stop of running.splice(0)) stop()
})
const trail = (attempts: readonly { engine: string; mode: string | null; result: string }[]) =>
  attempts.map((one) => `${driverName(one)} ${one.result}`)

describe('the cascade', () => {
  test('has the engines, retries and times of the table', () => {
    const rows = (levels: readonly Level[] = []) => levels.map((one) => [driverName(one), one.retries, one.timeMs])
    const [two, three, four] = [
      ['stagehand/cua', 1, 30_000],
      ['magnitude', 2, 30_000],
      ['human', 1, 120_000],
    ]
    expect(defaultCascade.totalMs).toBe(300_000)
    expect(rows(defaultCascade.levels)).toEqual([['stagehand/dom', 2, 15_000], two, three, four])
    expect(rows(defaultCascade.platforms.workday)).toEqual([['magnitude', 3, 30_000], two, four])
    expect(defaultLimits).toEqual({
      stagehand: { failures: 3, timeMs: 15_000, confidence: 0.6, retries: 2 },
      magnitude: { failures: 3, timeMs: 30_000, confidence: 0.5, retries: 2 },
    })
  })

  test('tries each as often as it may, tells of every step up, and leaves the whole trail', async () => {
    const { failure, told, open } = setUp([dom, cua, magnitude], {
      ...{ 'stagehand/dom': 'stumbles', 'stagehand/cua': 'stumbles', magnitude: 'stumbles' },
    })
    const failed = (await failure()) as { code: string; extra: { attempts: Parameters<typeof trail>[0] } }
    expect(failed.code).toBe('engine-failed')
    expect(trail(failed.extra.attempts)).toEqual([
      ...['stagehand/dom failed', 'stagehand/dom failed', 'stagehand/dom failed'],
      ...['stagehand/cua failed', 'stagehand/cua failed', 'magnitude failed'],
    ])
    expect(told.filter((one) => one.startsWith('to '))).toEqual(['to stagehand/cua', 'to magnitude'])
    expect(open()).toBeLessThanOrEqual(1)
  })

  test('one that hangs is aborted and cut off, and one that is not installed or cannot connect is passed over', async () => {
    const { run, state } = setUp([dom, cua, magnitude], { 'stagehand/dom': 'missing', 'stagehand/cua': 'fails' })
    expect(trail((await run()).attempts)).toEqual([
      ...['stagehand/dom not_connected', 'stagehand/cua not_connected', 'magnitude success'],
    ])
    const late = setUp([{ ...dom, timeMs: 10 }, magnitude], { 'stagehand/dom': 'late' })
    // It connects too late for the tests' limits, so that its time runs out before it has done anything.
    const attempts = trail((await late.run()).attempts)
    expect(attempts.at(-1)).toBe('magnitude success')
    expect(attempts[0]).toMatch(/stagehand\/dom (timed_out|not_connected)/)
    expect([state.acted, late.state.acted]).toEqual([1, 1])
  })

  test('ends when the time for all of it is over, with what was tried until then', async () => {
    const { failure } = setUp([{ ...human, retries: 10 }, dom], {}, 25)
    const failed = (await failure()) as { code: string; extra: { attempts: Parameters<typeof trail>[0] } }
    expect(failed.code).toBe('engine-failed')
    expect(new Set(trail(failed.extra.attempts))).toEqual(new Set(['human timed_out']))
  })

  test('asks people as often as the level says, and takes a no', async () => {
    const { failure, requests } = setUp([{ ...human, timeMs: 5000 }])
    const failing = failure()
    await expect.poll(() => requests.list()[0]?.state).toBe('open')
    requests.decline(requests.list()[0]?.id ?? '', 'not now', 'Ann')
    expect(await failing).toMatchObject({ extra: { attempts: [{ result: 'declined', detail: 'not now' }] } })
  })

  test('ended while it looks at the page, or draws it for a person, calls nobody and connects no engine', async () => {
    const { browser, failure, requests, runner, told } = setUp([dom, { ...human, timeMs: 5000 }])
    const facts = Promise.withResolvers<never>()
    browser.facts = () => facts.promise
    const looking = failure({ platform: undefined })
    await expect.poll(() => runner.running).not.toBeNull()
    runner.cancel('released by force')
    facts.reject(new Error('none'))
    expect(await looking).toMatchObject({ code: 'conflict', message: 'released by force' })
    expect(told).not.toContain('engine_operation')

    const person = setUp([{ ...human, timeMs: 5000 }])
    const drawn = Promise.withResolvers<null>()
    const asked = Promise.withResolvers<void>()
    person.browser.thumbnail = () => {
      asked.resolve()
      return drawn.promise
    }
    const calling = person.failure()
    await asked.promise
    person.runner.cancel('released by force')
    drawn.resolve(null)
    expect(await calling).toMatchObject({ code: 'conflict', message: 'released by force' })
    expect([...requests.list(), ...person.requests.list()]).toEqual([])
  })

  test('nobody is called for a browser that ended while it was drawn', async () => {
    const { browser, failure, requests, state } = setUp([{ ...human, timeMs: 5000 }])
    browser.thumbnail = async () => {
      state.alive = false
      return null
    }
    expect(await failure()).toMatchObject({ code: 'not-active' })
    expect(requests.list()).toEqual([])
  })

  test('begins with what did best here, and says why; twenty operations are needed', async () => {
    const { run, history } = setUp([dom, magnitude])
    history.push({ driver: 'stagehand/dom', operations: 9, successes: 1 })
    history.push({ driver: 'magnitude', operations: 10, successes: 9 })
    expect((await run()).order.rule).toBe('table')
    history[0] = { driver: 'stagehand/dom', operations: 10, successes: 1 }
    const ran = await run()
    expect(ran).toMatchObject({ engine: 'magnitude', order: { rule: 'history' } })
    expect(ran.order.why).toMatch(/magnitude did 9 of 10 here and stagehand\/dom 1 of 10/)
  })
})

describe('an operator’s switch in the middle of an operation', () => {
  const why = { reason: 'operator', detail: 'it is lost', runId: null }

  test('has the engine that was asked for go on with it', async () => {
    const { run, runner, controller, told } = setUp([{ ...dom, timeMs: 5000 }, cua], { 'stagehand/dom': 'clings' })
    const { promise, resolve } = Promise.withResolvers<never>()
    running.push(() => resolve(undefined as never))
    // The first one is in the middle of something that takes its time.
    const operate = controller.operate.bind(controller)
    let first = true
    controller.operate = (limitMs, work) => {
      const slow = first ? () => promise : work
      first = false
      return operate(limitMs, slow)
    }
    const result = run()
    await expect.poll(() => controller.state === 'connected' && runner.running !== null).toBe(true)
    await controller.switchTo([{ engine: 'magnitude', mode: null }], why)
    expect(trail((await result).attempts)).toEqual(['stagehand/dom failed', 'magnitude success'])
    expect((await result).attempts[0]?.detail).toContain('it is lost')
    expect(told).toContain('to magnitude')
  })

  test('a release ends it instead', async () => {
    const { failure, controller } = setUp([{ ...dom, timeMs: 5000 }], { 'stagehand/dom': 'works' })
    const operate = controller.operate.bind(controller)
    controller.operate = (limitMs) => operate(limitMs, () => new Promise<never>(() => {}))
    const failing = failure()
    await expect.poll(() => controller.state).toBe('connected')
    await new Promise((resolve) => setTimeout(resolve, 5))
    await controller.release(false)
    expect(await failing).toMatchObject({ code: 'conflict', extra: { attempts: [{ result: 'failed' }] } })
  })
})
