import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { builtAgent, nodeProgram, projectRoot } from '../../e2e/rigs/built.ts'
import { type MountedHost, noMountedHost, startMountedHost } from '../../e2e/rigs/mounted-host.ts'
import { soaking } from '../../e2e/rigs/soak.ts'
import { contractVersion } from '../../shared/contract/index.ts'
import { Problem } from '../../shared/errors.ts'
import type { IpcEventData, IpcParamsOut } from '../../shared/ipc.ts'
import { type Clock, systemClock } from '../clock.ts'
import { Fleet } from '../fleet/fleet.ts'
import { openStore, type Store } from '../store/store.ts'
import { openSsh } from '../tunnels/ssh/ssh-tunnel.ts'
import { makeSshHome, type SshHome } from '../tunnels/test/ssh-home.ts'
import type { TunnelOf } from '../tunnels/tunnel.ts'
import { Vault } from '../vault/vault.ts'
import { Enrollments, type EnrollmentsDeps } from './enrollments.ts'
import { openSession, type SshSession } from './ssh-session.ts'
import type { StepName } from './steps.ts'
import { Upgrades } from './upgrades.ts'

/** The waits between tries are a fifth of the real ones, except in a soak. */
const clock: Clock = soaking ? systemClock : { ...systemClock, after: (ms, then) => systemClock.after(ms / 5, then) }
/** For it half a minute is over at once. */
const impatient: Clock = { ...clock, now: () => systemClock.now() * 1000 }

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
      clock,
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

const deps = (bundle: string, changed: Partial<EnrollmentsDeps> = {}): EnrollmentsDeps => ({
  ...{ fleet, vault, settings: store.settings, clock, bundle, node: host.lightNode },
  beside: path.join(projectRoot, 'node_modules', '@lydell'),
  version: contractVersion,
  ours: { platform: process.platform, arch: process.arch },
  onStep: (step) => steps.push(step),
  onRunning: () => {},
  connect: async ({ host: name }) => {
    const { connection, release } = home.connections.hold({ host: name })
    return openSession(await connection.client(), release)
  },
  ...changed,
})
const enrollments = (bundle: string, changed: Partial<EnrollmentsDeps> = {}) => new Enrollments(deps(bundle, changed))

const wish = (): IpcParamsOut<'enroll.start'> => ({
  enrollId: randomUUID(),
  name: 'box',
  environment: 'dev',
  machineType: 'ssh_host',
  ssh: { kind: 'ssh', host: 'box', remote: { port: 8000 } },
})
const there = async () =>
  (
    await host.inside(
      'ls -d /opt/pilothouse /etc/pilothouse/secret /etc/systemd/system/pilothouse-agent.service 2>/dev/null; id -u pilothouse 2>/dev/null; true',
    )
  ).trim()
const pid = async () => (await host.inside('cat /run/agent.pid')).trim()
const ended = (state: string) => steps.filter((one) => one.state === state).map(({ step }) => step)
const detailOf = (step: StepName) => steps.findLast((one) => one.step === step)?.detail ?? ''

/** The agent's bundle as another release would be. */
async function bundleOf(version: string): Promise<string> {
  const text = fs.readFileSync(await builtAgent(), 'utf8')
  const file = path.join(home.folder, `agent-${version}.mjs`)
  const other = text.replace(`contractVersion="${contractVersion}"`, `contractVersion="${version}"`)
  expect(other === text).toBe(version === contractVersion)
  fs.writeFileSync(file, other)
  return file
}

describe.skipIf(noMountedHost !== undefined)(`enrolment ${noMountedHost ?? ''}`, () => {
  test('a machine is enrolled over SSH with a Node of ours, answers, and all of it is taken away again when asked', async () => {
    const enrolling = enrollments(await builtAgent(), { node: nodeProgram })
    const machine = await enrolling.start(wish())
    expect(machine).toMatchObject({ name: 'box', state: 'running', knownFrom: 'machine' })
    const all = ['connect', 'check', 'node', 'copy', 'secret', 'service', 'verify', 'register']
    expect(ended('done')).toEqual(all)
    expect(detailOf('check')).toMatch(
      new RegExp(
        `x64|arm64.* · root · (no Node|Node v\\S+).* · (no )?Docker.* · \\d+ GB free · port ${host.agentPort} free`,
      ),
    )
    expect(machine.capabilities['pty']).toMatchObject({ available: true })
    const secret = await vault.get(machine.id, 'agent')
    expect((await host.inside('cat /etc/pilothouse/secret')).trim()).toBe(secret)
    expect(JSON.stringify(steps)).not.toContain(secret)
    expect(JSON.stringify(store.settings.get('enrolling'))).not.toContain(secret)

    // The same again: every step finds what it would do, and nothing is touched.
    const before = [await pid(), await host.inside('ls -lR --full-time /opt/pilothouse /etc/pilothouse')]
    steps.length = 0
    expect(await enrolling.start(wish())).toMatchObject({ id: machine.id, state: 'running' })
    expect(ended('done')).toEqual(all)
    expect(detailOf('copy')).toContain('there already')
    expect([await pid(), await host.inside('ls -lR --full-time /opt/pilothouse /etc/pilothouse')]).toEqual(before)
    expect(fleet.list()).toHaveLength(1)

    await enrolling.undo(machine.id)
    expect(await there()).toBe('')
    expect(fleet.list()).toEqual([])
  }, 180_000)

  test('broken off in each of its steps, it is listed as unfinished and goes on where it was', async () => {
    const bundle = await builtAgent()
    /** From that step on the line is dead, as after a cut or the end of this console. */
    const cutAt = (name: StepName) => {
      let dead = false
      const cut = <Answer>(act: () => Promise<Answer>): Promise<Answer> =>
        dead ? Promise.reject(new Problem('unreachable', 'The SSH connection to box was lost.')) : act()
      const base = deps(bundle)
      return new Enrollments({
        ...base,
        onStep: (step) => {
          if (step.step === name && step.state === 'running') dead = true
          base.onStep(step)
        },
        fleet: { ...reachable(), add: (machine, id) => cut(() => fleet.add(machine, id)) },
        connect: async (tunnel) => {
          const session = await base.connect(tunnel)
          return {
            exec: (...args) => cut(() => session.exec(...args)),
            writeFile: (...args) => cut(() => session.writeFile(...args)),
            close: () => session.close(),
          } satisfies SshSession
        },
        // Nobody waits half a minute for a line that is dead.
        clock: impatient,
      })
    }
    let secret: string | undefined
    for (const name of soaking
      ? (['node', 'copy', 'secret', 'service', 'verify'] as const)
      : (['copy', 'verify'] as const)) {
      await expect(cutAt(name).start(wish())).rejects.toMatchObject({ code: 'unreachable' })
      expect(ended('failed').at(-1)).toBe(name)
      const unfinished = enrollments(bundle).unfinished()
      expect(unfinished).toMatchObject([{ name: 'box', detail: expect.stringContaining('was lost') }])
      expect(fleet.list()).toEqual([])
      const kept = await vault.get(unfinished[0]?.enrollId ?? '', 'agent')
      if (secret !== undefined) expect(kept).toBe(secret)
      secret = kept
    }
    steps.length = 0
    const machine = await enrollments(bundle).start(wish())
    expect(machine).toMatchObject({ name: 'box', state: 'running' })
    for (const step of ['copy', 'secret'] as const) expect(detailOf(step)).toContain('there already')
    expect(await vault.get(machine.id, 'agent')).toBe(secret)
    expect(enrollments(bundle).unfinished()).toEqual([])

    // Removed from the console only, it is taken up again; undone then, as if it had never been there.
    await fleet.remove(machine.id)
    expect(await enrollments(bundle).start(wish())).toMatchObject({ id: machine.id, state: 'running' })
    await enrollments(bundle).undo(machine.id)
    expect(await there()).toBe('')
  }, 180_000)

  test('what fails is kept until it is undone; what is cancelled is undone; and nothing is put where it has no place', async () => {
    const broken = path.join(home.folder, 'broken.mjs')
    fs.writeFileSync(broken, 'process.stderr.write("no agent here"); process.exit(3)\n')
    const enrolling = enrollments(broken)
    await expect(enrolling.start(wish())).rejects.toMatchObject({ message: expect.stringContaining('no agent here') })
    const [unfinished] = enrolling.unfinished()
    expect(unfinished?.detail).toContain('no agent here')
    expect(await there()).not.toBe('')
    await enrolling.discard(unfinished?.enrollId ?? '')
    expect(await there()).toBe('')
    expect(enrolling.unfinished()).toEqual([])

    const cancelled = wish()
    const stopping = enrollments(await builtAgent(), {
      onStep: (step) => {
        steps.push(step)
        if (step.step === 'copy') stopping.cancel(cancelled.enrollId)
      },
    })
    await expect(stopping.start(cancelled)).rejects.toMatchObject({ code: 'cancelled' })
    expect(steps.at(-1)).toMatchObject({ state: 'undone', detail: expect.stringContaining('removed again') })
    expect([await there(), stopping.unfinished()]).toEqual(['', []])

    const other = net.createServer().listen(host.agentPort, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    await expect(stopping.start(wish())).rejects.toMatchObject({
      message: expect.stringContaining(`Another program listens on port ${host.agentPort}`),
    })
    await new Promise((resolve) => other.close(resolve))
    await host.inside('echo somebody-elses > /etc/pilothouse/secret')
    await expect(stopping.start(wish())).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('installed there already'),
    })
    expect(await host.inside('cat /etc/pilothouse/secret')).toBe('somebody-elses\n')
    expect([stopping.unfinished(), fleet.list()]).toEqual([[], []])
  }, 180_000)

  test('an agent is updated once, never to an older one by accident, and put back when the new one does not come up', async () => {
    const [old, ours] = [await bundleOf('0.0.9'), await builtAgent()]
    const { id } = await enrollments(old, { version: '0.0.9' }).start(wish())
    expect(fleet.view(id)).toMatchObject({ agentVersion: '0.0.9', compatibility: expect.stringContaining('newer') })
    const upgrade = (bundle: string, version: string, downgrade = false) =>
      new Upgrades(deps(bundle, { version })).start({ enrollId: randomUUID(), machineId: id, downgrade })

    steps.length = 0
    expect(await upgrade(ours, contractVersion)).toMatchObject({ agentVersion: contractVersion, compatibility: null })
    expect(ended('done')).toEqual(['connect', 'check', 'node', 'copy', 'service', 'verify'])
    expect(detailOf('check')).toContain(`0.0.9 there, ${contractVersion} here`)
    const running = await pid()
    expect(await upgrade(ours, contractVersion)).toMatchObject({ state: 'running' })
    expect(await pid()).toBe(running)

    await expect(upgrade(old, '0.0.9')).rejects.toMatchObject({ code: 'conflict', extra: { downgrade: true } })
    expect(await pid()).toBe(running)
    expect(await upgrade(old, '0.0.9', true)).toMatchObject({ agentVersion: '0.0.9' })

    // It installs its service, and then is not what it says: the one from before serves again.
    const liar = await bundleOf('0.0.8')
    const failing = new Upgrades(deps(liar)).start({
      enrollId: randomUUID(),
      machineId: id,
      downgrade: false,
    })
    await expect(failing).rejects.toMatchObject({ message: expect.stringContaining('0.0.8') })
    expect(steps.at(-1)).toMatchObject({ state: 'undone', detail: expect.stringContaining('answers as 0.0.9') })
    expect(await fleet.verify(id)).toMatchObject({ state: 'running', agentVersion: '0.0.9' })
    expect(await host.inside('ls /opt/pilothouse')).not.toContain('before')
  }, 180_000)

  /** The fleet as the enrolments see it: a class's methods do not spread. */
  function reachable(): EnrollmentsDeps['fleet'] {
    return {
      add: (...args) => fleet.add(...args),
      remove: (id) => fleet.remove(id),
      machine: (id) => fleet.machine(id),
      has: (id) => fleet.has(id),
      verify: (id) => fleet.verify(id),
      call: (...args) => fleet.call(...args),
    }
  }
})
