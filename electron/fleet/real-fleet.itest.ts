import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestAgent, type TestAgent } from '../../e2e/rigs/agent.ts'
import { type Ec2Rig, startEc2 } from '../../e2e/rigs/ec2.ts'
import { freePort } from '../../e2e/rigs/ports.ts'
import { soaking } from '../../e2e/rigs/soak.ts'
import { until } from '../../e2e/rigs/until.ts'
import type { MachineView } from '../../shared/domain/machine.ts'
import type { ProviderConfig } from '../../shared/domain/power.ts'
import { type Clock, systemClock } from '../clock.ts'
import { createProvider } from '../providers/create-provider.ts'
import { Ec2Accounts } from '../providers/ec2-accounts.ts'
import type { Transition } from '../store/machines.ts'
import { openStore, type Store } from '../store/store.ts'
import { openDirect } from '../tunnels/direct.ts'
import { Vault } from '../vault/vault.ts'
import { Fleet } from './fleet.ts'

let folder = ''
let store: Store
let fleet: Fleet
let ec2: Ec2Rig
let accounts: Ec2Accounts
const ends: (() => Promise<unknown> | undefined)[] = []
const transitions: (Transition & { machineId: string })[] = []

/** Time that passes while nothing happens: the waits between tries are a fifth of the real ones, except in a soak. */
const clock: Clock = soaking ? systemClock : { ...systemClock, after: (ms, then) => systemClock.after(ms / 5, then) }

const makeFleet = () =>
  new Fleet({
    store,
    vault: new Vault({ open: () => Promise.reject(new Error('none')) }),
    openTunnel: (config) => openDirect(config as { host: string; port: number }),
    operator: () => 'ada',
    clock,
    log: () => {},
    makeProvider: ({ provider }, agent) =>
      provider === null
        ? undefined
        : createProvider(provider, { ec2: accounts, agent, clock: systemClock, log: () => {} }),
    echo: { consoleId: 'console-1', audit: store.audit },
    onChanged: () => {},
    onEvent: () => {},
    onTransition: (machineId, transition) => void transitions.push({ machineId, ...transition }),
  })

beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pilothouse-real-fleet-'))
  store = openStore(path.join(folder, 'console.db'))
  ec2 = await startEc2()
  accounts = new Ec2Accounts({
    keys: async () => ({ accessKeyId: 'AKIA0000000000000000', secretAccessKey: 'x'.repeat(20) }),
    clock: systemClock,
  })
  transitions.length = 0
  fleet = makeFleet()
  fleet.start()
})
afterEach(async () => {
  await fleet.stop()
  for (const end of ends.splice(0).reverse()) await end()
  await ec2.stop()
  accounts.forget()
  store.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

async function agent(env: Record<string, string> = {}): Promise<TestAgent> {
  const started = await startTestAgent(env)
  ends.push(() => started.stop())
  return started
}

const instance = (id: string): ProviderConfig => ({
  kind: 'ec2',
  instanceId: id,
  account: { region: 'eu-central-1', credentials: { kind: 'keys', name: 'ops' }, endpoint: ec2.endpoint },
})

function add(
  name: string,
  { port, secret }: { port: number; secret: string },
  provider?: ProviderConfig,
): Promise<MachineView> {
  const machineType = provider?.kind ?? 'ssh_host'
  return fleet.add({
    name,
    environment: 'dev',
    machineType,
    tunnel: { kind: 'direct', host: '127.0.0.1', port },
    provider,
    secret,
  })
}

const becomes = (id: string, state: MachineView['state']) =>
  until(`${id} to be ${state}`, () => fleet.view(id).state === state)

test('an agent that restarts is running again by itself, and its load comes with its events', async () => {
  const one = await agent()
  const port = one.port
  const { id } = await add('one', one)
  await until('its load', () => fleet.view(id).metrics !== null)
  const restarted = one.restart()
  await until('the loss to be seen', () => fleet.view(id).links.agent.state !== 'up')
  await restarted
  if (one.port === port) await until('the agent to be back', () => fleet.view(id).links.agent.state === 'up')
  expect(transitions.filter(({ to }) => to === 'killed')).toEqual([])
})

test('another agent at the same address is another machine: killed, not found, and asked nothing more', async () => {
  const one = await agent()
  const { port } = one
  const { id } = await add('one', one)
  await one.agent.stop('the test ends it')
  const two = await startTestAgent({ PILOTHOUSE_PORT: String(port), PILOTHOUSE_SECRET: one.secret })
  ends.push(() => two.stop())
  // It has a secret of its own: what it refuses is a matter of configuration, and proves nothing.
  await becomes(id, 'unknown')
  await fleet.setSecret(id, two.secret)
  expect(fleet.view(id)).toMatchObject({ state: 'killed', problem: { code: 'not-found' } })
  expect(store.machines.all()[0]).toMatchObject({ killedReason: 'not_found' })
  expect(() => fleet.client(id)).toThrow(/Wake it first/)
  expect(await fleet.wake(id)).toMatchObject({ state: 'running', recreated: { restored: [] } })
})

test('EC2 and agent together: silent on a running instance is unreachable, on a stopped one it is paused, on none it is gone', async () => {
  const one = await agent()
  const { id: instanceId } = ec2.add()
  const { id } = await add('one', one, instance(instanceId))
  await one.agent.stop('the agent ends, the instance goes on')
  await becomes(id, 'unknown')
  expect(fleet.view(id).problem?.detail).toMatch(/EC2 says that the instance runs, but its agent does not answer/)
  expect(fleet.view(id).power).toMatchObject({ state: 'running', actions: ['start', 'stop', 'reboot'] })

  Object.assign(ec2.instances.get(instanceId) ?? {}, { state: 'stopped' })
  await until('the stop to be seen', async () => (await fleet.verify(id)).state === 'paused')
  expect(fleet.view(id)).toMatchObject({ problem: null, power: { state: 'stopped' } })

  ec2.instances.delete(instanceId)
  await until('the end to be seen', async () => (await fleet.verify(id)).state === 'killed')
  expect(fleet.view(id).problem).toMatchObject({
    code: 'not-found',
    detail: expect.stringContaining('no longer knows'),
  })
  await expect(fleet.wake(id)).rejects.toMatchObject({
    code: 'not-found',
    message: expect.stringContaining('successor'),
  })
})

test.each([
  ['by a person', { stateReason: 'Client.UserInitiatedShutdown' }, 'killed', 'manual', /someone terminated/],
  [
    'when its price went up',
    { stateReason: 'Server.SpotInstanceTermination' },
    'expired',
    'expired',
    /end of its time/,
  ],
  [
    'at the end of its time',
    { stateReason: 'Client.UserInitiatedShutdown', tags: { 'pilothouse:expires-at': '2026-01-01T00:00:00Z' } },
    'expired',
    'expired',
    /end of its time/,
  ],
  ['without a word', {}, 'killed', 'not_found', /was terminated/],
] as const)('an instance that was terminated %s is shown as that', async (_how, said, state, reason, words) => {
  const one = await agent()
  const { id: instanceId } = ec2.add()
  const { id } = await add('one', one, instance(instanceId))
  await one.agent.stop('it ends with its instance')
  Object.assign(ec2.instances.get(instanceId) ?? {}, { state: 'terminated', ...said })
  await becomes(id, state)
  expect(fleet.view(id).problem?.detail).toMatch(words)
  expect(store.machines.all()[0]).toMatchObject({ killedReason: reason, killedAt: expect.any(String) })
  await expect(fleet.wake(id)).rejects.toMatchObject({ message: expect.stringContaining('successor') })
  expect(store.machines.transitions(id).map(({ to }) => to)).toEqual(['running', state])
})

test('a stopped instance is woken: started in EC2, waited for, verified', async () => {
  const one = await agent()
  const { id: instanceId } = ec2.add()
  const { id } = await add('one', one, instance(instanceId))
  expect(await fleet.powerOff(id, 'stopped by ada')).toMatchObject({ state: 'paused' })
  expect(() => fleet.client(id)).toThrow(/paused/)
  ec2.arrive(instanceId)
  const waking = fleet.wake(id)
  await until('the start', () => ec2.asked.some(({ action }) => action === 'StartInstances'))
  ec2.arrive(instanceId)
  expect(await waking).toMatchObject({ state: 'running', power: { state: 'running' } })
  expect(store.machines.transitions(id).map(({ to }) => to)).toEqual(['running', 'paused', 'running'])
})

test('a machine that is woken gets its browser back as it was, and what could not be brought back is said', async () => {
  const cookies: string[] = []
  const site = http.createServer((request, response) => {
    if (request.url === '/page') cookies.push(request.headers.cookie ?? 'none')
    response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'kept=yes; Max-Age=9999; Path=/' })
    response.end('<title>Page</title>')
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  ends.push(async () => void site.close())
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/page`
  // A browser that dies stays dead here: an agent that brings it back by itself has lost nothing.
  const fixed = { PILOTHOUSE_PORT: String(await freePort()), PILOTHOUSE_BROWSER_RESTART: 'never' }
  const one = await agent(fixed)
  const { id: instanceId } = ec2.add()
  const { id } = await add('one', one, instance(instanceId))
  await one.client.call('browser.start', { url, width: 1000, height: 700, contextId: 'shop' }, { timeoutMs: 60_000 })
  await until('the page to be remembered', () => fleet.machine(id).record.lastSandbox?.url === url)

  // Off and on again: the same disk, so the same cookies.
  await fleet.powerOff(id, 'stopped by ada')
  ec2.arrive(instanceId)
  await one.restart()
  const waking = fleet.wake(id)
  await until('the start', () => ec2.asked.some(({ action }) => action === 'StartInstances'))
  ec2.arrive(instanceId)
  expect(await waking).toMatchObject({ state: 'running' })
  expect(fleet.view(id).recreated).toMatchObject({
    restored: [`the start page (${url})`, 'cookies and storage of the context "shop"'],
    notRestored: [expect.stringContaining('open tabs beyond the first')],
  })
  expect(await one.client.call('browser.status')).toMatchObject({
    ...{ state: 'active', url, contextId: 'shop', resolution: { width: 1000, height: 700 } },
  })
  expect(cookies).toEqual(['none', 'kept=yes'])

  // Its browser alone dies: the sandbox is gone, the machine answers, and a wake makes the browser anew.
  const dies = one.client
    .call('browser.status')
    .then(({ processes }) => processes.find(({ name }) => name === 'chromium'))
  process.kill((await dies)?.pid ?? Number.NaN, 'SIGKILL')
  await becomes(id, 'killed')
  expect(fleet.view(id)).toMatchObject({
    problem: { detail: expect.stringMatching(/^The browser is gone\./) },
    links: { agent: { state: 'up' }, browser: { state: 'down' } },
  })
  expect(await fleet.call(id, 'exec.run', { command: 'echo still here' })).toMatchObject({ stdout: 'still here\n' })
  expect(await fleet.wake(id)).toMatchObject({
    state: 'running',
    recreated: { restored: [expect.any(String), expect.any(String)] },
  })
  expect(cookies).toEqual(['none', 'kept=yes', 'kept=yes'])

  // Gone, and another machine in its place: the page comes back, what was on the other disk does not.
  fleet.machine(id).end({ to: 'killed', problem: undefined, reason: 'gone' })
  await one.agent.stop('the test ends it')
  const two = await startTestAgent(fixed)
  ends.push(() => two.stop())
  await fleet.setSecret(id, two.secret)
  expect(fleet.view(id).state).toBe('killed')
  expect(await fleet.wake(id)).toMatchObject({ state: 'running' })
  expect(fleet.view(id).recreated).toMatchObject({
    restored: [`the start page (${url})`],
    notRestored: expect.arrayContaining([expect.stringContaining('on the disk of the machine that is gone')]),
  })
  expect(cookies).toEqual(['none', 'kept=yes', 'kept=yes', 'none'])
}, 120_000)

test('a refusal of EC2 changes nothing, and says what to do', async () => {
  const one = await agent()
  const { id: instanceId } = ec2.add()
  const { id } = await add('one', one, instance(instanceId))
  ec2.trouble({ kind: 'error', status: 403, code: 'UnauthorizedOperation', message: 'no' }, 5, 'StopInstances')
  await expect(fleet.powerOff(id, 'x')).rejects.toMatchObject({
    code: 'forbidden',
    message: expect.stringContaining('ec2:StopInstances'),
  })
  expect(fleet.view(id).state).toBe('running')
})

test('an audit that was cut is noticed at the next connection', async () => {
  const one = await agent()
  const { id } = await add('one', one)
  await until('the echo', () => (store.machines.all()[0]?.auditEntries ?? 0) > 0)
  expect(fleet.view(id).auditWarning).toBeNull()
  const record = store.machines.all()[0]
  if (record === undefined) throw new Error('the machine is not there')
  await fleet.stop()
  // As if this console had seen more than the agent has now.
  store.machines.save({ ...record, auditEntries: record.auditEntries + 40, auditHead: 'f'.repeat(64) })
  fleet = makeFleet()
  await fleet.setSecret(id, one.secret)
  await until('the warning', () => fleet.view(id).auditWarning !== null)
  expect(fleet.view(id).auditWarning).toMatch(/saw \d+ entries/)
})

test('a command on a machine that ends is told so, and does not hang', async () => {
  const one = await agent()
  const { id } = await add('one', one)
  const running = fleet.call(id, 'exec.run', { command: 'sleep 60', timeout_ms: 60_000 }, { timeoutMs: 60_000 })
  const failed = expect(running).rejects.toMatchObject({
    code: 'unreachable',
    message: expect.stringContaining('ended without an answer'),
  })
  await until('the command to run', async () => (await one.client.call('audit.list', { action: 'exec' })).total > 0)
  fleet.machine(id).end({ to: 'killed', problem: undefined, reason: 'gone' })
  await failed
})

test.each([
  [
    'too large',
    'bad-answer',
    (response: http.ServerResponse) => void response.end(`"${'x'.repeat(20 * 1024 * 1024)}"`),
  ],
  [
    'too large without saying so',
    'bad-answer',
    (response: http.ServerResponse) => {
      response.flushHeaders()
      for (let part = 0; part < 20; part++) response.write('x'.repeat(1024 * 1024))
    },
  ],
  ['too deep', 'bad-answer', (response: http.ServerResponse) => void response.end('['.repeat(200_000))],
  [
    'of another shape',
    'bad-answer',
    (response: http.ServerResponse) => void response.end('{"agentId":7,"capabilities":[]}'),
  ],
  [
    'never ending',
    'timeout',
    (response: http.ServerResponse) => {
      const drip = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(drip))
    },
  ],
])(
  'a machine whose answers are %s is an error for itself alone',
  async (_name, reason, answer) => {
    const good = await agent()
    const { id } = await add('good', good)
    let asked = 0
    const hostile = http.createServer((_request, response) => {
      asked++
      response.writeHead(200, { 'content-type': 'application/json', 'x-pilothouse-version': '0.1.0' })
      answer(response)
    })
    await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve))
    ends.push(async () => {
      hostile.closeAllConnections()
      await new Promise((resolve) => hostile.close(resolve))
    })
    const { port } = hostile.address() as AddressInfo
    await expect(add('bad', { port, secret: 's'.repeat(32) })).rejects.toMatchObject({
      code: 'unreachable',
      extra: { reason },
    })
    // What it said once it will say again; only silence is worth another try.
    expect(asked).toBe(reason === 'bad-answer' ? 1 : 4)
    expect(await fleet.verify(id)).toMatchObject({ state: 'running', problem: null })
    expect(fleet.list()).toHaveLength(1)
  },
  60_000,
)
