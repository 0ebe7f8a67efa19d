import http from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Dockerd, noDockerd, startDockerd } from '../../e2e/rigs/dockerd.ts'
import { until } from '../../e2e/rigs/until.ts'
import { importServiceImage, setJobs } from '../deploys/test-image.ts'
import { followAgent, problemOf, startTestMachine, type TestMachine } from '../deploys/test-machine.ts'

const patient = { timeoutMs: 60_000 }

describe.skipIf(noDockerd !== undefined)(`workers ${noDockerd ?? ''}`, () => {
  let dockerd: Dockerd
  let machine: TestMachine
  beforeAll(async () => {
    dockerd = await startDockerd()
    for (const tag of ['v1', 'v2']) await importServiceImage(dockerd, `ghosthands:${tag}`, 'good')
  }, 120_000)
  afterAll(() => dockerd?.stop())
  beforeEach(async () => {
    machine = await startTestMachine(dockerd)
  })
  afterEach(async () => {
    await machine.clear()
    await machine.stop()
  })
  const client = () => machine.rig.client
  const health = () => client().call('machine.health')
  const start = (
    params: { workerId?: string; maxConcurrentJobs?: number; envOverrides?: Record<string, string> } = {},
  ) => client().call('workers.start', params, patient)
  const status = async (id: string) =>
    (await client().call('workers.list')).find(({ workerId }) => workerId === id)?.status
  const workerSays = async (port: number, path: string) =>
    (await fetch(`http://127.0.0.1:${port}/cgi-bin/worker/${path}`)).text()

  test('before the first deploy there is nothing to start from', async () => {
    expect(await client().call('workers.list')).toEqual([])
    const problem = await problemOf(start())
    expect([problem.code, problem.message]).toEqual(['conflict', expect.stringContaining('Deploy one first')])
  })

  test('several on one machine, each on its own port, each as it was asked for', async () => {
    await client().call('deploys.deploy', { image_tag: 'v1' }, patient)
    const [second, third] = await Promise.all([
      start(),
      start({ workerId: 'blue', maxConcurrentJobs: 3, envOverrides: { COLOUR: 'a "blue" $one', MY_TOKEN: 'canary' } }),
    ])
    expect([second.workerId, third.workerId].sort()).toEqual(['blue', 'ghosthands-worker-2'])
    const workers = await client().call('workers.list')
    expect(workers.map(({ containerName }) => containerName)).toEqual([
      'ghosthands-worker',
      'ghosthands-worker-2',
      'ghosthands-worker-blue',
    ])
    const ports = workers.map(({ statusPort }) => statusPort)
    expect(new Set(ports).size).toBe(3)
    expect(Math.min(...ports)).toBe(machine.services.services.worker.port)
    expect(workers.map((worker) => [worker.status, worker.image])).toEqual(Array(3).fill(['idle', 'ghosthands:v1']))
    const bluePort = workers[2]?.statusPort ?? 0
    expect(JSON.parse(await workerSays(bluePort, 'status'))).toMatchObject({ worker_id: 'blue', max_concurrent: 3 })
    expect(await workerSays(bluePort, 'env')).toContain('COLOUR=a "blue" $one')
    expect(JSON.stringify(await client().call('audit.list'))).not.toContain('canary')

    expect((await problemOf(start({ workerId: 'blue' }))).code).toBe('conflict')
    expect((await problemOf(start({ envOverrides: { GH_WORKER_PORT: '1' } }))).code).toBe('invalid-params')

    await client().call('deploys.deploy', { image_tag: 'v2' }, patient)
    const after = await client().call('workers.list')
    expect(after.map(({ containerName, statusPort, image }) => [containerName, statusPort, image])).toEqual(
      workers.map(({ containerName, statusPort }) => [containerName, statusPort, 'ghosthands:v2']),
    )
    expect(JSON.parse(await workerSays(bluePort, 'status'))).toMatchObject({ worker_id: 'blue', max_concurrent: 3 })
    expect(await workerSays(bluePort, 'env')).toContain('COLOUR=a "blue" $one')
  })

  test('a graceful stop waits for the jobs, and does not stop a worker that keeps them', async () => {
    await client().call('deploys.deploy', { image_tag: 'v1' }, patient)
    const { port } = machine.services.services.worker
    const id = 'ghosthands-worker'
    await setJobs(port, 1)
    expect(await status(id)).toBe('busy')
    const problem = await problemOf(client().call('workers.stop', { id }, patient))
    expect([problem.status, problem.message]).toEqual([504, expect.stringContaining('still has 1 job')])
    expect(await status(id)).toBe('draining')
    const stopping = client().call('workers.stop', { id }, patient)
    await setJobs(port, 0)
    expect(await stopping).toMatchObject({ success: true, workerId: id })
    expect(await status(id)).toBe('stopped')
    // A worker that a person stopped stays so; the next start takes its place.
    expect(await start()).toMatchObject({ workerId: id })
    await setJobs(port, 1)
    expect(await client().call('workers.stop', { id, graceful: false }, patient)).toMatchObject({ success: true })
    expect(await status(id)).toBe('stopped')
    expect((await problemOf(client().call('workers.drain', { id }))).code).toBe('conflict')
    expect((await problemOf(client().call('workers.stop', { id: 'nobody' }))).code).toBe('not-found')
  })

  test('drains one, or all, and every change is an event', async () => {
    await client().call('deploys.deploy', { image_tag: 'v1' }, patient)
    const watched = await followAgent(machine.rig)
    const changed = (change: string) => () =>
      watched.events.some(
        (event) => event.type === 'worker' && event.worker.workerId === 'b' && event.change === change,
      )
    await start({ workerId: 'b' })
    await until('the event', changed('appeared'))
    expect(await client().call('workers.drain', { id: 'b' })).toMatchObject({ success: true })
    expect(await status('b')).toBe('draining')
    expect(await status('ghosthands-worker')).toBe('idle')
    expect(await client().call('deploys.drain', {})).toMatchObject({ success: true, drainedWorkers: 2 })
    expect((await problemOf(client().call('deploys.drain', { worker_id: 'nobody' }))).code).toBe('not-found')
    expect(await client().call('machine.health')).toMatchObject({ workerStatus: 'draining', activeWorkers: 2 })
    await until('the event', changed('draining'))
    watched.stop()
  })

  test('a client of the existing fleet gets on with it: its header, its names, bare arrays, and 404 for what is not there', async () => {
    const ask = async (method: string, path: string, body?: unknown) => {
      const headers: Record<string, string> = { 'X-Deploy-Secret': machine.rig.secret }
      if (body !== undefined) headers['Content-Type'] = 'application/json'
      const text = await new Promise<{ status: number; type: string; text: string }>((resolve, reject) => {
        const options = { host: '127.0.0.1', port: machine.rig.port, method, path, headers, agent: false }
        const request = http.request(options, (response) => {
          let received = ''
          response.on('data', (chunk: Buffer) => {
            received += String(chunk)
          })
          const type = response.headers['content-type'] ?? ''
          response.on('end', () => resolve({ status: response.statusCode ?? 0, type, text: received }))
        })
        request.on('error', reject)
        request.end(body === undefined ? undefined : JSON.stringify(body))
      })
      return { ...text, json: JSON.parse(text.text) as unknown }
    }
    const deployed = await ask('POST', '/deploy', { image_tag: 'v1' })
    expect(deployed).toMatchObject({ status: 200, json: { success: true, imageTag: 'v1' } })
    expect((await ask('GET', '/containers')).json).toMatchObject([{ state: 'running' }, { state: 'running' }])
    const workers = (await ask('GET', '/workers')).json as { workerId: string; status: string }[]
    expect(workers).toMatchObject([{ workerId: 'ghosthands-worker', status: 'idle' }])
    const drained = await ask('POST', '/drain', { worker_id: workers[0]?.workerId })
    expect(drained).toMatchObject({ status: 200, json: { success: true, drainedWorkers: 1 } })
    expect(await ask('GET', '/some/optional/call')).toMatchObject({ status: 404, type: 'application/problem+json' })
    expect(await ask('POST', '/deploy', { image_tag: 'not a tag' })).toMatchObject({ status: 400 })
    expect(await ask('POST', '/deploy', { imageTag: 'v1' })).toMatchObject({ status: 400 })
  })

  test('a service that was deployed and of which nothing is left is missed, until it is deployed again', async () => {
    await client().call('deploys.deploy', { image_tag: 'v1' }, patient)
    expect((await health()).status).toBe('ok')
    await dockerd.docker('rm', '-f', 'ghosthands-api')
    await until('that to be told', async () => (await health()).status === 'degraded')
    expect(await health()).toMatchObject({ apiHealthy: false, activeWorkers: 1 })
    expect((await client().call('machine.status')).health?.reason).toContain('service api is left')
    await client().call('deploys.deploy', { image_tag: 'v1' }, patient)
    expect((await health()).status).toBe('ok')
  })

  test('one that is paused has its jobs still: it is not idle, not stopped, not replaced and not safe', async () => {
    await client().call('deploys.deploy', { image_tag: 'v1' }, patient)
    const id = 'ghosthands-worker'
    await dockerd.docker('pause', id)
    const before = await machine.containers()
    expect(await status(id)).toBe('running')
    expect(await client().call('machine.health')).toMatchObject({
      ...{ status: 'degraded', deploySafe: false, activeWorkers: 1, workerStatus: 'running' },
    })
    expect((await problemOf(start({ workerId: id }))).code).toBe('conflict')
    expect((await problemOf(client().call('workers.stop', { id }, patient))).code).toBe('timeout')
    expect(await machine.containers()).toEqual(before)
    await dockerd.docker('unpause', id)
    expect(await status(id)).not.toBe('running')
  })

  test('one that ends again and again is told, and a deploy does not wait for its jobs', async () => {
    const { name } = machine.services.services.worker
    await client().call('deploys.deploy', { image_tag: 'v1' }, patient)
    await dockerd.docker('rm', '-f', name)
    const labels = ['--label', 'gh.managed=true', '--label', 'gh.service=worker']
    await dockerd.docker(
      ...[
        'run',
        '-d',
        '--restart=always',
        '--network=host',
        '--name',
        name,
        ...labels,
        'ghosthands:v1',
        'sh',
        '-c',
        'exit 3',
      ],
    )
    const restarting = async () => (await machine.containers()).some((one) => one === `${name}-`)
    await until('the container to wait for its next start', restarting)
    await until('that to be told', async () => (await health()).status === 'degraded')
    await until('a moment between two starts', restarting)
    expect(await client().call('deploys.deploy', { image_tag: 'v2' }, patient)).toMatchObject({ success: true })
    expect(await status(name)).toBe('idle')
  })

  test('those that another tool started are asked where their variables say, and go by their own names', async () => {
    const first = machine.services.services.worker.port
    const labels = ['--label', 'gh.managed=true', '--label', 'gh.service=worker']
    for (const [index, own] of ['north', 'south'].entries()) {
      const variables = [
        '-e',
        `GH_WORKER_PORT=${first + index}`,
        '-e',
        `GH_WORKER_ID=${own}`,
        '-e',
        'GH_SERVICE=worker',
      ]
      const rest = [...labels, ...variables, 'ghosthands:v1']
      await dockerd.docker('run', '-d', '--network=host', '--name', `ghosthands-worker-${index + 1}`, ...rest)
    }
    // Named by nobody here: longer than ours are, and with a label that is no name of a container.
    const odd = { label: 'host:3101/worker 1', name: `${'a-very-long-project-'.repeat(4)}worker-1` }
    const oddOnes = [
      '--label',
      `gh.worker=${odd.label}`,
      '-e',
      `GH_WORKER_PORT=${first + 2}`,
      '-e',
      'GH_SERVICE=worker',
    ]
    const oddRun = ['run', '-d', '--network=host', '--name', odd.name, ...labels, ...oddOnes, 'ghosthands:v1']
    await dockerd.docker(...oddRun)
    await until('both to answer', async () =>
      (await client().call('workers.list')).every((worker) => worker.status === 'idle'),
    )
    await setJobs(first + 1, 2)
    const workers = await client().call('workers.list')
    expect(workers.map(({ statusPort, status: is, activeJobs }) => [statusPort, is, activeJobs])).toEqual([
      [first + 2, 'idle', 0],
      [first, 'idle', 0],
      [first + 1, 'busy', 2],
    ])
    expect(workers[0]).toMatchObject({ workerId: odd.label, containerName: odd.name })
    expect(await client().call('workers.drain', { id: odd.label })).toMatchObject({ success: true })
    expect(await client().call('workers.stop', { id: odd.name }, patient)).toMatchObject({ success: true })
    expect(await client().call('deploys.drain', { worker_id: 'south' })).toMatchObject({ drainedWorkers: 1 })
    expect(await status('ghosthands-worker-2')).toBe('draining')
  })

  test('a worker that ends at once is reported and removed', async () => {
    await client().call('deploys.deploy', { image_tag: 'v1' }, patient)
    const services = structuredClone(machine.services)
    Object.assign(services.services.worker, { command: ['sh', '-c', 'echo no licence; exit 3'] })
    machine.writeServices(services)
    const problem = await problemOf(start({ workerId: 'bad' }))
    expect(problem.code).toBe('container-failed')
    expect(problem.message).toContain('no licence')
    expect(await status('bad')).toBeUndefined()
  })

  test('a stopped worker outlives a start in its place that fails, and an agent that is killed in between', async () => {
    await client().call('deploys.deploy', { image_tag: 'v1' }, patient)
    await start({ workerId: 'w', envOverrides: { QUEUE: 'slow' } })
    await client().call('workers.stop', { id: 'w', graceful: false }, patient)
    const name = 'ghosthands-worker-w'
    const queue = async () => (await dockerd.docker('inspect', '-f', '{{.Config.Env}}', name)).includes('QUEUE=slow')
    const services = structuredClone(machine.services)
    Object.assign(services.services.worker, { command: ['sh', '-c', 'exit 3'] })
    machine.writeServices(services)
    expect((await problemOf(start({ workerId: 'w' }))).code).toBe('container-failed')
    expect([await status('w'), await queue()]).toEqual(['stopped', true])

    await dockerd.docker('rename', name, `${name}.aside-start`)
    await machine.rig.restart()
    await until('the old one', queue)
    machine.writeServices(machine.services)
    await start({ workerId: 'w' })
    expect([await status('w'), await queue()]).toEqual(['idle', false])
    expect(await machine.containers()).toEqual(['ghosthands-api+', 'ghosthands-worker+', `${name}+`])
  })
})
