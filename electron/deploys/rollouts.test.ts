import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LegProgress, Rollout } from '../../shared/domain/rollout.ts'
import { hasEnded } from '../../shared/domain/rollout-states.ts'
import { settle, TestClock } from '../test-clock.ts'
import { lostMs } from './ask-machine.ts'
import { Rollouts } from './rollouts.ts'
import { type Manner, MemoryRollouts, TestWorld } from './test-world.ts'

interface Options {
  maxUnavailable?: number
  onFailure?: 'stop' | 'continue'
}

function stage(manners: Record<string, Manner>) {
  const clock = new TestClock()
  const world = new TestWorld(clock, manners)
  const store = new MemoryRollouts()
  const told: LegProgress[] = []
  const console = () => {
    const rollouts = new Rollouts({
      ...{ machines: world, store: { rollouts: store }, clock, log: () => {} },
      ...{ onChanged: () => {}, onProgress: (progress) => void told.push(progress) },
    })
    rollouts.start()
    return rollouts
  }
  const machines = Object.keys(manners).map((id) => ({ machineId: id, name: id, environment: 'prod' as const }))
  const wish = ({ maxUnavailable = 1, onFailure = 'stop' }: Options = {}) => ({
    ...{ machines, tag: 'v2', operator: 'ada', force: false, maxUnavailable, onFailure },
  })
  const now = () => store.get(1) as Rollout
  return { clock, world, store, told, console, wish, now, states: () => now().legs.map(({ state }) => state) }
}

test('one after the other, and the digests to go back to are kept', async () => {
  const { clock, console, wish, now, world } = stage({ a: 'good', b: 'good' })
  console().begin(wish())
  await clock.advance(60_000)
  expect(now()).toMatchObject({ status: 'completed' })
  expect(now().legs[0]).toMatchObject({ agentDeployId: 2, digest: 'sha256:v2', previousDigest: 'sha256:v1' })
  expect(world.most).toBe(1)
})

test.each<[Manner, string, RegExp]>([
  ['sick', 'failed', /What ran before runs again/],
  ['busy', 'busy', /still has 1 job/],
  ['held', 'held', /Grace has control/],
  ['dead', 'unreachable', /does not answer. Nothing was changed/],
  ['refuses', 'refused', /Docker is not installed/],
  ['dies', 'failed', /The agent ended/],
])('a machine that is %s ends as %s, the rest is not begun, and the words say why', async (manner, state, words) => {
  const { clock, console, wish, now, states } = stage({ a: manner, b: 'good' })
  console().begin(wish())
  await clock.advance(60_000)
  expect(states()).toEqual([state, 'skipped'])
  expect(now().status).toBe('failed')
  expect(now().legs[0]?.detail).toMatch(words)
})

test.each<Manner>(['cut-before', 'cut-after'])(
  'a connection that is %s loses nothing, and deploys once',
  async (manner) => {
    const { clock, console, wish, states, world } = stage({ a: manner })
    console().begin(wish())
    await clock.advance(60_000)
    expect(states()).toEqual(['completed'])
    expect([...world.agent('a').runs.values()]).toEqual([1])
  },
)

test('a machine that dies for good is lost; found again, its own record says what happened', async () => {
  const { clock, console, wish, now, states, world } = stage({ a: 'good' })
  const rollouts = console()
  rollouts.begin(wish())
  await clock.advance(1000)
  world.agent('a').up = false
  await clock.advance(1000)
  const [, mine] = world.agent('a').deploys
  rollouts.stop()
  const next = console()
  await clock.advance(lostMs + 60_000)
  expect(states()).toEqual(['lost'])
  expect(now().legs[0]?.detail).toMatch(/ends the deploy by itself/)
  world.agent('a').up = true
  expect(mine?.status).toBe('completed')
  next.retry(1, ['a'], false)
  await clock.advance(10_000)
  expect(now().status).toBe('completed')
  expect([...world.agent('a').runs.values()]).toEqual([1])
})

test('paused, nothing more begins; resumed, it goes on', async () => {
  const { clock, console, wish, states, now } = stage({ a: 'good', b: 'good' })
  const rollouts = console()
  rollouts.begin(wish())
  await clock.advance(1000)
  rollouts.pause(1)
  await clock.advance(60_000)
  expect([now().status, states()]).toEqual(['paused', ['completed', 'waiting']])
  rollouts.resume(1)
  await clock.advance(60_000)
  expect(now().status).toBe('completed')
  expect(() => rollouts.resume(1)).toThrow(/neither paused/)
})

test('cancelled, what is under way is put back and the rest is not begun', async () => {
  const { clock, console, wish, states, now } = stage({ a: 'good', b: 'good' })
  const rollouts = console()
  rollouts.begin(wish())
  await clock.advance(1000)
  rollouts.cancel(1)
  await clock.advance(10_000)
  expect([now().status, states()]).toEqual(['cancelled', ['cancelled', 'skipped']])
})

test('a rollback takes back its own deploy only: what someone deployed since stays', async () => {
  const { clock, console, wish, world, store } = stage({ a: 'good', b: 'good' })
  const rollouts = console()
  rollouts.begin(wish({ maxUnavailable: 2 }))
  await clock.advance(60_000)
  world.agent('b').deploys.push({ ...(world.agent('b').deploys[1] as never as object), id: 9, imageTag: 'v9' } as never)
  const machines = (store.get(1) as Rollout).legs.map(({ machineId, name, environment, agentDeployId }) => ({
    ...{ machineId, name, environment, undoes: agentDeployId },
  }))
  rollouts.begin({ ...wish({ onFailure: 'continue' }), kind: 'rollback', machines, rollbackOf: 1 })
  await clock.advance(60_000)
  const back = store.get(2) as Rollout
  expect(back.legs.map(({ state }) => state)).toEqual(['completed', 'changed'])
  expect(back.legs[1]?.detail).toMatch(/v9 was deployed there since/)
})

test('a machine of a deploy that has not ended is not given to another one', async () => {
  const { console, wish } = stage({ a: 'good' })
  const rollouts = console()
  rollouts.begin(wish())
  expect(() => rollouts.begin(wish())).toThrow(/a belongs to the deploy of v2/)
})

test('steps of an agent are told as they happen, and those of an older deploy are not', async () => {
  const { clock, console, wish, told } = stage({ a: 'good' })
  const rollouts = console()
  rollouts.begin(wish())
  await clock.advance(1000)
  const step = { ...{ seq: 1, time: '', type: 'deploy_step', imageTag: 'v2', step: 'drain', status: 'started' } }
  const rest = { service: null, message: 'Draining', progress: 0.5 }
  rollouts.heard('a', { ...step, ...rest, deployId: 1 } as never)
  rollouts.heard('a', { ...step, ...rest, deployId: 2 } as never)
  expect(told.filter((one) => one.step === 'drain')).toEqual([
    { rolloutId: 1, machineId: 'a', step: 'drain', message: 'Draining', progress: 0.5 },
  ])
})

test('a step that cannot be stored is not taken', async () => {
  const { clock, console, wish, store, world, now } = stage({ a: 'good' })
  const rollouts = console()
  let saves = 0
  store.onSave = () => {
    if (++saves > 1 && saves < 4) throw new Error('disk full')
  }
  rollouts.begin(wish())
  await clock.advance(1000)
  expect(world.agent('a').deploys).toHaveLength(1)
  await clock.advance(60_000)
  expect(now().status).toBe('completed')
})

test('while nothing can be stored the machines are asked now and then, not without end', async () => {
  const { clock, console, wish, store, world, now } = stage({ a: 'good', b: 'good', c: 'good' })
  const rollouts = console()
  let saves = 0
  let full = true
  store.onSave = () => {
    // Not for ever: a console that asks without end must be able to fail this.
    if (++saves > 4 && saves < 500 && full) throw new Error('disk full')
  }
  rollouts.begin(wish({ maxUnavailable: 3 }))
  await clock.advance(60_000)
  // Three machines, three questions each, at most every five seconds.
  expect(world.calls).toBeLessThanOrEqual(13 * 9)
  full = false
  await clock.advance(60_000)
  expect(now().status).toBe('completed')
})

test('a console that is let go of tries nothing again', async () => {
  const { clock, console, wish, store, world } = stage({ a: 'good' })
  const rollouts = console()
  let saves = 0
  store.onSave = () => {
    if (++saves > 2) throw new Error('disk full')
  }
  rollouts.begin(wish())
  await clock.advance(1000)
  rollouts.stop()
  const before = world.calls
  await clock.advance(60_000)
  expect(world.calls).toBe(before)
})

const manner = fc.constantFrom<Manner>(
  'good',
  'good',
  'sick',
  'busy',
  'held',
  'dead',
  'refuses',
  'cut-before',
  'cut-after',
  'dies',
)

test('killed at any moment, any number of times: nothing runs twice, nothing beyond the limit, and all ends have names', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(manner, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 3 }),
      fc.constantFrom('stop' as const, 'continue' as const),
      fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 5 }),
      fc.array(fc.constantFrom('pause' as const, 'resume' as const, 'cancel' as const, 'wait' as const), {
        maxLength: 6,
      }),
      async (manners, maxUnavailable, onFailure, kills, orders) => {
        const scene = stage(Object.fromEntries(manners.map((one, place) => [`m${place}`, one])))
        let rollouts: Rollouts
        let left = kills.shift() ?? Number.POSITIVE_INFINITY
        let killed = false
        // As kill -9: what was just stored is there, and nothing that would follow it happens.
        scene.store.onSave = () => {
          if (--left > 0) return
          left = kills.shift() ?? Number.POSITIVE_INFINITY
          killed = true
          rollouts?.stop()
        }
        rollouts = scene.console()
        rollouts.begin(scene.wish({ maxUnavailable, onFailure }))
        for (let turn = 0; turn < 60 && !hasEnded(scene.now().status); turn++) {
          if (killed) {
            killed = false
            rollouts.stop()
            rollouts = scene.console()
          }
          const order = orders.shift()
          try {
            if (order === 'pause') rollouts.pause(1)
            else if (order === 'cancel') rollouts.cancel(1)
            else if (order === 'resume' || orders.length === 0) rollouts.resume(1)
          } catch {
            // What does not fit its state is refused, and changes nothing.
          }
          await scene.clock.advance(turn < 20 ? 1500 : lostMs / 4)
        }
        await settle()
        expect(hasEnded(scene.now().status)).toBe(true)
        expect(scene.world.most).toBeLessThanOrEqual(maxUnavailable)
        for (const leg of scene.now().legs) {
          const agent = scene.world.agent(leg.machineId)
          expect([...agent.runs.values()].reduce((sum, runs) => sum + runs, 0)).toBeLessThanOrEqual(1)
          const really = agent.deploys.find(({ id }) => id > 1)
          expect(leg.state === 'completed').toBe(really?.status === 'completed')
          if (leg.state === 'skipped' || leg.state === 'held') expect(really).toBeUndefined()
        }
      },
    ),
    { numRuns: 150 },
  )
}, 60_000)
