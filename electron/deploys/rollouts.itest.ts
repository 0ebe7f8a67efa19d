import { rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Dockerd, noDockerd, startDockerd } from '../../e2e/rigs/dockerd.ts'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import {
  type DeployPause,
  importServiceImage,
  setJobs,
  startTestMachine,
  type TestMachine,
} from '../../e2e/rigs/service-machine.ts'
import { until } from '../../e2e/rigs/until.ts'
import { hasEnded } from '../../shared/domain/rollout-states.ts'
import { systemClock } from '../clock.ts'
import { openStore, type Store } from '../store/store.ts'
import type { Machines } from './ask-machine.ts'
import { Rollouts } from './rollouts.ts'

describe.skipIf(noDockerd !== undefined)(`rollouts with a real agent ${noDockerd ?? ''}`, () => {
  let dockerd: Dockerd
  let machine: TestMachine
  let hold: Promise<void> | undefined
  const pauseDeploy: DeployPause = async ({ when, step }) => {
    if (when === 'stored' && step === 'start') await hold
  }
  const data = freshFolder('rollouts')
  const file = path.join(data.folder, 'console.db')
  let store: Store
  beforeAll(async () => {
    dockerd = await startDockerd()
    for (const tag of ['v1', 'v2']) await importServiceImage(dockerd, `ghosthands:${tag}`, 'good')
    machine = await startTestMachine(dockerd, { pauseDeploy })
    store = openStore(file)
  }, 120_000)
  afterAll(async () => {
    store?.close()
    await machine?.stop()
    await dockerd?.stop()
    data.remove()
    rmSync(file, { force: true })
  })

  const machines: Machines = {
    has: () => true,
    call: (_id, name, params, options) => machine.rig.client.call(name, params, options),
  }
  const own = () => machine.rig.client.call('deploys.list', { pageSize: 200 })
  const make = (onChanged: () => void = () => {}) =>
    new Rollouts({ ...{ machines, store, clock: systemClock, log: () => {}, onChanged, onProgress: () => {} } })
  const wish = (tag: string, force = false) => ({
    ...{ tag, operator: 'ada', force, maxUnavailable: 1, onFailure: 'stop' as const },
    machines: [{ machineId: 'm1', name: 'box', environment: 'dev' as const }],
  })
  const ended = (id: number) =>
    until(
      'the rollout to end',
      () => {
        const rollout = store.rollouts.get(id)
        return rollout !== undefined && hasEnded(rollout.status) ? rollout : undefined
      },
      60_000,
    )

  test('let go of after each of its steps, it is taken up where it was, and each deploy runs once', async () => {
    // Stored, in this order: begun, checked, deployed, ended.
    for (const killAfter of [1, 2, 3]) {
      const tag = killAfter % 2 === 0 ? 'v2' : 'v1'
      const before = (await own()).total
      let saves = 0
      // What the windows are told follows each write at once: that is the moment.
      const first: Rollouts = make(() => {
        if (saves++ === killAfter) first.stop()
      })
      const { id } = first.begin(wish(tag))
      await until('it to have been let go of', () => saves > killAfter, 60_000)
      store.close()
      store = openStore(file)
      const next = make()
      next.start()
      await until('the choice', () => {
        const status = store.rollouts.get(id)?.status
        if (status === 'interrupted') next.resume(id)
        return status !== 'interrupted'
      })
      const rollout = await ended(id)
      next.stop()
      expect([killAfter, rollout.status, rollout.legs[0]?.attempt]).toEqual([killAfter, 'completed', 1])
      expect((await own()).total).toBe(before + 1)
      expect((await own()).deploys[0]).toMatchObject({ imageTag: tag, status: 'completed' })
    }
  })

  test('a machine that someone else deploys to, and one whose worker has a job, are left as they are and named', async () => {
    let release = () => {}
    hold = new Promise((resolve) => {
      release = resolve
    })
    const other = machine.rig.client.call('deploys.deploy', { image_tag: 'v2' }, { timeoutMs: 60_000 })
    await until(
      'the other deploy',
      async () => (await machine.rig.client.call('machine.health')).currentDeploy !== null,
    )
    const rollouts = make()
    const refused = await ended(rollouts.begin(wish('v1')).id)
    expect(refused.legs[0]).toMatchObject({ state: 'refused', detail: expect.stringContaining('v2 is being deployed') })
    release()
    await other
    hold = undefined

    await setJobs(machine.services.services.worker.port, 1)
    const busy = await ended(rollouts.begin(wish('v1')).id)
    expect(busy.legs[0]).toMatchObject({ state: 'busy', detail: expect.stringContaining('1 job') })
    expect((await own()).deploys[0]).toMatchObject({ imageTag: 'v1', status: 'failed' })
    // Forced, it is done in spite of the job.
    rollouts.retry(busy.id, ['m1'], true)
    const forced = await until(
      'the second try',
      () => {
        const now = store.rollouts.get(busy.id)
        return now?.legs[0]?.attempt === 2 && hasEnded(now.status) ? now : undefined
      },
      60_000,
    )
    expect(forced.status).toBe('completed')
    rollouts.stop()
  })

  test('cancelled in the middle, the machine has what it had', async () => {
    let release = () => {}
    hold = new Promise((resolve) => {
      release = resolve
    })
    const rollouts = make()
    const { id } = rollouts.begin(wish('v2'))
    await until('the middle', async () => (await own()).deploys[0]?.step === 'start')
    rollouts.cancel(id)
    release()
    hold = undefined
    const rollout = await ended(id)
    rollouts.stop()
    expect([rollout.status, rollout.legs[0]?.state]).toEqual(['cancelled', 'cancelled'])
    const running = (await machine.rig.client.call('containers.list')).filter(({ state }) => state === 'running')
    expect([...new Set(running.map(({ image }) => image))]).toEqual(['ghosthands:v1'])
  })
})
