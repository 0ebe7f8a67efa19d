import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestAgent } from '../../e2e/rigs/agent.ts'
import { type Dockerd, noDockerd, startDockerd } from '../../e2e/rigs/dockerd.ts'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { importServiceImage, testServices } from './test-image.ts'
import { listNames, problemOf } from './test-machine.ts'
import { startTestRegistry, type TestRegistry } from './test-registry.ts'

const patient = { timeoutMs: 60_000 }

describe.skipIf(noDockerd !== undefined)(`an image from a registry ${noDockerd ?? ''}`, () => {
  let dockerd: Dockerd
  let registry: TestRegistry
  const { folder, remove } = freshFolder('pull')
  beforeAll(async () => {
    dockerd = await startDockerd()
    await importServiceImage(dockerd, 'made:here', 'good')
    await dockerd.docker('create', '--name', 'made', 'made:here')
    await dockerd.docker('export', '-o', path.join(folder, 'layer.tar'), 'made')
    await dockerd.docker('rm', 'made')
    registry = await startTestRegistry(readFileSync(path.join(folder, 'layer.tar')), 'me:pass:word')
  }, 120_000)
  afterAll(async () => {
    await registry?.stop()
    await dockerd?.stop()
    remove()
  })

  test('is pulled with the login that docker login stored, once, and is known by its digest', async () => {
    const services = { ...(await testServices()), image: `${registry.address}/team/ghosthands` }
    writeFileSync(path.join(folder, 'services.json'), JSON.stringify(services))
    const rig = await startTestAgent({
      DOCKER_HOST: `unix://${dockerd.socketPath}`,
      DOCKER_CONFIG: folder,
      PILOTHOUSE_SERVICES: path.join(folder, 'services.json'),
    })
    const deploy = (image_tag: string) => rig.client.call('deploys.deploy', { image_tag }, patient)
    expect((await problemOf(deploy('v1'))).message).toContain('Nothing was changed.')
    expect(registry.pulls).toBe(0)

    const logIn = (login: string) => {
      const auths = { [registry.address]: { auth: Buffer.from(login).toString('base64') } }
      writeFileSync(path.join(folder, 'config.json'), JSON.stringify({ auths }))
    }
    logIn('me:canary-password')
    const refused = (await problemOf(deploy('v1'))).message
    expect(refused).toMatch(/no such login: me:\*\*\*\. Check the tag/)
    logIn('me:pass:word')
    expect(await deploy('v1')).toMatchObject({ success: true })
    const pulls = registry.pulls
    expect(pulls).toBeGreaterThan(0)
    expect(await deploy('v1')).toMatchObject({ success: true })
    expect(registry.pulls).toBe(pulls)
    expect(await listNames(dockerd)).toEqual(['ghosthands-api+', 'ghosthands-worker+'])
    const digest = (await rig.client.call('deploys.list')).deploys[0]?.digest ?? ''
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect((await problemOf(deploy('missing'))).message).toContain('Nothing was changed.')
    const told = JSON.stringify([
      rig.logged,
      await rig.client.call('deploys.list'),
      await rig.client.call('audit.list'),
    ])
    expect(told).not.toMatch(/pass:word|canary/)
    await rig.stop()
  })
})
