import { expect, test } from 'vitest'
import { Problem } from '../../shared/errors.ts'
import { Credentials, type CredentialsDeps } from './credentials.ts'
import { Vault } from './vault.ts'

async function rig(changed: Partial<CredentialsDeps> = {}) {
  const vault = new Vault({ open: () => Promise.reject(new Error('none')) })
  await vault.set('m1', 'agent', 'hush-agent')
  await vault.set('aws:ops', 'aws', '{"secretAccessKey":"hush-aws"}')
  await vault.set('SHA256:abc', 'ssh-passphrase', 'hush-phrase')
  await vault.set('registry:prod', 'registry', 'hush-login')
  await vault.set('last-pictures', 'pictures', 'hush-pictures')
  const credentials = new Credentials({
    vault,
    fleet: {
      has: (id: string) => id === 'm1',
      machine: () => ({ record: { name: 'shop-1' } }),
      call: async () => ({ agentVersion: '0.1.0' }),
    } as never,
    passphrases: { fileOf: async () => '/home/ada/.ssh/id_ed25519', opens: async () => true },
    testAws: async () => 'EC2 in eu-central-1 took them.',
    testRegistry: async () => {},
    removeAws: (name) => vault.delete(`aws:${name}`, 'aws'),
    pictures: { opens: async () => true, clear: () => vault.delete('last-pictures', 'pictures') },
    removeRegistry: (environment) => vault.delete(`registry:${environment}`, 'registry'),
    ...changed,
  })
  return { vault, credentials }
}

test('every kept secret is listed by what a person calls it, with its age and place, and without its value', async () => {
  const { credentials } = await rig()
  const list = await credentials.list()
  expect(list.map(({ kind, title, where }) => [kind, title, where])).toEqual([
    ['agent', 'shop-1', 'this-run'],
    ['aws', 'ops', 'this-run'],
    ['pictures', 'Last pictures', 'this-run'],
    ['registry', 'prod', 'this-run'],
    ['ssh-passphrase', '/home/ada/.ssh/id_ed25519', 'this-run'],
  ])
  expect(list.every(({ since }) => !Number.isNaN(Date.parse(since)))).toBe(true)
  expect(JSON.stringify(list)).not.toContain('hush')
})

test('each is tried on what it is for', async () => {
  const { credentials } = await rig()
  for (const { kind, id } of await credentials.list())
    expect(await credentials.test({ kind, id })).toMatchObject({ verdict: 'good' })
})

test('what says no is told apart from what says nothing', async () => {
  const refused = await rig({
    testAws: () => Promise.reject(new Problem('unauthorized', 'AWS refuses the keys ops.')),
    passphrases: { fileOf: async () => undefined, opens: async () => false },
  })
  expect(await refused.credentials.test({ kind: 'aws', id: 'ops' })).toMatchObject({ verdict: 'refused' })
  expect(await refused.credentials.test({ kind: 'ssh-passphrase', id: 'SHA256:abc' })).toMatchObject({
    verdict: 'refused',
  })
  const silent = await rig({ testAws: () => Promise.reject(new Problem('unreachable', 'AWS cannot be reached.')) })
  expect(await silent.credentials.test({ kind: 'aws', id: 'ops' })).toEqual({
    verdict: 'untested',
    detail: 'AWS cannot be reached.',
  })
})

test('what is removed is gone, and cannot be tested any more', async () => {
  const { credentials } = await rig()
  for (const { kind, id } of await credentials.list()) await credentials.remove({ kind, id })
  expect(await credentials.list()).toEqual([])
  await expect(credentials.test({ kind: 'aws', id: 'ops' })).rejects.toMatchObject({ code: 'not-found' })
})
