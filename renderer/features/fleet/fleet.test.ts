import { expect, test } from 'vitest'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { linkLook, machineLook } from '../machine/look.ts'
import { machine } from '../machine/machine.fixture.ts'
import { driverOf } from './driver.ts'
import { applyChanges } from './fleet.store.ts'
import { healthOf, troubleOf } from './health.ts'
import {
  blankMachine,
  checkKept,
  checkMachine,
  checkTunnel,
  fromMachine,
  type NewMachine,
  toParams,
  toTunnel,
} from './newMachine.ts'
import { countGroups, isHealthy, selectRows } from './summary.ts'

const named = (name: string, changed = {}) => machine({ id: name, name, ...changed })
const names = (rows: { name: string }[]) => rows.map((row) => row.name)
const lease = { operator: 'Ada', reason: '', takenAt: '', expiresAt: '', mine: true }

test('a change replaces, adds and removes, and touches nothing else', () => {
  const before = { a: named('a'), b: named('b'), c: named('c') }
  const after = applyChanges(before, [{ changed: [named('b', { viewers: 3 }), named('d')], removed: ['c'] }])
  expect(Object.keys(after)).toEqual(['a', 'b', 'd'])
  expect(after['b']?.viewers).toBe(3)
  expect(after['a']).toBe(before.a)
  expect(before.c).toBeDefined()
})

test('news of one machine move it, and count it anew', () => {
  const [a, b, c] = [named('a'), named('b'), named('c')]
  expect(names(selectRows([a, b, c]))).toEqual(['a', 'b', 'c'])
  const asking = { ...c, helpWanted: true }
  expect(names(selectRows([a, b, asking]))).toEqual(['c', 'a', 'b'])
  expect(selectRows([a, b, asking])[0]).toBe(asking)
  const off = { ...asking, helpWanted: false, state: 'terminated' as const }
  expect(names(selectRows([a, b, off]))).toEqual(['a', 'b', 'c'])
  expect(countGroups([a, b, asking])).toMatchObject({ total: 3, running: 3, stopped: 0, attention: 1 })
  expect(countGroups([a, b, off])).toMatchObject({ total: 3, running: 2, stopped: 1, attention: 0 })
})

test('by default, what a person holds or should look at comes first', () => {
  const rows = selectRows([
    named('z'),
    named('off', { state: 'terminated' }),
    named('lost', { state: 'unknown' }),
    named('mine', { lease }),
    named('stuck', { helpWanted: true }),
  ])
  expect(names(rows)).toEqual(['mine', 'stuck', 'lost', 'z', 'off'])
})

test('colour and word say who is in control: an engine is blue, a person amber, nobody green', () => {
  const driver = { engine: 'stagehand', mode: 'dom' } as const
  const said = (changed: Partial<MachineView>) => {
    const one = machine(changed)
    return [machineLook(one).tone, linkLook('browser', one.links.browser, one).tone, driverOf(one)]
  }
  expect(said({})).toEqual(['up', 'up', 'idle'])
  expect(said({ driver })).toEqual(['engine', 'engine', 'Stagehand dom'])
  expect(said({ driver, lease })).toEqual(['person', 'person', 'you'])
  expect(said({ lease: { ...lease, mine: false } })).toEqual(['person', 'person', 'Ada'])
  expect(machineLook(machine({ driver, helpWanted: true }))).toMatchObject({ tone: 'person', word: 'Needs you' })
  expect(driverOf(machine({ state: 'paused' }))).toBeNull()
  expect(driverOf(machine({ knownFrom: 'cache' }))).toBeNull()
  const wanted = { group: 'engines' } as const
  expect(names(selectRows([named('idle'), named('driven', { driver })], wanted))).toEqual(['driven'])
})

test('names are sorted as people count', () => {
  const rows = selectRows([named('prod-10'), named('prod-9')], { sort: { key: 'name', descending: false } })
  expect(names(rows)).toEqual(['prod-9', 'prod-10'])
})

test('a machine that gets another name, comes or goes finds its place', () => {
  const [a, b] = [machine({ id: '1', name: 'a' }), machine({ id: '2', name: 'b' })]
  expect(names(selectRows([a, b]))).toEqual(['a', 'b'])
  expect(names(selectRows([{ ...a, name: 'z' }, b]))).toEqual(['b', 'z'])
  expect(names(selectRows([b, named('3'), a]))).toEqual(['3', 'a', 'b'])
  const down = { key: 'env', descending: true } as const
  const prod = named('p', { environment: 'prod' })
  expect(
    names(selectRows([named('e', { environment: 'dev' }), prod, named('d', { environment: 'dev' })], { sort: down })),
  ).toEqual(['p', 'd', 'e'])
})

test('machines without a round trip stand last when the fastest are wanted', () => {
  const rows = selectRows([named('lost', { roundTripMs: null }), named('near', { roundTripMs: 1 })], {
    sort: { key: 'roundTrip', descending: false },
  })
  expect(names(rows)).toEqual(['near', 'lost'])
})

test('every word typed must be found, in name, address or state', () => {
  const fleet = [named('prod-01', { address: '10.4.1.1' }), named('prod-02', { address: '10.9.1.1' })]
  expect(names(selectRows(fleet, { query: 'PROD 10.9' }))).toEqual(['prod-02'])
  expect(selectRows(fleet, { query: 'nothing' })).toEqual([])
})

test('remembered is not healthy, and neither is a broken link', () => {
  expect(isHealthy(machine())).toBe(true)
  expect(isHealthy(machine({ knownFrom: 'cache' }))).toBe(false)
  const { links } = machine()
  expect(isHealthy(machine({ links: { ...links, browser: { state: 'down', detail: '' } } }))).toBe(false)
})

test('a machine that says it is not well is not healthy, and its reason is shown', () => {
  const ill = (status: string) => machine({ health: { status, reason: 'The API is not healthy.' } })
  expect(['ok', 'degraded', 'error'].map((status) => healthOf(ill(status)))).toEqual([
    'healthy',
    'degraded',
    'unhealthy',
  ])
  expect(troubleOf(ill('ok'))).toBeNull()
  expect(troubleOf(ill('degraded'))).toMatchObject({ detail: 'The API is not healthy.', code: 'degraded' })
  const problem = { code: 'timeout', detail: 'It did not answer.' }
  expect(troubleOf({ ...ill('error'), problem })).toMatchObject(problem)
})

test('a form with mistakes names each, and a good one becomes parameters', () => {
  expect(Object.keys(checkMachine(blankMachine, []))).toEqual(['name', 'host', 'secret'])
  const typed = { ...blankMachine, name: ' a ', host: '10.0.0.1 ', port: '8000', secret: 's' }
  expect(checkMachine(typed, [])).toEqual({})
  expect(checkMachine(typed, ['a'])).toHaveProperty('name')
  expect(checkMachine({ ...typed, host: 'http://x' }, [])).toHaveProperty('host')
  for (const secret of [' \t', 'two\nlines', 'пароль']) {
    expect(checkMachine({ ...typed, secret }, []), secret).toHaveProperty('secret')
  }
  for (const secret of [' s\t', 'two words']) expect(checkMachine({ ...typed, secret }, [])).toEqual({})
  for (const port of ['0', '65536', '8e3', '', '80.5'])
    expect(checkMachine({ ...typed, port }, []), port).toHaveProperty('port')
  expect(toParams(typed)).toMatchObject({ name: 'a', tunnel: { kind: 'direct', host: '10.0.0.1', port: 8000 } })
})

test('each way to a machine wants its own fields, and leaves out what is not given', () => {
  const ssh = { ...blankMachine, tunnel: 'ssh' as const }
  expect(Object.keys(checkTunnel(ssh))).toEqual(['sshHost'])
  for (const sshHost of ['-oProxyCommand=x', 'ssh -oProxyCommand=x box', '-x@box', 'a b', 'bücher', 'box/path']) {
    expect(checkTunnel({ ...ssh, sshHost }), sshHost).toHaveProperty('sshHost')
  }
  expect(checkTunnel({ ...ssh, sshHost: '[fe80::1%eth0]' })).toEqual({})
  for (const remote of ['agent.sock', `/${'x'.repeat(107)}`])
    expect(checkTunnel({ ...ssh, sshHost: 'box', remote })).toHaveProperty('remote')
  expect(toTunnel({ ...ssh, sshHost: 'box ' })).toEqual({ kind: 'ssh', host: 'box', remote: { port: 8000 } })
  expect(toTunnel({ ...ssh, sshHost: 'box', sshUser: 'ops', sshPort: '2222', remote: '/run/a.sock' })).toEqual({
    ...{ kind: 'ssh', host: 'box', user: 'ops', port: 2222 },
    remote: { socketPath: '/run/a.sock' },
  })
  for (const sshHost of ['ops@box:2222', 'ssh://ops@box:2222/', ' ssh ops@box:2222 ']) {
    expect(checkTunnel({ ...ssh, sshHost }), sshHost).toEqual({})
    expect(toTunnel({ ...ssh, sshHost }), sshHost).toMatchObject({ host: 'box', user: 'ops', port: 2222 })
  }
  expect(toTunnel({ ...ssh, sshHost: 'ops@box', sshPort: '22' })).toMatchObject({ host: 'box', user: 'ops', port: 22 })
  expect(toTunnel({ ...ssh, sshHost: 'fe80::1' })).toMatchObject({ host: 'fe80::1' })
  // Which of the two is meant, only the person can say.
  expect(checkTunnel({ ...ssh, sshHost: 'ops@box', sshUser: 'root' })).toHaveProperty('sshHost')
  expect(checkTunnel({ ...ssh, sshHost: 'box:22', sshPort: '23' })).toHaveProperty('sshHost')
  const tailscale = { ...blankMachine, tunnel: 'tailscale' as const }
  expect(Object.keys(checkTunnel(tailscale))).toEqual(['peer'])
  expect(toTunnel({ ...tailscale, peer: 'box' })).toEqual({ kind: 'tailscale', peer: 'box', port: 8000 })
})

test('a machine that is changed starts from what is known of it, and may keep its name', () => {
  const ways: MachineView['tunnel'][] = [
    { kind: 'direct', host: '10.0.0.1', port: 8001 },
    { kind: 'tailscale', peer: 'box', port: 8002 },
    { kind: 'ssh', host: 'box', remote: { port: 8003 } },
    { kind: 'ssh', host: 'box', port: 2222, user: 'ops', remote: { socketPath: '/run/a.sock' } },
  ]
  for (const tunnel of ways) {
    const typed = fromMachine(machine({ name: 'a', tunnel }))
    expect(toTunnel(typed)).toEqual(tunnel)
    expect(checkKept(typed, ['b'])).toEqual({})
  }
  const typed: NewMachine = { ...fromMachine(machine({ name: 'a' })), tunnel: 'direct', host: '' }
  expect(Object.keys(checkKept(typed, ['a']))).toEqual(['name', 'host'])
})
