import { mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Dockerd, noDockerd, startDockerd } from '../../e2e/rigs/dockerd.ts'
import { freePort } from '../../e2e/rigs/ports.ts'
import { until } from '../../e2e/rigs/until.ts'
import { importServiceImage, setJobs } from './test-image.ts'
import { followAgent, problemOf, startTestMachine, type TestMachine } from './test-machine.ts'

const patient = { timeoutMs: 60_000 }

describe.skipIf(noDockerd !== undefined)(`deploys ${noDockerd ?? ''}`, () => {
  let dockerd: Dockerd
  let machine: TestMachine
  beforeAll(async () => {
    dockerd = await startDockerd()
    for (const tag of ['v1', 'v2']) await importServiceImage(dockerd, `ghosthands:${tag}`, 'good')
    for (const kind of ['sick-api', 'crashing-worker', 'silent-worker'] as const) {
      await importServiceImage(dockerd, `ghosthands:${kind}`, kind)
    }
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
  const deploy = (image_tag: string, force = false) => client().call('deploys.deploy', { image_tag, force }, patient)
  const bothRun = ['ghosthands-api+', 'ghosthands-worker+']
  const runningImage = async () =>
    (await client().call('containers.list')).filter(({ state }) => state === 'running').map(({ image }) => image)
  const newest = async () => (await client().call('deploys.list')).deploys[0]

  test('replaces the services in order, tells each step, and keeps the history', async () => {
    const first = await deploy('v1')
    expect(first).toMatchObject({ success: true, imageTag: 'v1' })
    expect(await machine.containers()).toEqual(bothRun)
    const watched = await followAgent(machine.rig)
    await deploy('v2')
    expect(await machine.containers()).toEqual(bothRun)
    expect(await runningImage()).toEqual(['ghosthands:v2', 'ghosthands:v2'])

    await until('the end', () => watched.events.some(({ type }) => type === 'deploy_finished'))
    const steps = watched.events.flatMap((event) => (event.type === 'deploy_step' ? [event] : []))
    const started = steps.filter(({ status }) => status === 'started').map(({ step, service }) => `${step} ${service}`)
    expect(started).toEqual([
      'pull null',
      'drain worker',
      ...['stop worker', 'stop worker', 'stop api', 'stop api'],
      ...['start api', 'start api', 'health api', 'start worker', 'start worker', 'health worker'],
      ...['cleanup api', 'cleanup worker'],
    ])
    const progress = steps.map((step) => step.progress)
    expect(progress).toEqual([...progress].sort((a, b) => a - b))
    expect(progress.at(-1)).toBe(1)
    watched.stop()

    const { deploys, total } = await client().call('deploys.list')
    expect(total).toBe(2)
    const id = (await dockerd.docker('image', 'inspect', '-f', '{{.Id}}', 'ghosthands:v1')).trim()
    expect(deploys[0]).toMatchObject({
      imageTag: 'v2',
      status: 'completed',
      previousTag: 'v1',
      previousDigest: id,
      operator: 'Tester',
      kind: 'deploy',
    })
    expect(deploys[1]).toMatchObject({ imageTag: 'v1', previousTag: null, digest: id })
    expect((await client().call('machine.version')).ghosthandsVersion).toBe('v2')
  })

  test('containers get the variables of the env file and say what they are', async () => {
    await deploy('v1')
    const env = await (
      await fetch(`http://127.0.0.1:${machine.services.services.worker.port}/cgi-bin/worker/env`)
    ).text()
    expect(env).toContain('FROM_FILE=a b # c')
    expect(env).toContain(`GH_WORKER_PORT=${machine.services.services.worker.port}`)
    const labels = (await client().call('containers.list')).map((container) => container.labels)
    expect(labels.every((label) => label['gh.managed'] === 'true')).toBe(true)
    expect(labels.map((label) => label['gh.service']).sort()).toEqual(['api', 'worker'])
  })

  test.each([
    ['sick-api', /ghosthands-api runs, but .* was not healthy within 4 s/, 'cannot reach the database'],
    ['crashing-worker', /ghosthands-worker ends again and again \(exit code 7\)/, 'no such queue'],
  ])('%s: the old one serves again, and the answer says why', async (tag, reason, lastLine) => {
    await deploy('v1')
    const before = await client().call('containers.list')
    const problem = await problemOf(deploy(tag))
    expect(problem.code).toBe('deploy-failed')
    expect(problem.message).toMatch(reason)
    expect(problem.message).toContain(lastLine)
    expect(problem.message).toContain('What ran before runs again.')
    expect((problem.extra['lastLines'] as string[]).join('\n')).toContain(lastLine)
    const after = await client().call('containers.list')
    expect(after.map(({ id, name, state }) => [id, name, state]).sort()).toEqual(
      before.map(({ id, name, state }) => [id, name, state]).sort(),
    )
    expect(await newest()).toMatchObject({ status: 'rolled_back', imageTag: tag, step: 'done' })
    expect(await client().call('machine.health')).toMatchObject({ apiHealthy: true, deploySafe: true, status: 'ok' })
  })

  test('an image that is nowhere changes nothing', async () => {
    await deploy('v1')
    const problem = await problemOf(deploy('no-such-tag'))
    expect(problem.code).toBe('deploy-failed')
    expect(problem.message).toMatch(
      /^ghosthands:no-such-tag could not be pulled\. .*\. Check the tag, .*\. Nothing was changed\.$/,
    )
    expect(await machine.containers()).toEqual(bothRun)
    expect(await newest()).toMatchObject({ status: 'failed' })
  })

  test('an image without a command, and an env file that cannot be read, are told of before anything is stopped', async () => {
    await deploy('v1')
    const names = ['ghosthands-api', 'ghosthands-worker']
    const started = () => dockerd.docker('inspect', '-f', '{{.Id}} {{.State.StartedAt}}', ...names)
    const before = await started()
    await importServiceImage(dockerd, 'ghosthands:silent', 'good', { command: [] })
    const problem = await problemOf(deploy('silent'))
    expect([problem.code, problem.message]).toEqual(['conflict', expect.stringContaining('Give it a CMD')])
    expect(problem.message).toMatch(/Nothing was changed\.$/)
    const env = path.join(machine.folder, '.env')
    rmSync(env)
    mkdirSync(env)
    const unreadable = await problemOf(deploy('v2'))
    rmdirSync(env)
    expect([unreadable.code, unreadable.message]).toEqual(['conflict', expect.stringContaining('.env cannot be read')])
    expect(await started()).toBe(before)
  })

  test('an image for other processors that does not come to run is called that', async () => {
    const architecture = process.arch === 'arm64' ? 'amd64' : 'arm64'
    await importServiceImage(dockerd, 'ghosthands:foreign', 'sick-api', { architecture })
    const problem = await problemOf(deploy('foreign'))
    expect(problem.message).toContain(`The image is for ${architecture} processors`)
  })

  test('an API that ends because its port is taken is not deployed, whatever answers there', async () => {
    const holder = http.createServer((_request, response) => response.end('{}'))
    const { port } = machine.services.services.api
    await new Promise<void>((resolve) => holder.listen(port, '127.0.0.1', resolve))
    const problem = await problemOf(deploy('v1'))
    holder.close()
    // Which of the two it is seen by first.
    const ended = expect.stringMatching(/ended a moment after|ends again and again/)
    expect([problem.code, problem.message]).toEqual(['deploy-failed', ended])
    expect(await machine.containers()).toEqual([])
  })

  test('a port that was changed in services.json counts with the next deploy, and not when that fails', async () => {
    await deploy('v1')
    const moveTo = (port: number) => {
      const services = structuredClone(machine.services)
      services.services.api.port = port
      machine.writeServices(services)
    }
    const portOf = async () =>
      (await client().call('containers.list')).find(({ name }) => name === 'ghosthands-api')?.labels['gh.port']
    const [first, other, third] = [machine.services.services.api.port, await freePort(), await freePort()]
    moveTo(other)
    await problemOf(deploy('sick-api'))
    expect([await portOf(), (await client().call('machine.health')).apiHealthy]).toEqual([String(first), true])
    await deploy('v2')
    expect([await portOf(), (await client().call('machine.health')).apiHealthy]).toEqual([String(other), true])
    moveTo(third)
    await client().call('env.set', { vars: { NEW: '1' }, restart: true }, patient)
    expect([await portOf(), (await client().call('machine.health')).apiHealthy]).toEqual([String(third), true])
  })

  test('a first deploy that fails leaves nothing behind', async () => {
    await problemOf(deploy('crashing-worker'))
    expect(await machine.containers()).toEqual([])
  })

  test('two at once: the second is told about the first', async () => {
    await deploy('v1')
    await setJobs(machine.services.services.worker.port, 1)
    const first = deploy('v2')
    await until('the deploy', async () => (await client().call('machine.health')).currentDeploy !== null)
    const problem = await problemOf(deploy('silent-worker'))
    expect([problem.status, problem.code, problem.extra['imageTag']]).toEqual([409, 'deploy-running', 'v2'])
    expect((await client().call('machine.health')).deploySafe).toBe(false)
    const others = [
      client().call('workers.start', {}),
      client().call('containers.stop', { id: 'ghosthands-api' }),
      client().call('deploys.rollback', {}),
    ]
    const codes = (await Promise.all(others.map(problemOf))).map(({ code }) => code)
    expect(codes).toEqual(['deploy-running', 'deploy-running', 'deploy-running'])
    await setJobs(machine.services.services.worker.port, 0)
    expect(await first).toMatchObject({ success: true })
  })

  test('a worker that does not drain is not stopped', async () => {
    await deploy('v1')
    const { port } = machine.services.services.worker
    await setJobs(port, 2)
    expect((await client().call('machine.health')).deploySafe).toBe(false)
    const problem = await problemOf(deploy('v2'))
    expect(problem.code).toBe('timeout')
    expect(problem.message).toContain('ghosthands-worker still has 2 jobs')
    expect(problem.message).toContain('"force": true')
    expect(problem.message).toContain('the agent restarts it when it is done')
    expect(await machine.containers()).toEqual(bothRun)
    expect(await runningImage()).toEqual(['ghosthands:v1', 'ghosthands:v1'])
    expect((await client().call('workers.list'))[0]).toMatchObject({ status: 'draining', activeJobs: 2 })
    expect(await newest()).toMatchObject({ status: 'failed' })

    expect(await deploy('v2', true)).toMatchObject({ success: true })
    expect(await runningImage()).toEqual(['ghosthands:v2', 'ghosthands:v2'])
  })

  test('a worker whose server is silent is not known to be idle', async () => {
    await deploy('v1')
    await dockerd.docker('exec', 'ghosthands-worker', 'busybox', 'killall', '-STOP', 'busybox')
    const health = await until('notice', async () => {
      const now = await client().call('machine.health')
      return now.workerStatus === 'running' && now
    })
    expect(health).toMatchObject({ deploySafe: false, status: 'degraded' })
    expect((await client().call('workers.list'))[0]).toMatchObject({ status: 'running' })
    expect((await problemOf(deploy('v2'))).message).toContain('does not answer')
  })

  test('rollback goes to the recorded digest, wherever the tag has moved', async () => {
    await deploy('v1')
    const [first] = await client().call('containers.list')
    expect((await problemOf(client().call('deploys.rollback', {}))).code).toBe('conflict')
    const id = (await dockerd.docker('image', 'inspect', '-f', '{{.Id}}', 'ghosthands:v1')).trim()
    await deploy('v2')
    await dockerd.docker('tag', 'ghosthands:v2', 'ghosthands:v1')
    const answer = await client().call('deploys.rollback', {}, patient)
    expect(answer).toMatchObject({ success: true, imageTag: 'v1' })
    const now = (await dockerd.docker('inspect', '-f', '{{.Image}}', 'ghosthands-api')).trim()
    expect(now).toBe(id)
    expect(await newest()).toMatchObject({ kind: 'rollback', digest: id, status: 'completed' })
    expect(first?.image).toBe('ghosthands:v1')
    await importServiceImage(dockerd, 'ghosthands:v1', 'good')
  })

  test('an image can be deployed by its digest', async () => {
    const id = (await dockerd.docker('image', 'inspect', '-f', '{{.Id}}', 'ghosthands:v2')).trim()
    expect(await deploy(id)).toMatchObject({ success: true, imageTag: id })
    expect((await dockerd.docker('inspect', '-f', '{{.Image}}', 'ghosthands-api')).trim()).toBe(id)
  })

  test('builds from the folder that services.json names, without what is ignored', async () => {
    expect((await problemOf(client().call('deploys.build', { tag: 'b1' }))).message).toContain('names no folder')
    const folder = path.join(machine.folder, 'source')
    mkdirSync(path.join(folder, 'keep'), { recursive: true })
    writeFileSync(
      path.join(folder, 'Dockerfile'),
      'FROM ghosthands:v1\nCOPY . /copied\nRUN echo built-it && ls /copied /copied/keep\n',
    )
    writeFileSync(path.join(folder, '.dockerignore'), 'secret.env\nkeep/*\n!keep/this\nDockerfile\n')
    for (const name of ['secret.env', 'wanted', 'keep/this', 'keep/that']) writeFileSync(path.join(folder, name), 'x')
    machine.writeServices({ ...machine.services, build: { folder: 'source', network: 'host' } })
    const watched = await followAgent(machine.rig)
    const answer = await client().call('deploys.build', { tag: 'b1' }, patient)
    expect(answer).toMatchObject({ success: true, imageTag: 'b1' })
    const said = () => watched.events.map((event) => (event.type === 'build_output' ? event.text : '')).join('')
    await until('the output', () => said().includes('Successfully tagged'))
    expect(said()).toContain('built-it')
    expect(said()).toContain('wanted')
    expect(said()).toMatch(/\bthis\b/)
    expect(said()).not.toMatch(/secret\.env|\bthat\b/)
    watched.stop()
    expect(await deploy('b1')).toMatchObject({ success: true })

    writeFileSync(path.join(folder, 'Dockerfile'), 'FROM ghosthands:v1\nRUN echo going-wrong && false\n')
    const problem = await problemOf(client().call('deploys.build', {}, patient))
    expect([problem.code, problem.message]).toEqual([
      'docker-refused',
      expect.stringContaining('returned a non-zero code'),
    ])
  })
})
