import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Dockerd, noDockerd, startDockerd } from '../../e2e/rigs/dockerd.ts'
import { until } from '../../e2e/rigs/until.ts'
import type { AgentHooks } from '../agent.ts'
import { importServiceImage, runServices, setJobs } from './test-image.ts'
import { followAgent, problemOf, startTestMachine, type TestMachine } from './test-machine.ts'

const patient = { timeoutMs: 60_000 }
const bothRun = ['ghosthands-api+', 'ghosthands-worker+']
const worker = 'ghosthands-worker'

describe.skipIf(noDockerd !== undefined)(`deploys, and what else happens to the services ${noDockerd ?? ''}`, () => {
  let dockerd: Dockerd
  let machine: TestMachine
  beforeAll(async () => {
    dockerd = await startDockerd()
    for (const tag of ['v1', 'v2']) await importServiceImage(dockerd, `ghosthands:${tag}`, 'good')
    await importServiceImage(dockerd, 'ghosthands:sick-api', 'sick-api')
  }, 120_000)
  afterAll(() => dockerd?.stop())
  afterEach(async () => {
    await machine.clear()
    await machine.stop()
  })
  const start = async (hooks: AgentHooks = {}) => {
    machine = await startTestMachine(dockerd, hooks)
  }
  const client = () => machine.rig.client
  const deploy = (image_tag: string, force = false) => client().call('deploys.deploy', { image_tag, force }, patient)
  const setEnv = (vars: Record<string, string>) => client().call('env.set', { vars, restart: true }, patient)
  const images = async () => (await client().call('containers.list')).map(({ image }) => image)
  const envFile = () => readFileSync(path.join(machine.folder, '.env'), 'utf8')
  /** A worker that says that it was told to end, and does not. */
  const stubborn = () => {
    const services = structuredClone(machine.services)
    const serve = 'busybox httpd -f -p 127.0.0.1:$GH_WORKER_PORT -h /www & while :; do sleep 1; done'
    Object.assign(services.services.worker, {
      ...{ command: ['sh', '-c', `trap 'echo told' TERM; ${serve}`], stopLimitMs: 2000 },
    })
    machine.writeServices(services)
  }
  const told = (name: string) => until('SIGTERM', async () => (await dockerd.docker('logs', name)).includes('told'))

  test('a deploy waits for a restart that is under way: the old container does not come back beside the new one', async () => {
    await start()
    stubborn()
    await deploy('v1')
    const restart = client().call('containers.restart', { id: worker }, patient)
    await told(worker)
    expect(await deploy('v2', true)).toMatchObject({ success: true })
    expect(await restart).toMatchObject({ name: worker })
    expect(await machine.containers()).toEqual(bothRun)
    expect(await images()).toEqual(['ghosthands:v2', 'ghosthands:v2'])
    // The new one has a server of its own: it did not find its port taken.
    expect(await dockerd.docker('exec', worker, 'busybox', 'ps')).toContain('httpd')
    expect((await client().call('workers.list'))[0]).toMatchObject({ status: 'idle' })
  })

  test('a worker that is being stopped when a deploy begins stays stopped', async () => {
    await start()
    stubborn()
    await deploy('v1')
    await client().call('workers.start', { workerId: 'w' }, patient)
    const stopped = client().call('workers.stop', { id: 'w', graceful: false }, patient)
    await told(`${worker}-w`)
    await deploy('v2', true)
    expect(await stopped).toMatchObject({ success: true })
    expect(await machine.containers()).toEqual([...bothRun, `${worker}-w-`])
  })

  test('an old container that another tool starts meanwhile is stopped again', async () => {
    await start({
      async pauseDeploy({ when, action, target }) {
        if (when !== 'stored' || action !== 'create' || target !== worker) return
        const [aside = ''] = (await dockerd.docker('ps', '-aq', '--filter', `name=${worker}.aside-`)).split('\n')
        if (aside !== '') await dockerd.docker('start', aside)
      },
    })
    await deploy('v1')
    expect(await deploy('v2')).toMatchObject({ success: true })
    expect(await machine.containers()).toEqual(bothRun)
    expect(await dockerd.docker('exec', worker, 'busybox', 'ps')).toContain('httpd')
  })

  test('old containers that Docker or someone else removes meanwhile are made anew from their image', async () => {
    let removed = ''
    await start({
      async pauseDeploy({ when, action, target }) {
        if (when !== 'stored' || action !== 'create' || target !== 'ghosthands-api' || removed === 'all') return
        const aside = (await dockerd.docker('ps', '-aq', '--filter', 'name=.aside-')).split('\n').filter(Boolean)
        if (aside.length === 0) return
        await dockerd.docker('rm', ...aside)
        removed = 'all'
      },
    })
    await deploy('v1')
    const problem = await problemOf(deploy('sick-api'))
    expect(problem.message).toContain('The old container of ghosthands-api is gone; another was made from its image')
    expect(await machine.containers()).toEqual(bothRun)
    expect(await images()).toEqual(['ghosthands:v1', 'ghosthands:v1'])
    expect(await client().call('machine.health')).toMatchObject({ status: 'ok', apiHealthy: true })
    expect(await deploy('v2')).toMatchObject({ success: true })
  })

  test('a rollback goes to the image before this one, although this one was restarted since', async () => {
    await start()
    await deploy('v1')
    await deploy('v2')
    expect(await setEnv({ A: '1' })).toMatchObject({ restarted: ['api', 'worker'] })
    expect((await client().call('deploys.list')).deploys[0]).toMatchObject({ imageTag: 'v2', previousTag: 'v1' })
    const answer = await client().call('deploys.rollback', {}, patient)
    expect(answer).toMatchObject({ success: true, imageTag: 'v1' })
    expect(await images()).toEqual(['ghosthands:v1', 'ghosthands:v1'])
  })

  test('a changed variable restarts services that another tool started, from the images they have', async () => {
    await start()
    const before = envFile()
    const nothing = await problemOf(setEnv({ A: '1' }))
    expect([nothing.code, nothing.message]).toEqual(['conflict', expect.stringContaining('nothing was written')])
    expect(envFile()).toBe(before)
    await runServices(dockerd, machine.services, 'v1')
    expect(await setEnv({ A: 'seen' })).toMatchObject({ success: true, restarted: ['api', 'worker'] })
    expect(await images()).toEqual(['ghosthands:v1', 'ghosthands:v1'])
    const { port } = machine.services.services.worker
    expect(await (await fetch(`http://127.0.0.1:${port}/cgi-bin/worker/env`)).text()).toContain('A=seen')
    await setJobs(port, 1)
    const deploying = deploy('v2')
    await until('the deploy', async () => (await client().call('machine.health')).currentDeploy !== null)
    const written = envFile()
    expect((await problemOf(setEnv({ A: 'not now' }))).code).toBe('deploy-running')
    expect(envFile()).toBe(written)
    await setJobs(port, 0)
    await deploying
  })

  test('a cancelled deploy says which worker it left draining; that one is restarted when its job is done', async () => {
    await start()
    const services = structuredClone(machine.services)
    const { port, drain } = services.services.worker as typeof services.services.worker & { drain: object }
    Object.assign(services.services.worker, { drain: { ...drain, limitMs: 60_000 } })
    machine.writeServices(services)
    await deploy('v1')
    const status = async () => (await client().call('workers.list'))[0]?.status
    await setJobs(port, 1)
    const deploying = problemOf(deploy('v2'))
    await until('the drain', async () => (await status()) === 'draining')
    const answer = await client().call('deploys.cancel', {}, patient)
    expect(answer).toEqual({ success: false, message: (await deploying).message })
    expect(answer.message).toContain(`cancelled. ${worker} goes on with its job and takes no new ones`)
    expect(await status()).toBe('draining')
    await machine.rig.restart()
    await setJobs(port, 0)
    await until('work again', async () => (await status()) === 'idle')
    const [entry] = (await client().call('audit.list', { action: 'start_worker' })).entries
    expect(entry).toMatchObject({ peer: 'agent', details: { worker } })
  })

  test('a secret that a container prints before it ends is told to nobody', async () => {
    await start()
    await deploy('v1')
    const watched = await followAgent(machine.rig)
    writeFileSync(path.join(machine.folder, '.env'), 'DB_PASSWORD=canary-4711\n')
    const services = structuredClone(machine.services)
    const fail = ['sh', '-c', 'echo "no login with $DB_PASSWORD $MY_TOKEN"; exit 1']
    Object.assign(services.services.api, { command: fail })
    Object.assign(services.services.worker, { command: fail })
    machine.writeServices(services)
    const problems = [
      await problemOf(deploy('v2')),
      await problemOf(
        client().call('workers.start', { workerId: 'w', envOverrides: { MY_TOKEN: 'canary-4712' } }, patient),
      ),
    ]
    for (const { message } of problems) expect(message).toContain('no login with ***')
    await until('the end', () => watched.events.some(({ type }) => type === 'deploy_finished'))
    watched.stop()
    const said = [
      ...problems.map((problem) => problem.toWire()),
      ...[await client().call('deploys.list'), await client().call('audit.list')],
      ...[watched.events, machine.rig.logged],
    ]
    for (const one of said) expect(JSON.stringify(one)).not.toContain('canary')
  })
})
