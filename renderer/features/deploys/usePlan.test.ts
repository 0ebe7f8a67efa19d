import { beforeEach, expect, test, vi } from 'vitest'

const main = vi.hoisted(() => ({
  asked: [] as unknown[],
  tell: (_: unknown) => {},
  answer: (_: unknown) => {},
}))
vi.mock('../../app/bridge.ts', () => ({
  problemOf: (error: unknown) => error,
  onIpcEvent: (_name: string, listener: (data: unknown) => void) => {
    main.tell = listener
    return () => {}
  },
  call: (name: string, params: unknown) => {
    main.asked.push([name, params])
    if (name !== 'deploys.plan') return Promise.resolve({})
    return new Promise((resolve) => {
      main.answer = resolve
    })
  },
}))
const { lookAtAll } = await import('./usePlan.ts')
const wish = { planId: 'p1', machineIds: ['a', 'b'], maxUnavailable: 1 }
const settled = () => new Promise((resolve) => setTimeout(resolve))
beforeEach(() => {
  main.asked.length = 0
})

test('how far the look has come is told, and a plan of another window is not', async () => {
  const told: unknown[] = []
  const stop = lookAtAll(wish, (look) => told.push(look))
  main.tell({ planId: 'p1', looked: 1 })
  main.tell({ planId: 'p2', looked: 700 })
  main.answer({ machines: [], looked: 2 })
  await settled()
  expect(told).toEqual([
    { phase: 'looking', looked: 1 },
    { phase: 'looked', machines: [], looked: 2 },
  ])
  stop()
  expect(main.asked).toEqual([['deploys.plan', wish]])
})

test('a look that is no longer wanted ends in main as well, and tells nothing more', async () => {
  const told: unknown[] = []
  const stop = lookAtAll(wish, (look) => told.push(look))
  stop()
  expect(main.asked).toEqual([
    ['deploys.plan', wish],
    ['deploys.stopPlan', { planId: 'p1' }],
  ])
  main.tell({ planId: 'p1', looked: 1 })
  main.answer({ machines: [], looked: 1 })
  await settled()
  expect(told).toEqual([])
})
