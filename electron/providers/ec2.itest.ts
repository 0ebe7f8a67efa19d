import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Ec2Rig, startEc2 } from '../../e2e/rigs/ec2.ts'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import type { AwsAccount } from '../../shared/domain/power.ts'
import { systemClock } from '../clock.ts'
import { MachinePower } from '../power/machine-power.ts'
import { createProvider } from './create-provider.ts'
import { discovered } from './ec2.ts'
import { Ec2Accounts } from './ec2-accounts.ts'
import type { Provider } from './provider.ts'

let rig: Ec2Rig
let accounts: Ec2Accounts
let account: AwsAccount
beforeEach(async () => {
  rig = await startEc2()
  accounts = new Ec2Accounts({
    keys: async (name) =>
      name === 'ops' ? { accessKeyId: 'AKIACANARY00000001', secretAccessKey: 'canary-secret-key' } : undefined,
    clock: systemClock,
  })
  account = { region: 'eu-central-1', credentials: { kind: 'keys', name: 'ops' }, endpoint: rig.endpoint }
})
afterEach(async () => {
  accounts.forget()
  await rig.stop()
})

const provider = (instanceId: string, changed: Partial<AwsAccount> = {}): Provider =>
  createProvider(
    { kind: 'ec2', instanceId, account: { ...account, ...changed } },
    { ec2: accounts, agent: () => Promise.reject(new Error('no agent')) as never, clock: systemClock, log: () => {} },
  )
const power = (one: Provider) => new MachinePower(one, { clock: systemClock, cost: () => null, onObserved: () => {} })

test('an instance is started, stopped and rebooted through its real states', async () => {
  const { id } = rig.add({ state: 'stopped', type: 'm5.large' })
  const one = power(provider(id))
  expect(await one.observe(0)).toMatchObject({
    kind: 'off',
    observation: { state: 'stopped', instanceType: 'm5.large' },
  })
  await one.act('start', 'x')
  expect(await one.observe(0)).toMatchObject({ kind: 'on', observation: { state: 'starting' } })
  const started = one.settle(['running'], 20_000, new AbortController().signal)
  rig.arrive(id)
  await started
  await one.act('reboot', 'x')
  await one.act('stop', 'x')
  expect(await one.observe(0)).toMatchObject({ kind: 'off', observation: { state: 'stopping' } })
  await expect(one.act('start', 'x')).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('still stopping'),
  })
  rig.arrive(id)
  await one.settle(['stopped'], 20_000, new AbortController().signal)
  expect(rig.asked.every(({ accessKeyId }) => accessKeyId === 'AKIACANARY00000001')).toBe(true)
})

describe('what goes wrong is told apart', () => {
  const error = (code: string, status = 400) => ({ kind: 'error', status, code, message: `${code} says AWS` }) as const

  test.each([
    ['throttling', error('RequestLimitExceeded', 503), 'too-many-requests', /asked too often/],
    ['a missing permission', error('UnauthorizedOperation', 403), 'forbidden', /Allow ec2:DescribeInstances/],
    ['refused keys', error('AuthFailure', 401), 'unauthorized', /Enter the keys again/],
    ['an instance that is gone', error('InvalidInstanceID.NotFound'), 'not-found', /no longer knows/],
    ['an answer of something else', { kind: 'garbage' } as const, 'bad-answer', /Check the endpoint|without saying/],
  ])('%s', async (_name, trouble, code, words) => {
    const { id } = rig.add()
    rig.trouble(trouble, 10)
    await expect(provider(id).describe?.()).rejects.toMatchObject({ code, message: expect.stringMatching(words) })
  })

  test('a server that is not there', async () => {
    const gone = provider(rig.add().id, { endpoint: 'http://127.0.0.1:9' })
    await expect(gone.describe?.()).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('ECONNREFUSED'),
    })
  })

  test('keys that are not in the keychain, and a profile that does not exist', async () => {
    const { id } = rig.add()
    const keys = provider(id, { credentials: { kind: 'keys', name: 'other' } })
    await expect(keys.describe?.()).rejects.toMatchObject({
      code: 'unauthorized',
      message: expect.stringContaining('not in the keychain'),
    })
    const profile = provider(id, { credentials: { kind: 'profile', profile: 'no-such-profile' } })
    await expect(profile.describe?.()).rejects.toMatchObject({
      code: 'unauthorized',
      message: expect.stringContaining('aws sso login --profile no-such-profile'),
    })
    expect(rig.asked).toEqual([])
  })

  test('a profile signs with its keys; one of single sign-on whose session ended says how to sign in again', async () => {
    const { folder, remove } = freshFolder('aws')
    const [config, shared] = [path.join(folder, 'config'), path.join(folder, 'credentials')]
    const session = ['[sso-session corp]', 'sso_start_url = https://corp.example/start', 'sso_region = eu-central-1']
    const profile = ['[profile sso]', 'sso_session = corp', 'sso_account_id = 123456789012', 'sso_role_name = Ops']
    fs.writeFileSync(config, `${[...session, ...profile].join('\n')}\n`)
    fs.writeFileSync(shared, '[work]\naws_access_key_id = AKIAPROFILE000001\naws_secret_access_key = from-the-file\n')
    vi.stubEnv('AWS_CONFIG_FILE', config)
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', shared)
    vi.stubEnv('HOME', folder)
    try {
      const { id } = rig.add()
      const work = provider(id, { credentials: { kind: 'profile', profile: 'work' } })
      expect(await work.describe?.()).toMatchObject({ state: 'running' })
      expect(rig.asked.map(({ accessKeyId }) => accessKeyId)).toEqual(['AKIAPROFILE000001'])
      const sso = provider(id, { credentials: { kind: 'profile', profile: 'sso' } })
      await expect(sso.describe?.()).rejects.toMatchObject({
        code: 'unauthorized',
        message: expect.stringContaining('aws sso login --profile sso'),
      })
      expect(rig.asked).toHaveLength(1)
    } finally {
      vi.unstubAllEnvs()
      remove()
    }
  })

  test('a moment of throttling is waited out', async () => {
    const { id } = rig.add()
    rig.trouble(error('RequestLimitExceeded', 503), 1)
    expect(await provider(id).describe?.()).toMatchObject({ state: 'running' })
  })
})

test('many machines are asked about in one question, and one that is gone does not spoil it for the others', async () => {
  const instances = Array.from({ length: 40 }, () => rig.add())
  rig.instances.delete(instances[7]?.id ?? '')
  const answers = await Promise.allSettled(instances.map(({ id }) => provider(id).describe?.()))
  expect(
    answers
      .map(({ status }, index) => (status === 'rejected' ? index : undefined))
      .filter((index) => index !== undefined),
  ).toEqual([7])
  expect(answers[7]).toMatchObject({ reason: { code: 'not-found' } })
  expect(rig.asked).toHaveLength(2)
})

test('machines are found by their tag', async () => {
  rig.add({ tags: { Name: 'worker-1', fleet: 'browsers' } })
  rig.add({ tags: { fleet: 'databases' } })
  rig.add({ state: 'terminated', tags: { fleet: 'browsers' } })
  const found = (await accounts.discover(account, { key: 'fleet', value: 'browsers' })).map(discovered)
  expect(found).toMatchObject([
    { name: 'worker-1', state: 'running', instanceType: 't3.large', tags: { fleet: 'browsers' } },
  ])
  expect(await accounts.discover(account, { key: 'fleet', value: '' })).toHaveLength(2)
})

test('empty pages without end are not followed for ever', async () => {
  const send = vi.spyOn(accounts, 'send').mockImplementation(async () => {
    await new Promise((resolve) => setImmediate(resolve))
    return { Reservations: [], NextToken: 'more' }
  })
  await expect(accounts.discover(account, { key: 'fleet', value: '' })).rejects.toMatchObject({ code: 'bad-answer' })
  expect(send.mock.calls.length).toBeLessThan(100)
})
