import type { ContainerInfo, ContainerStats } from 'dockerode'
import { expect, test } from 'vitest'
import { ContainerLoads, cpuPercent, memoryOf } from './container-load.ts'

test('the share of all cores is counted between two looks, and a first look or a restart has none', () => {
  const before = { at: 1000, cpuNs: 5e9 }
  expect(cpuPercent(before, { at: 2000, cpuNs: 6e9 }, 2)).toBe(50)
  expect(cpuPercent(undefined, before, 2)).toBeNull()
  expect(cpuPercent(before, { at: 2000, cpuNs: 1e9 }, 2)).toBeNull()
})

test('memory is what cannot be taken back, and a limit only where there is one', () => {
  const stats = (usage: number, limit: number, cache: number) =>
    ({ memory_stats: { usage, limit, stats: { inactive_file: cache } } }) as ContainerStats
  const mb = 2 ** 20
  expect(memoryOf(stats(30 * mb, 64 * mb, 10 * mb), 1024 * mb)).toEqual({ memoryMb: 20, memoryLimitMb: 64 })
  expect(memoryOf(stats(30 * mb, 1024 * mb, 0), 1024 * mb)).toEqual({ memoryMb: 30, memoryLimitMb: null })
  // The first version of cgroups: a container with groups of its own, such as one that runs systemd.
  const first = { usage: 30 * mb, limit: 64 * mb, stats: { inactive_file: mb, total_inactive_file: 25 * mb } }
  expect(memoryOf({ memory_stats: first } as unknown as ContainerStats, 1024 * mb).memoryMb).toBe(5)
  expect(memoryOf({ memory_stats: {} } as ContainerStats, 1024 * mb)).toEqual({ memoryMb: 0, memoryLimitMb: null })
})

test('one that is paused takes its memory as before, and one that has ended takes nothing', async () => {
  const states = ['running', 'paused', 'exited', 'created']
  const containers = states.map((State) => ({ Id: State, Names: [`/${State}`], State }) as unknown as ContainerInfo)
  const loads = new ContainerLoads({
    listContainers: () => Promise.resolve(containers),
    containerStats: () => Promise.resolve({ memory_stats: { usage: 2 ** 20 } } as ContainerStats),
  })
  expect((await loads.read()).map(({ name, memoryMb }) => [name, memoryMb])).toEqual([
    ['running', 1],
    ['paused', 1],
  ])
})
