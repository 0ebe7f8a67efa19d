import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { builtAgent, nodeProgram } from '../../e2e/rigs/built.ts'
import { type MountedHost, startMountedHost } from '../../e2e/rigs/mounted-host.ts'
import type { IpcEventData, IpcParamsOut } from '../../shared/ipc.ts'
import { systemClock } from '../clock.ts'
import { Fleet } from '../fleet/fleet.ts'
import { openStore, type Store } from '../store/store.ts'
import { openSsh } from '../tunnels/ssh/ssh-tunnel.ts'
import { makeSshHome, type SshHome } from '../tunnels/test/ssh-home.ts'
import type { TunnelOf } from '../tunnels/tunnel.ts'
import { Vault } from '../vault/vault.ts'
import { Enrollments } from './enrollments.ts'
import { openSession } from './ssh-session.ts'

let host: MountedHost
let home: SshHome
let store: Store
let fleet: Fleet
let vault: Vault
const steps: IpcEventData<'enroll.step'>[] = []

beforeEach(async () => {
  host = await startMountedHost()
  home = makeSshHome()
  const { sshd } = host
  home.writeConfig(
    'Host box',
    'HostName 127.0.0.1',
    `Port ${sshd.port}`,
    `User ${sshd.user}`,
    `IdentityFile ${sshd.keyFile}`,
  )
  fs.writeFileSync(path.join(home.folder, '.ssh', 'known_hosts'), `[127.0.0.1]:${sshd.port} ${sshd.hostKey}\n`)
  store = openStore(path.join(home.folder, 'console.db'))
  vault = new Vault({ open: () => Promise.reject(new Error('none')) })
  steps.length = 0
  fleet = new Fleet({
    ...{
      store,
      vault,
      clock: systemClock,
      log: () => {},
      operator: () => 'ada',
      onChanged: () => {},
      onEvent: () => {},
    },
    openTunnel: (config) => openSsh(config as TunnelOf<'ssh'>, home.connections),
  })
})
afterEach(async () => {
  await fleet.stop()
  store.close()
  home.remove()
  await host.stop()
})

const enrollments = (bundle: string) =>
  new Enrollments({
    ...{ fleet, settings: store.settings, clock: systemClock, bundle, node: nodeProgram },
    ours: { platform: process.platform, arch: process.arch },
    onStep: (step) => steps.push(step),
    connect: async ({ host: name }) => {
      const { connection, release } = home.connections.hold({ host: name })
      return openSession(await connection.client(), release)
    },
  })

const wish = (): IpcParamsOut<'enroll.start'> => ({
  enrollId: randomUUID(),
  name: 'box',
  environment: 'dev',
  machineType: 'ssh_host',
  ssh: { kind: 'ssh', host: 'box', remote: { port: host.agentPort } },
})
const there = async () =>
  (
    await host.inside(
      'ls -d /opt/pilothouse /etc/pilothouse/secret /etc/systemd/system/pilothouse-agent.service 2>/dev/null; id -u pilothouse 2>/dev/null; true',
    )
  ).trim()

test('a machine is enrolled over SSH, answers, and what was installed is taken away again when asked', async () => {
  const enrolling = enrollments(await builtAgent())
  const machine = await enrolling.start(wish())
  expect(machine).toMatchObject({ name: 'box', state: 'running', knownFrom: 'machine' })
  expect(steps.filter(({ state }) => state === 'done').map(({ step }) => step)).toEqual([
    'connect',
    'check',
    'node',
    'copy',
    'secret',
    'service',
    'verify',
    'register',
  ])
  const secret = await vault.get(machine.id, 'agent')
  expect((await host.inside('cat /etc/pilothouse/secret')).trim()).toBe(secret)
  expect(JSON.stringify(steps)).not.toContain(secret)
  await expect(enrolling.start(wish())).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('installed there already'),
  })
  await enrolling.undo(machine.id)
  expect(await there()).toBe('')
  expect(fleet.list()).toEqual([])
}, 180_000)

test('a bundle that does not run leaves nothing behind', async () => {
  const broken = path.join(home.folder, 'broken.mjs')
  fs.writeFileSync(broken, 'process.stderr.write("no agent here"); process.exit(3)\n')
  await expect(enrollments(broken).start(wish())).rejects.toMatchObject({
    message: expect.stringContaining('no agent here'),
  })
  expect(steps.at(-1)).toMatchObject({ state: 'undone', detail: expect.stringContaining('removed again') })
  expect(await there()).toBe('')
  expect(fleet.list()).toEqual([])
}, 180_000)
