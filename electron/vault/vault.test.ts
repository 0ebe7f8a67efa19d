import { expect, test } from 'vitest'
import type { Keychain } from './keychain.ts'
import { Vault } from './vault.ts'

function fakeKeychain() {
  const items = new Map<string, string>()
  const reads: string[] = []
  const keychain: Keychain = {
    async get(account) {
      reads.push(account)
      return items.get(account) ?? null
    },
    async set(account, value) {
      items.set(account, value)
    },
    async delete(account) {
      return items.delete(account)
    },
  }
  return { keychain, items, reads }
}
const encrypted = async () => false

test('without a keychain a secret lives for this run, and the state says so', async () => {
  const options = { open: () => Promise.reject(new Error('DBus error')), isPlain: encrypted }
  const vault = new Vault(options)
  expect(await vault.set('m1', 'agent', 'hush')).toBe('this-run')
  expect(await vault.get('m1', 'agent')).toBe('hush')
  expect(await vault.list()).toMatchObject([{ machineId: 'm1', kind: 'agent' }])
  expect(await vault.state()).toMatchObject({ state: 'missing', detail: expect.stringContaining('this run only') })
  expect(await new Vault(options).get('m1', 'agent')).toBeUndefined()
  await vault.delete('m1', 'agent')
  expect(await vault.get('m1', 'agent')).toBeUndefined()
})

test('secrets set at the same time are all kept and listed, and listing reads none', async () => {
  const { keychain, items, reads } = fakeKeychain()
  const vault = new Vault({ open: async () => keychain, isPlain: encrypted })
  await Promise.all(['a', 'b', 'c'].map((id) => vault.set(id, 'agent', `secret of ${id}`)))
  reads.length = 0
  const again = new Vault({ open: async () => keychain, isPlain: encrypted })
  expect((await again.list()).map((item) => item.machineId)).toEqual(['a', 'b', 'c'])
  expect(reads.every((account) => account === 'index')).toBe(true)
  expect(items.get('index')).not.toContain('secret of')
  await again.delete('b', 'agent')
  expect((await again.list()).map((item) => item.machineId)).toEqual(['a', 'c'])
  expect(items.has('b:agent')).toBe(false)
})

test('a keychain that never answers counts as locked, and is asked again later', async () => {
  const { keychain } = fakeKeychain()
  let answers = false
  const slow: Keychain = { ...keychain, get: (account) => (answers ? keychain.get(account) : new Promise(() => {})) }
  const vault = new Vault({ open: async () => slow, isPlain: encrypted, limitMs: 20 })
  expect(await vault.state()).toMatchObject({ state: 'locked' })
  expect(await vault.set('m1', 'agent', 'hush')).toBe('this-run')
  answers = true
  expect(await vault.state()).toMatchObject({ state: 'ready' })
  expect(await vault.set('m1', 'agent', 'hush')).toBe('keychain')
})

test('a keychain whose file is readable is refused, and nothing is left in it', async () => {
  const { keychain, items } = fakeKeychain()
  const vault = new Vault({ open: async () => keychain, isPlain: async (canary) => canary.length > 10 })
  expect(await vault.state()).toMatchObject({ state: 'weak' })
  expect(await vault.set('m1', 'agent', 'hush')).toBe('this-run')
  expect([...items.values()].join()).not.toContain('hush')
  expect(items.size).toBe(0)
})

test('a damaged index is written anew', async () => {
  const { keychain, items } = fakeKeychain()
  items.set('index', 'not json')
  const vault = new Vault({ open: async () => keychain, isPlain: encrypted })
  await vault.set('m1', 'agent', 'hush')
  expect((await vault.list()).map((item) => item.machineId)).toEqual(['m1'])
})
