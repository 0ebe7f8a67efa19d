import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Dockerd, noDockerd, startDockerd } from '../../e2e/rigs/dockerd.ts'
import type { DeployPause } from './journal.ts'
import { importServiceImage, runServices } from './test-image.ts'
import { problemOf, startTestMachine, type TestMachine } from './test-machine.ts'

const patient = { timeoutMs: 60_000 }
const bothRun = ['ghosthands-api+', 'ghosthands-worker+']

describe.skipIf(noDockerd !== undefined)(`cancelling a deploy ${noDockerd ?? ''}`, () => {
  let dockerd: Dockerd
  let machine: TestMachine | undefined
  beforeAll(async () => {
    dockerd = await startDockerd()
    for (const tag of ['v1', 'v2']) await importServiceImage(dockerd, `ghosthands:${tag}`, 'good')
  }, 120_000)
  afterAll(() => dockerd?.stop())
  afterEach(async () => {
    await machine?.clear()
    await machine?.stop()
    machine = undefined
  })

  /** Cancels a deploy of v2 at one moment; how both calls end. */
  const cancelAt = async (step: string, action: string, target: string | null) => {
    let cancelled: Promise<unknown> | undefined
    const pauseDeploy: DeployPause = async (moment) => {
      if (moment.when !== 'stored' || moment.step !== step || moment.action !== action || moment.target !== target)
        return
      cancelled ??= started.rig.client.call('deploys.cancel', {}, patient)
      cancelled.catch(() => {})
      // The agent must have heard it before the step goes on; it cannot have ended the deploy yet.
      while (!(await started.rig.client.call('audit.list', { action: 'stop' })).entries.length) {}
    }
    const started = await startTestMachine(dockerd, { pauseDeploy })
    machine = started
    await runServices(dockerd, started.services, 'v1')
    const deploying = started.rig.client.call('deploys.deploy', { image_tag: 'v2' }, patient)
    const end = await deploying.then(
      (answer) => answer,
      (error: unknown) => error,
    )
    return {
      client: started.rig.client,
      end,
      cancel: () => cancelled ?? Promise.reject(new Error('never cancelled')),
      started,
    }
  }

  test.each([
    ['pull', 'pull', null],
    ['drain', 'drain', 'ghosthands-worker'],
    ['stop', 'stop', 'ghosthands-worker'],
    ['stop', 'aside', 'ghosthands-api'],
    ['start', 'create', 'ghosthands-api'],
    ['start', 'start', 'ghosthands-api'],
    ['health', 'health', 'ghosthands-api'],
    ['start', 'start', 'ghosthands-worker'],
    ['health', 'health', 'ghosthands-worker'],
  ])('at %s (%s %s): what ran before runs again', async (step, action, target) => {
    const { client, end, cancel, started } = await cancelAt(step, action, target)
    expect(end).toMatchObject({ code: 'conflict', extra: { deployStatus: 'cancelled', restored: true } })
    expect(await cancel()).toMatchObject({ success: true })
    expect(await started.containers()).toEqual(bothRun)
    const images = (await client.call('containers.list')).map(({ image }) => image)
    expect(images).toEqual(['ghosthands:v1', 'ghosthands:v1'])
    expect((await client.call('workers.list'))[0]).toMatchObject({ status: 'idle' })
    expect((await client.call('deploys.list')).deploys[0]).toMatchObject({ status: 'cancelled', step: 'done' })
    expect(await client.call('machine.health')).toMatchObject({ status: 'ok', deploySafe: true, currentDeploy: null })
  })

  test('once the new ones have proved themselves it is too late, and says so', async () => {
    const { end, cancel, started } = await cancelAt('cleanup', 'remove', 'ghosthands-api')
    expect(end).toMatchObject({ success: true })
    expect((await problemOf(cancel())).message).toContain('past the point')
    expect(await started.containers()).toEqual(bothRun)
  })

  test('without a deploy there is nothing to cancel', async () => {
    machine = await startTestMachine(dockerd)
    expect((await problemOf(machine.rig.client.call('deploys.cancel'))).code).toBe('conflict')
  })
})
