import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Dockerd, noDockerd, startDockerd } from '../../e2e/rigs/dockerd.ts'
import { until } from '../../e2e/rigs/until.ts'
import { importServiceImage, runServices } from './test-image.ts'
import { listNames, problemOf, startTestMachine, type TestMachine } from './test-machine.ts'

describe.skipIf(noDockerd !== undefined)(`Docker goes away in the middle of a deploy ${noDockerd ?? ''}`, () => {
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

  test('it says so, and puts back what was when Docker is back', async () => {
    let gone = false
    const started = await startTestMachine(dockerd, {
      async pauseDeploy({ when, action, target }) {
        if (gone || when !== 'stored' || action !== 'create' || target !== 'ghosthands-worker') return
        gone = true
        await dockerd.down()
      },
    })
    machine = started
    const { client } = started.rig
    await runServices(dockerd, started.services, 'v1')
    const problem = await problemOf(client.call('deploys.deploy', { image_tag: 'v2' }, { timeoutMs: 60_000 }))
    expect(problem).toMatchObject({ code: 'deploy-failed', extra: { restored: false } })
    expect(problem.message).toContain('as soon as Docker answers')
    expect(await client.call('machine.health')).toMatchObject({ status: 'error', currentDeploy: { imageTag: 'v2' } })
    expect((await problemOf(client.call('deploys.deploy', { image_tag: 'v1' }))).code).toBe('deploy-running')

    await dockerd.up()
    await until('the end', async () => (await client.call('machine.health')).currentDeploy === null, 40_000)
    expect(await listNames(dockerd)).toEqual(['ghosthands-api+', 'ghosthands-worker+'])
    const images = (await client.call('containers.list')).map(({ image }) => image)
    expect(images).toEqual(['ghosthands:v1', 'ghosthands:v1'])
    expect((await client.call('deploys.list')).deploys[0]).toMatchObject({ status: 'rolled_back', step: 'done' })
    expect(await client.call('deploys.deploy', { image_tag: 'v2' }, { timeoutMs: 60_000 })).toMatchObject({
      success: true,
    })
  })

  test('an agent that is stopped in the middle leaves it to the next one', async () => {
    let stopping: Promise<void> | undefined
    const started = await startTestMachine(dockerd, {
      async pauseDeploy({ when, action, target }) {
        if (when === 'taken' && action === 'aside' && target === 'ghosthands-api') stopping ??= started.rig.restart()
      },
    })
    machine = started
    await runServices(dockerd, started.services, 'v1')
    const end = await problemOf(started.rig.client.call('deploys.deploy', { image_tag: 'v2' }, { timeoutMs: 60_000 }))
    expect(['stopping', 'unreachable']).toContain(end.code)
    await stopping
    const { client } = started.rig
    await until('the end', async () => (await client.call('machine.health')).currentDeploy === null, 40_000)
    expect((await client.call('deploys.list')).deploys[0]).toMatchObject({ status: 'rolled_back' })
    expect(await listNames(dockerd)).toEqual(['ghosthands-api+', 'ghosthands-worker+'])
  })
})
