import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Driver } from '../../shared/domain/switch-criteria.ts'
import { type Conduct, drivers, world } from './controller-world.ts'

const why = { reason: 'operator', detail: 'asked for', runId: null }
const conduct = fc.constantFrom<Conduct>('works', 'works', 'fails', 'hangs', 'late', 'clings', 'blind')
const driver = fc.constantFrom(...drivers)
const command = fc.oneof(
  fc.record({ do: fc.constant('connect' as const), driver, conduct }),
  fc.record({ do: fc.constant('switch' as const), driver, conduct }),
  fc.record({ do: fc.constant('release' as const), force: fc.boolean() }),
  fc.record({ do: fc.constantFrom('operate' as const, 'lease' as const, 'die' as const) }),
  fc.record({ do: fc.constant('unlease' as const), policy: fc.constantFrom('resume', 'disconnect', 'keep') }),
  fc.record({ do: fc.constant('handBack' as const), driver, conduct }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 25 }) }),
)

/** Never, or before one of the commands: what comes after it is refused, and changes nothing. */
const stop = fc.option(fc.integer({ min: 0, max: 13 }), { nil: undefined })

describe('whatever happens in whatever order', () => {
  test('at most one engine is connected, every call ends, and the state has a name', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 14 }), stop, async (commands, stopAt) => {
        const { state, controller, open, count } = world()
        const pending: Promise<unknown>[] = []
        const begin = (work: () => Promise<unknown>) => {
          const begun = Promise.resolve().then(work)
          begun.catch(() => {})
          pending.push(begun)
        }
        for (const [place, one] of commands.entries()) {
          if (place === stopAt) {
            controller.stop()
            expect(open()).toBe(0)
          }
          if ('conduct' in one) state.conduct = one.conduct
          if (one.do === 'connect') begin(() => controller.connect(one.driver))
          else if (one.do === 'switch') begin(() => controller.switchTo([one.driver, ...drivers], why))
          else if (one.do === 'release') begin(() => controller.release(one.force))
          else if (one.do === 'operate')
            begin(() => controller.operate(15, (engine, signal) => engine.act('x', signal)))
          else if (one.do === 'lease' && state.lease === null) {
            state.lease = 'Ann'
            begin(() => controller.pause('Ann'))
          } else if (one.do === 'unlease' && state.lease !== null) {
            // Where the browser stays paused, whoever held the lease goes on to keep everyone else away.
            if (one.policy !== 'keep') state.lease = null
            begin(() => controller.unpause(one.policy))
          } else if (one.do === 'handBack' && state.lease !== null) {
            begin(() =>
              controller.handBack(one.driver, () => {
                state.lease = null
              }),
            )
          } else if (one.do === 'die') {
            state.alive = false
            controller.browserEnded('it died')
            expect(open()).toBe(0)
            state.alive = true
          } else if (one.do === 'wait') await sleep(one.ms)
          await Promise.resolve()
          count()
          expect(state.worst).toBeLessThanOrEqual(1)
        }
        const stops = stopAt !== undefined
        if (stops) controller.stop()
        const settled = await Promise.race([Promise.allSettled(pending), sleep(5000, 'hung' as const)])
        expect(settled).not.toBe('hung')
        expect(state.worst).toBeLessThanOrEqual(1)
        expect(open()).toBeLessThanOrEqual(1)
        expect(['idle', 'connected', 'paused', 'stopped']).toContain(controller.state)
        if (stops) expect([controller.state, open()]).toEqual(['stopped', 0])
        else expect(controller.seat === null ? 0 : 1).toBe(open())
      }),
      { numRuns: 200 },
    )
  }, 120_000)
})

test('of two hand-backs at once the second changes nothing of the first', async () => {
  const { controller, state, open } = world(10_000)
  state.lease = 'Ann'
  const check = () => {
    if (state.lease === null) throw new Error('that lease has ended')
  }
  const give = () => {
    state.lease = null
  }
  const both = [drivers[0], drivers[2]].map((one) => controller.handBack(one as Driver, give, check))
  const [first, second] = await Promise.allSettled(both)
  expect([first?.status, second?.status]).toEqual(['fulfilled', 'rejected'])
  expect(controller.seat?.driver).toEqual(drivers[0])
  expect([controller.state, open()]).toEqual(['connected', 1])
})

describe('a switch', () => {
  test('has eight steps, each with its time', async () => {
    const { controller } = world()
    const record = await controller.switchTo([{ engine: 'magnitude', mode: null }], why)
    expect(record).toMatchObject({ success: true, from: { engine: 'none' }, to: { engine: 'magnitude' } })
    expect(record.steps.map(({ step, result }) => `${step} ${result}`)).toEqual([
      ...['detect ok', 'decide ok', 'capture ok', 'disconnect ok', 'alive ok', 'connect ok', 'verify ok', 'resume ok'],
    ])
  })

  test('goes on to the next one when an engine cannot be connected, or does not see the page', async () => {
    for (const conductOfFirst of ['fails', 'hangs', 'blind'] as const) {
      // Two engines are tried: that takes its time on a busy machine, and the limit of the whole is not the point here.
      const { controller, records, state, open } = world(10_000)
      state.conduct = conductOfFirst
      const [first, second] = [drivers[0] as Driver, drivers[2] as Driver]
      const switching = controller.switchTo([first, second], why)
      await expect(switching).rejects.toMatchObject({ code: 'engine-failed' })
      expect(records.map(({ to, success }) => `${to.engine} ${success}`)).toEqual([
        'stagehand false',
        'magnitude false',
      ])
      expect([controller.state, open()]).toEqual(['idle', 0])
    }
  })

  test('ends as browser-died, recorded, when the browser does not answer', async () => {
    const { controller, records, state } = world(10_000)
    const answers = state
    const connected = await controller.connect(drivers[0] as Driver)
    expect(connected.url).toBe('http://page/')
    const switching = controller.switchTo([drivers[2] as Driver], why)
    await Promise.resolve()
    await Promise.resolve()
    answers.alive = false
    await expect(switching).rejects.toMatchObject({ code: expect.stringMatching(/browser-died|not-active/) as string })
    expect(controller.seat).toBeNull()
    expect(records.every(({ success }) => !success)).toBe(true)
  })

  test('an operation that runs out of time is cut off for good', async () => {
    const { controller, state, open } = world()
    await controller.connect(drivers[0] as Driver)
    const slow = controller.operate(10, () => new Promise(() => {}))
    await expect(slow).rejects.toMatchObject({ code: 'timeout' })
    expect(open()).toBe(0)
    expect(state.acted).toBe(0)
  })

  test('after a stop every call says so, and a second stop is fine', async () => {
    const { controller } = world()
    await controller.connect(drivers[0] as Driver)
    controller.stop()
    controller.stop()
    await expect(controller.connect(drivers[0] as Driver)).rejects.toMatchObject({ code: 'stopping' })
    await expect(controller.switchTo(drivers, why)).rejects.toMatchObject({ code: 'stopping' })
    await expect(controller.operate(10, async () => 1)).rejects.toMatchObject({ code: 'stopping' })
    await expect(controller.handBack(drivers[0] as Driver, () => 1)).rejects.toMatchObject({ code: 'stopping' })
    await expect(controller.release(false)).rejects.toMatchObject({ code: 'stopping' })
  })
})
