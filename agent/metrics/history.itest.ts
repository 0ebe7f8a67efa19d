import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestAgent } from '../../e2e/rigs/agent.ts'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { until } from '../../e2e/rigs/until.ts'
import type { Metrics } from '../../shared/contract/machine.ts'
import { historyEveryMs, historyKeptMs } from '../../shared/contract/metrics-history.ts'
import { MetricsHistory } from './history.ts'
import { type ContainerUse, HistoryStore } from './history-store.ts'

const load = (cpu: number): Metrics => ({
  cpu: { usagePercent: cpu, cores: 2 },
  memory: { usedMb: 1, totalMb: 2, usagePercent: 50 },
  disk: { usedGb: 1, totalGb: 2, usagePercent: 60 },
  network: { rxBytesPerSec: 10, txBytesPerSec: 20 },
})
const tick = historyEveryMs
const now = Math.floor(Date.now() / 60_000) * 60_000
const all = { everyMs: tick, containers: true }

let folder: ReturnType<typeof freshFolder>
let logged: string[]
let uses: ContainerUse[] | Error
const open = () =>
  new MetricsHistory({
    store: new HistoryStore(folder.folder),
    metrics: { read: async () => load(1) },
    containers: async () => {
      if (uses instanceof Error) throw uses
      return uses
    },
    log: (_level, message) => void logged.push(message),
  })
beforeEach(() => {
  folder = freshFolder('history')
  logged = []
  uses = []
})
afterEach(() => folder.remove())

test('readings stand at full ticks, survive a restart, and are thinned to their mean', async () => {
  const first = open()
  uses = [
    { name: 'api', cpu: null, memoryMb: 100 },
    { name: 'worker', cpu: 4, memoryMb: 50 },
  ]
  await first.take(load(10), now - 6 * tick + 40)
  uses = [{ name: 'worker', cpu: 8, memoryMb: 70 }]
  // A timer that came early belongs to the tick that it was set for, and a second one replaces it.
  await first.take(load(99), now - 5 * tick - 3)
  await first.take(load(20), now - 5 * tick + 1)
  uses = new Error('Docker is frozen')
  await first.take(load(30), now - 3 * tick)
  first.close()

  const second = open()
  expect(second.read(all, now)).toEqual({
    everyMs: tick,
    points: [
      { at: now - 6 * tick, cpu: 10, memory: 50, disk: 60, rx: 10, tx: 20 },
      { at: now - 5 * tick, cpu: 20, memory: 50, disk: 60, rx: 10, tx: 20 },
      { at: now - 3 * tick, cpu: 30, memory: 50, disk: 60, rx: 10, tx: 20 },
    ],
    containers: [
      { name: 'api', points: [{ at: now - 6 * tick, cpu: null, memoryMb: 100 }] },
      {
        name: 'worker',
        points: [
          { at: now - 6 * tick, cpu: 4, memoryMb: 50 },
          { at: now - 5 * tick, cpu: 8, memoryMb: 70 },
        ],
      },
    ],
  })
  const thinned = second.read({ everyMs: 30_000, containers: true }, now)
  expect(thinned.points.map(({ at, cpu }) => [at, cpu])).toEqual([
    [now - 6 * tick, 15],
    [now - 3 * tick, 30],
  ])
  expect(thinned.containers[1]?.points).toEqual([{ at: now - 6 * tick, cpu: 6, memoryMb: 60 }])
  const span = { from: new Date(now - 5 * tick).toISOString(), to: new Date(now - 3 * tick).toISOString() }
  expect(second.read({ ...span, everyMs: tick, containers: false }, now)).toMatchObject({
    points: [{ at: now - 5 * tick }],
    containers: [],
  })
  second.close()
})

test('a day is kept and no more, also after a clock that was ahead, and a day is small', async () => {
  const store = new HistoryStore(folder.folder)
  const containers = Array.from({ length: 4 }, (_, n) => ({
    name: `ghosthands-worker-${n}`,
    cpu: 12.5,
    memoryMb: 812.3,
  }))
  const rest = { cpu: 12.5, memory: 61.2, disk: 44.1, rx: 123_456, tx: 654_321, containers }
  const days = 1.2
  const ticks = (days * historyKeptMs) / tick
  for (let n = 0; n < ticks; n++) store.add({ at: now - (ticks - 1 - n) * tick, ...rest })
  store.add({ at: now + historyKeptMs, ...rest })
  store.forget(now)
  const kept = Array.from(store.between(0, Number.MAX_SAFE_INTEGER), ({ at }) => at)
  expect(kept.length).toBe(historyKeptMs / tick)
  expect([kept[0], kept.at(-1)]).toEqual([now - historyKeptMs + tick, now])
  store.close()
  expect(fs.statSync(path.join(folder.folder, 'metrics.db')).size).toBeLessThan(4e6)
})

test('a row has at most 32 containers, those that take the most', async () => {
  const history = open()
  uses = Array.from({ length: 200 }, (_, n) => ({ name: `c${n}`, cpu: 0, memoryMb: n }))
  await history.take(load(1), now)
  const { containers } = history.read(all, now)
  expect(containers).toHaveLength(32)
  expect(containers[0]?.name).toBe('c199')
  history.close()
})

test('a disk that does not take it is said once, and nothing else breaks', async () => {
  fs.mkdirSync(path.join(folder.folder, 'metrics.db'))
  const history = open()
  await history.take(load(1), now)
  await history.take(load(1), now + tick)
  expect(logged).toEqual(['the load could not be kept'])
  fs.rmdirSync(path.join(folder.folder, 'metrics.db'))
  await history.take(load(7), now)
  expect(history.read(all, now + tick).points).toMatchObject([{ cpu: 7 }])
  history.close()
})

test('an agent writes down its load by itself, and gives it to who has its secret', async () => {
  const rig = await startTestAgent()
  try {
    const { points } = await until('a tick', async () => {
      const answer = await rig.client.call('machine.metricsHistory')
      return answer.points.length > 0 && answer
    })
    expect(points[0]?.at).toBe(Math.round((points[0]?.at ?? 1) / tick) * tick)
    expect(points[0]?.memory).toBeGreaterThan(0)
    const future = { from: new Date(Date.now() + 3_600_000).toISOString() }
    expect((await rig.client.call('machine.metricsHistory', future)).points).toEqual([])
    await expect(rig.clientAs({}).call('machine.metricsHistory')).rejects.toMatchObject({ code: 'unauthorized' })
  } finally {
    await rig.stop()
  }
})
