import http from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestAgent } from '../../e2e/rigs/agent.ts'
import { type Dockerd, noDockerd, startDockerd } from '../../e2e/rigs/dockerd.ts'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { until } from '../../e2e/rigs/until.ts'
import type { CallName, CallParams } from '../../shared/contract/index.ts'
import { importServiceImage } from '../deploys/test-image.ts'
import { followAgent, problemOf, startTestMachine, type TestMachine } from '../deploys/test-machine.ts'
import { DockerEngine } from './engine.ts'
import type { DockerEvent } from './follow-events.ts'
import { type Recorder, startRecorder } from './test-recorder.ts'

const patient = { timeoutMs: 60_000 }

describe('without Docker', () => {
  const needDocker: { [Name in CallName]?: CallParams<Name> } = {
    'containers.list': {},
    'containers.stats': {},
    'containers.stop': { id: 'x' },
    'workers.list': {},
    'workers.start': {},
    'workers.stop': { id: 'x' },
    'deploys.deploy': { image_tag: 'v1' },
    'deploys.drain': {},
  }
  test('everything that needs it says so and what to do; the rest works', async () => {
    const { folder, remove } = freshFolder('nodocker')
    const rig = await startTestAgent({ DOCKER_HOST: `unix://${folder}/none.sock` })
    for (const [name, params] of Object.entries(needDocker)) {
      const problem = await problemOf(rig.client.call(name as CallName, params as never))
      expect([name, problem.status, problem.code]).toEqual([name, 424, 'install-required'])
      expect(problem.message).toMatch(/No Docker engine answers/)
    }
    const { capabilities, docker } = await rig.client.call('machine.status')
    expect(docker).toBeNull()
    expect(capabilities['docker']).toMatchObject({ available: false })
    // One was named in DOCKER_HOST and is not there: that is not a machine that is well.
    expect(await rig.client.call('machine.health')).toMatchObject({ status: 'error', deploySafe: false })
    expect((await rig.client.call('deploys.list')).deploys).toEqual([])
    await rig.stop()
    remove()
  })
  test('an address that is no socket is not taken for another', async () => {
    const rig = await startTestAgent({ DOCKER_HOST: 'tcp://127.0.0.1:2375' })
    expect((await problemOf(rig.client.call('containers.list'))).message).toContain('DOCKER_HOST does not name a Unix')
    await rig.stop()
  })
})

describe.skipIf(noDockerd !== undefined)(`with Docker ${noDockerd ?? ''}`, () => {
  let dockerd: Dockerd
  let machine: TestMachine
  let recorder: Recorder
  beforeAll(async () => {
    dockerd = await startDockerd()
    await dockerd.importBusybox('busybox:test')
    await importServiceImage(dockerd, 'ghosthands:v1', 'good')
    recorder = await startRecorder(dockerd.socketPath)
    machine = await startTestMachine(dockerd, {}, { DOCKER_HOST: `unix://${recorder.socketPath}` })
  }, 120_000)
  afterAll(async () => {
    await machine?.clear()
    await machine?.stop()
    await recorder?.stop()
    await dockerd?.stop()
  })
  const client = () => machine.rig.client

  test('containers are listed, stopped, started and restarted', async () => {
    await dockerd.docker(
      'run',
      '-d',
      '--init',
      '--network=none',
      '--label',
      'x=y',
      '--name',
      'one',
      'busybox:test',
      'sleep',
      '1000',
    )
    const [one] = await client().call('containers.list')
    expect(one).toMatchObject({ name: 'one', image: 'busybox:test', state: 'running', labels: { x: 'y' }, ports: [] })
    expect(Math.abs(Date.now() - Date.parse(one?.createdAt ?? ''))).toBeLessThan(60_000)
    expect(await client().call('containers.stats')).toMatchObject([{ id: one?.id, name: 'one', cpuPercent: null }])
    const [load] = await client().call('containers.stats')
    expect(load?.cpuPercent).toBeGreaterThanOrEqual(0)
    expect(load?.memoryMb).toBeGreaterThan(0)
    expect(await client().call('containers.stop', { id: 'one' }, patient)).toMatchObject({ state: 'exited' })
    expect(await client().call('containers.stop', { id: 'one' })).toMatchObject({ state: 'exited' })
    expect(await client().call('containers.start', { id: one?.id.slice(0, 12) ?? '' })).toMatchObject({
      state: 'running',
    })
    expect(await client().call('containers.start', { id: 'one' })).toMatchObject({ state: 'running' })
    expect(await client().call('containers.restart', { id: 'one' }, patient)).toMatchObject({ state: 'running' })
    expect((await problemOf(client().call('containers.start', { id: 'two' }))).code).toBe('not-found')
    expect((await client().call('machine.status')).docker).toMatchObject({ containers: 1 })
  })

  const bad = ['a;id', '$(id)', 'a b', '../x', 'a\nb', '`id`', '-f', 'a/b', 'v1@sha256:0', 'x'.repeat(200), '']
  test.each(bad)('a tag or a name such as %j is refused', async (text) => {
    expect(await post('/deploy', { image_tag: text })).toBe(400)
    expect(await post('/build', { tag: text })).toBe(400)
    expect(await post('/workers/start', { workerId: text })).toBe(400)
    if (text !== '') expect(await post(`/containers/${encodeURIComponent(text)}/stop`, {})).toBe(400)
    expect((await client().call('deploys.list')).total).toBe(0)
  })

  test.each([
    ['privileged', { privileged: true }],
    ['mounts', { volumes: ['/:/host'] }],
    ['devices', { devices: ['/dev/mem'] }],
    ['capabilities', { capAdd: ['SYS_ADMIN'] }],
    ['another namespace', { network: 'container:one' }],
  ])('services.json cannot ask for %s', async (_what, extra) => {
    const services = structuredClone(machine.services)
    Object.assign(services.services.worker, extra)
    machine.writeServices(services)
    const problem = await problemOf(client().call('deploys.deploy', { image_tag: 'v1' }))
    expect(problem.code).toBe('conflict')
    expect(problem.message).toContain('services.json cannot be used: services.worker')
    machine.writeServices(machine.services)
  })

  test('what it makes is not privileged and has no mounts', async () => {
    await client().call('deploys.deploy', { image_tag: 'v1' }, patient)
    const [made] = JSON.parse(await dockerd.docker('inspect', 'ghosthands-worker'))
    expect(made.HostConfig).toMatchObject({ Privileged: false, Binds: null, CapAdd: null, PidMode: '' })
    expect(made.HostConfig.Devices ?? []).toEqual([])
    expect(made.Mounts).toEqual([])
  })

  test('when Docker stops, that is seen and said; when it is back, all goes on', async () => {
    const engine = new DockerEngine({ DOCKER_HOST: `unix://${dockerd.socketPath}` }, () => {})
    const seen: DockerEvent[] = []
    const changes: boolean[] = []
    engine.onEvent((event) => void seen.push(event))
    engine.onChange((up) => void changes.push(up))
    await until('the stream', () => engine.up)
    const watched = await followAgent(machine.rig)
    expect(await client().call('machine.health')).toMatchObject({ status: 'ok', apiHealthy: true })
    await dockerd.down()
    await until('the change', () => !engine.up)
    expect(await client().call('machine.health')).toMatchObject({
      status: 'error',
      deploySafe: false,
      workerStatus: 'unknown',
    })
    expect((await problemOf(client().call('containers.list'))).code).toBe('install-required')
    expect((await problemOf(engine.client())).code).toBe('install-required')
    await dockerd.up()
    await until('the stream again', () => engine.up)
    await dockerd.docker('run', '-d', '--network=none', '--name', 'after', 'busybox:test', 'sleep', '1000')
    await until('an event', () => seen.some(({ action, name }) => action === 'start' && name === 'after'))
    expect(changes).toEqual([true, false, true])
    await until('health', async () => (await client().call('machine.health')).status === 'ok')
    const statuses = () => watched.events.flatMap((event) => (event.type === 'health' ? [event.status] : []))
    await until('the events', () => statuses().includes('error') && statuses().at(-1) === 'ok')
    watched.stop()
    engine.close()
  })

  test('Docker that is frozen is not taken for well', async () => {
    process.kill(dockerd.pid, 'SIGSTOP')
    try {
      const health = await until('notice', async () => {
        const now = await client().call('machine.health')
        return now.status === 'error' && now
      })
      expect(health.deploySafe).toBe(false)
    } finally {
      process.kill(dockerd.pid, 'SIGCONT')
    }
    await until('health', async () => (await client().call('machine.health')).status === 'ok')
  })

  test('Docker was asked for these things and for nothing else', async () => {
    await client().call('workers.start', { envOverrides: { A: 'b' } }, patient)
    await client().call('logs.get', { service: 'ghosthands-worker' })
    await client()
      .call('deploys.deploy', { image_tag: 'nowhere' }, patient)
      .catch(() => {})
    await client().call('deploys.deploy', { image_tag: 'v1' }, patient)
    const listed = [
      /^GET \/(_ping|version|events)$/,
      /^GET \/containers\/(json|[\w.-]+\/(json|stats|logs))$/,
      /^POST \/containers\/(create|[\w.-]+\/(start|stop|restart|rename))$/,
      /^DELETE \/containers\/[\w.-]+$/,
      /^GET \/images\/[\w.:@-]+\/json$/,
      /^POST \/images\/create$/,
    ]
    const all = recorder.asked.map(({ method, path }) => `${method} ${path}`)
    expect(all.filter((one) => !listed.some((pattern) => pattern.test(one)))).toEqual([])
    for (const pattern of listed) expect([pattern, all.some((one) => pattern.test(one))]).toEqual([pattern, true])

    const made = recorder.asked.filter(({ path }) => path === '/containers/create')
    expect(made.length).toBeGreaterThan(2)
    const wanted = ['NetworkMode', 'PortBindings', 'RestartPolicy', 'Privileged', 'ShmSize', 'Memory']
    for (const { body } of made) {
      const { HostConfig, ...rest } = JSON.parse(body) as { HostConfig: Record<string, unknown> }
      expect(Object.keys(HostConfig).filter((key) => !wanted.includes(key))).toEqual([])
      expect(HostConfig['Privileged']).toBe(false)
      const keys = ['name', 'Image', 'Cmd', 'Env', 'Labels', 'ExposedPorts', 'StopTimeout']
      expect(Object.keys(rest).filter((key) => !keys.includes(key))).toEqual([])
    }
  })

  function post(path: string, body: unknown): Promise<number> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${machine.rig.secret}`, 'content-type': 'application/json' }
      const request = http.request(
        { port: machine.rig.port, path, method: 'POST', headers, agent: false },
        (response) => {
          response.resume()
          resolve(response.statusCode ?? 0)
        },
      )
      request.on('error', reject)
      request.end(JSON.stringify(body))
    })
  }
})
