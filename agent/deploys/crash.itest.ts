import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { agentEnv } from '../../e2e/rigs/agent-process.ts'
import { bundled } from '../../e2e/rigs/built.ts'
import { type Dockerd, noDockerd, startDockerd } from '../../e2e/rigs/dockerd.ts'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { type Program, startProgram } from '../../e2e/rigs/program.ts'
import { until } from '../../e2e/rigs/until.ts'
import { AgentClient } from '../../shared/client/client.ts'
import { nodeTransport } from '../../shared/client/node.ts'
import { importServiceImage, runServices, type ServicesInput, testServices } from './test-image.ts'
import { listNames } from './test-machine.ts'

type Moment = [when: 'stored' | 'taken', step: string, action: string, target: string]
type End = 'completed' | 'rolled_back' | 'failed'

/** Each moment of a deploy at which the agent can be killed, and how it must end. */
const moments: [...Moment, End][] = (['stored', 'taken'] as const).flatMap((when): [...Moment, End][] => [
  [when, 'pull', 'pull', '', 'failed'],
  [when, 'drain', 'drain', 'ghosthands-worker', 'failed'],
  [when, 'stop', 'stop', 'ghosthands-worker', 'rolled_back'],
  [when, 'stop', 'aside', 'ghosthands-worker', 'rolled_back'],
  [when, 'stop', 'stop', 'ghosthands-api', 'rolled_back'],
  [when, 'stop', 'aside', 'ghosthands-api', 'rolled_back'],
  [when, 'start', 'create', 'ghosthands-api', 'rolled_back'],
  [when, 'start', 'start', 'ghosthands-api', 'rolled_back'],
  // The worker is not made yet: what is there cannot be finished.
  [when, 'health', 'health', 'ghosthands-api', 'rolled_back'],
  [when, 'start', 'create', 'ghosthands-worker', 'rolled_back'],
  [when, 'start', 'start', 'ghosthands-worker', 'rolled_back'],
  [when, 'health', 'health', 'ghosthands-worker', 'completed'],
  [when, 'cleanup', 'remove', 'ghosthands-api', 'completed'],
  [when, 'cleanup', 'remove', 'ghosthands-worker', 'completed'],
])

describe.skipIf(noDockerd !== undefined)(`an agent killed in the middle of a deploy ${noDockerd ?? ''}`, () => {
  let dockerd: Dockerd
  let folder: string
  let remove: () => void
  let services: ServicesInput
  let crashAgent: string
  const programs: Program[] = []
  const clients: AgentClient[] = []
  beforeAll(async () => {
    crashAgent = await bundled(path.join(import.meta.dirname, 'crash-agent.ts'))
    dockerd = await startDockerd()
    for (const tag of ['v1', 'v2']) await importServiceImage(dockerd, `ghosthands:${tag}`, 'good')
    await importServiceImage(dockerd, 'ghosthands:sick-api', 'sick-api')
  }, 120_000)
  afterAll(() => dockerd?.stop())
  beforeEach(async () => {
    ;({ folder, remove } = freshFolder('crash'))
    services = await testServices()
    writeFileSync(path.join(folder, 'services.json'), JSON.stringify(services))
  })
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close()
    for (const program of programs.splice(0)) await program.end()
    const ids = (await dockerd.docker('ps', '-aq')).split('\n').filter(Boolean)
    if (ids.length > 0) await dockerd.docker('rm', '-f', ...ids)
    remove()
  })

  const secret = randomBytes(32).toString('base64url')
  const start = async (...moment: Moment | []) => {
    const program = await startProgram(process.execPath, [crashAgent, ...moment], {
      env: agentEnv(folder, {
        PILOTHOUSE_SECRET: secret,
        DOCKER_HOST: `unix://${dockerd.socketPath}`,
        PILOTHOUSE_SERVICES: path.join(folder, 'services.json'),
      }),
    })
    programs.push(program)
    await program.ready('the agent', () => program.output().includes('ready\n'))
    const transport = nodeTransport({ socketPath: path.join(folder, 'agent.sock') })
    const client = new AgentClient(transport, { secret: () => secret, timeoutMs: 60_000 })
    clients.push(client)
    return { program, client }
  }
  const kill = async (program: Program) => {
    process.kill(program.pid, 'SIGKILL')
    await until('its end', () => program.exitCode !== undefined)
  }
  const settled = async (client: AgentClient) => {
    await until(
      'the end of the deploy',
      async () => (await client.call('machine.health')).currentDeploy === null,
      30_000,
    )
    return (await client.call('deploys.list')).deploys[0]
  }
  const images = async () => {
    const text = await dockerd.docker('ps', '-a', '--format', '{{.Names}} {{.Label "gh.image"}}')
    return text.split('\n').filter(Boolean).sort()
  }

  test.each(moments)('%s, %s: %s %s → %s', async (...row) => {
    const [when, step, action, target, end] = row
    const first = await start(when, step, action, target)
    // Not deployed by this agent: its moment would come in that deploy already.
    await runServices(dockerd, services, 'v1')
    const deploying = first.client.call('deploys.deploy', { image_tag: 'v2' }).catch(() => {})
    await first.program.ready('the moment', () => first.program.output().includes('standing still'), 30_000)
    await kill(first.program)
    await deploying

    const { client } = await start()
    const record = await settled(client)
    expect(record).toMatchObject({ imageTag: 'v2', status: end, step: 'done' })
    expect(await listNames(dockerd)).toEqual(['ghosthands-api+', 'ghosthands-worker+'])
    const tag = end === 'completed' ? 'v2' : 'v1'
    expect(await images()).toEqual([`ghosthands-api ghosthands:${tag}`, `ghosthands-worker ghosthands:${tag}`])
    expect(await client.call('machine.health')).toMatchObject({ status: 'ok', apiHealthy: true, deploySafe: true })
    const { entries } = await client.call('audit.list')
    expect(entries[0]).toMatchObject({ action: 'deploy', peer: 'agent', details: { status: end } })
  })

  test('while Docker stops the API: what it goes on stopping serves again in the end', async () => {
    for (const spec of Object.values(services.services)) Object.assign(spec ?? {}, { stopLimitMs: 5000 })
    writeFileSync(path.join(folder, 'services.json'), JSON.stringify(services))
    const first = await start()
    const serve = (port: number) => `busybox httpd -f -p 127.0.0.1:${port} -h /www & while :; do sleep 1; done`
    await runServices(dockerd, services, 'v1', (port) => ['sh', '-c', `trap 'echo told' TERM; ${serve(port)}`])
    const name = 'ghosthands-api'
    const startedAt = () => dockerd.docker('inspect', '-f', '{{.State.StartedAt}}', name)
    const before = await startedAt()
    const deploying = first.client.call('deploys.deploy', { image_tag: 'v2' }).catch(() => {})
    await until('SIGTERM', async () => (await dockerd.docker('logs', name)).includes('told'), 30_000)
    await kill(first.program)
    await deploying

    const { client } = await start()
    expect(await settled(client)).toMatchObject({ imageTag: 'v2', status: 'rolled_back' })
    expect(await startedAt()).not.toBe(before)
    expect(await listNames(dockerd)).toEqual(['ghosthands-api+', 'ghosthands-worker+'])
    expect(await images()).toEqual(['ghosthands-api ghosthands:v1', 'ghosthands-worker ghosthands:v1'])
    expect(await client.call('machine.health')).toMatchObject({ status: 'ok', apiHealthy: true })
  })

  test('killed again and again while it restores, it still ends', async () => {
    const restoring: Moment[] = [
      ['stored', 'restore', 'remove', 'ghosthands-api'],
      ['taken', 'restore', 'put-back', 'ghosthands-api'],
      ['stored', 'restore', 'health', 'ghosthands-worker'],
    ]
    for (const [index, moment] of restoring.entries()) {
      const { program, client } = await start(...moment)
      if (index === 0) await client.call('deploys.deploy', { image_tag: 'v1' })
      const deploying =
        index === 0 ? client.call('deploys.deploy', { image_tag: 'sick-api' }).catch(() => {}) : undefined
      await program.ready(moment.join(' '), () => program.output().includes('standing still'), 30_000)
      await kill(program)
      await deploying
    }
    const { client } = await start()
    expect(await settled(client)).toMatchObject({ imageTag: 'sick-api', status: 'rolled_back' })
    expect(await images()).toEqual(['ghosthands-api ghosthands:v1', 'ghosthands-worker ghosthands:v1'])
    expect(await listNames(dockerd)).toEqual(['ghosthands-api+', 'ghosthands-worker+'])
  })
})
