import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../e2e/rigs/until.ts'
import type { Situation, World } from './situation.ts'

const connecting = { engine: 'stagehand' } as const
const switching = { to: 'magnitude' } as const
const handingBack = async ({ call }: World) => {
  const { leaseId } = await call('takeover.take', { operator: 'Ann' })
  return { leaseId, handBackTo: 'stagehand' as const }
}
const changing = ({ call }: World) => until('a change', async () => (await call('engine.get')).switching)
/** One change of engines that hangs, and before which all others have to wait. */
const oneHangs = async (world: World) => {
  const { have, engines, call } = world
  await have('headless')
  engines.conduct = 'hangs'
  const hanging = call('engine.connect', connecting).catch(() => {})
  await changing(world)
  return () => hanging
}

/** Engines that are not what they should be, and what happens while one is being changed for another. */
export const engineSituations: readonly Situation[] = [
  {
    name: 'the engine’s library is not installed',
    code: 'install-required',
    async arrange({ have, engines }) {
      await have('headless')
      engines.conduct = 'missing'
    },
    calls: { 'engine.connect': connecting, 'engine.switch': switching, 'takeover.handBack': handingBack },
  },
  {
    name: 'the engine cannot connect',
    code: 'engine-failed',
    async arrange({ have, engines }) {
      await have('headless')
      engines.conduct = 'fails'
    },
    calls: {
      'engine.connect': connecting,
      'engine.switch': switching,
      'engine.run': async ({ call }) => {
        const { cascade } = await call('engine.config')
        const [dom] = cascade.levels
        if (dom === undefined) throw new Error('the cascade is empty')
        await call('engine.setConfig', { cascade: { ...cascade, levels: [dom] } })
        return { instruction: 'click' }
      },
      'takeover.handBack': handingBack,
    },
  },
  {
    name: 'the engine’s connect hangs',
    code: 'timeout',
    async arrange({ have, engines }) {
      await have('headless')
      engines.conduct = 'hangs'
    },
    calls: { 'engine.connect': connecting, 'engine.switch': switching, 'takeover.handBack': handingBack },
  },
  {
    name: 'an operation runs',
    code: 'conflict',
    async arrange({ have, engines, call }) {
      await have('headless')
      engines.conduct = 'thinks'
      const running = call('engine.run', { instruction: 'click' }).catch(() => {})
      await until('the operation', async () => (await call('engine.get')).state === 'connected')
      return async () => {
        await call('engine.release', { force: true })
        await running
      }
    },
    calls: { 'engine.run': { instruction: 'click' } },
  },
  {
    name: 'a job runs',
    code: 'conflict',
    async arrange({ have, call, pages }) {
      await have('headless')
      const { id } = await call('jobs.start', { url: `${pages.origin}/never` })
      return async () => {
        await call('browser.stop')
        await until('the job to end', async () => (await call('jobs.get', { id })).state !== 'running')
      }
    },
    calls: { 'jobs.start': { url: 'about:blank' } },
  },
  {
    name: 'somebody releases the engine by force while it is being changed',
    code: 'conflict',
    arrange: oneHangs,
    calls: { 'engine.connect': connecting, 'engine.switch': switching, 'engine.release': {} },
    meanwhile: ({ call }) => call('engine.release', { force: true }),
  },
  {
    name: 'somebody releases the engine by force while it is handed back to',
    code: 'conflict',
    async arrange({ have, engines }) {
      await have('headless')
      engines.conduct = 'hangs'
    },
    calls: { 'takeover.handBack': handingBack },
    async meanwhile(world) {
      await changing(world)
      await world.call('engine.release', { force: true })
    },
  },
  {
    name: 'a person takes control while the engine is being changed',
    code: 'held-by-operator',
    arrange: oneHangs,
    calls: { 'engine.connect': connecting, 'engine.switch': switching, 'engine.release': {} },
    meanwhile: ({ call }) => call('takeover.take', { operator: 'Ann' }),
  },
  {
    name: 'the browser dies while the engine is handed back to',
    code: 'browser-died',
    async arrange({ have, engines }) {
      await have('headless')
      engines.conduct = 'hangs'
    },
    calls: { 'takeover.handBack': handingBack },
    async meanwhile(world) {
      await changing(world)
      await world.signal('SIGKILL')
    },
  },
  {
    name: 'the browser dies while the engine is being changed',
    code: 'browser-died',
    arrange: oneHangs,
    calls: {
      'engine.connect': connecting,
      'engine.switch': switching,
      'engine.run': { instruction: 'click' },
      'engine.release': {},
    },
    async meanwhile({ signal }) {
      // What was taken in a moment ago is on its way to the engine's lock.
      await sleep(200)
      await signal('SIGKILL')
    },
  },
]
