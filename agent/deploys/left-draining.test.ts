import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { OneAtATime } from '../docker/one-at-a-time.ts'
import { LeftDraining } from './left-draining.ts'
import type { PlannedInstance } from './plan.ts'
import { ServicesFile } from './services-file.ts'

const files = new ServicesFile('/nonexistent/services.json', '/nonexistent/.env')
const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** A worker that was left with a job, and what is done about it. */
async function leave() {
  const own = { active_jobs: 1, is_draining: true }
  let asked = 0
  const server = http.createServer((_request, response) => {
    asked++
    response.end(JSON.stringify(own))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const restarted: string[] = []
  const saved: string[][] = []
  const names = (instances: readonly PlannedInstance[]) => instances.map(({ name }) => name)
  const parts = {
    docker: {
      inspectContainer: async () => ({ running: true }),
      restartContainer: async (id: string) => void restarted.push(id),
    },
    store: { saveLeftDraining: (left: readonly PlannedInstance[]) => void saved.push(names(left)) },
  }
  const left = new LeftDraining({
    ...(parts as unknown as Pick<ConstructorParameters<typeof LeftDraining>[0], 'docker' | 'store'>),
    ...{ files, lock: new OneAtATime(), log: () => {}, isBusy: () => false, record: () => {} },
  })
  const { port } = server.address() as AddressInfo
  left.watch([{ service: 'worker', name: 'w', port, oldId: 'id-w', wasAlive: true }])
  ends.push(
    () => left.close(),
    () => server.close(),
  )
  return { own, left, restarted, saved, asked: () => asked }
}
const soon = { timeout: 20_000 }

test('it is restarted when its last job is done, once', async () => {
  const { own, restarted, saved, left, asked } = await leave()
  await vi.waitUntil(() => asked() > 0, soon)
  expect(restarted).toEqual([])
  own.active_jobs = 0
  await vi.waitUntil(() => saved.length > 0, soon)
  expect([restarted, saved, left.instances]).toEqual([['id-w'], [[]], []])
})
test('one that someone else restarted meanwhile is left alone', async () => {
  const { own, restarted, saved } = await leave()
  own.is_draining = false
  await vi.waitUntil(() => saved.length > 0, soon)
  expect(restarted).toEqual([])
})
test('one that a person wants drained is forgotten', async () => {
  const { left, saved } = await leave()
  left.forget(['id-other'])
  expect(saved).toEqual([])
  left.forget(['id-w'])
  expect([left.instances, saved]).toEqual([[], [[]]])
})
