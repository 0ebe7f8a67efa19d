import fs from 'node:fs'
import path from 'node:path'
import ssh2 from 'ssh2'
import { afterAll, expect, test } from 'vitest'
import { startProgram } from '../../../e2e/rigs/program.ts'
import { makeSshHome } from '../test/ssh-home.ts'
import { fingerprint } from './fingerprint.ts'
import { KeptPassphrases } from './kept-passphrases.ts'
import { lookAround } from './surroundings.ts'

const home = makeSshHome()
afterAll(() => home.remove())

const vault = {
  get: async (id: string, kind: string) => home.kept.get(`${id} ${kind}`),
  set: async () => 'keychain' as const,
  state: async () => ({ state: 'ready' as const, detail: '' }),
}
const nameOf = (line: string) => {
  const key = ssh2.utils.parseKey(line)
  if (key instanceof Error) throw key
  return fingerprint(key.getPublicSSH())
}

test('a kept passphrase is tried on the key it belongs to, wherever the configuration names that', async () => {
  const locked = await home.makeKey('work', 'ed25519', 'open sesame')
  const unnamed = await home.makeKey('id_ed25519', 'ed25519', 'other')
  home.writeConfig('Host shop', `  IdentityFile ${locked.file}`)
  const passphrases = new KeptPassphrases({ vault, environment: () => home.environment, wishes: () => [] })
  const name = nameOf(locked.public)
  expect(await passphrases.fileOf(name)).toBe(locked.file)
  expect(await passphrases.fileOf(nameOf(unnamed.public))).toBe(unnamed.file)
  expect(await passphrases.opens(name)).toBe(false)
  home.kept.set(`${name} ssh-passphrase`, 'open sesame')
  expect(await passphrases.opens(name)).toBe(true)
  home.kept.set(`${name} ssh-passphrase`, 'wrong')
  expect(await passphrases.opens(name)).toBe(false)
  expect(home.shown).toEqual([])
})

test('SSH’s files and its agent are found as a login would find them', async () => {
  const bare = await lookAround(home.environment)
  expect(bare.configFiles).toEqual([{ file: home.environment.configFiles[0], found: true }])
  expect(bare.hosts).toBe(1)
  expect(bare.knownHosts.every(({ found }) => !found)).toBe(true)
  expect(bare.sshAgent).toMatchObject({ state: 'none', keys: 0 })

  const socket = path.join(home.folder, 'agent.sock')
  const withAgent = { ...home.environment, env: { SSH_AUTH_SOCK: socket } }
  expect((await lookAround(withAgent)).sshAgent.state).toBe('silent')
  const agent = await startProgram('ssh-agent', ['-D', '-a', socket])
  try {
    await agent.ready('its socket', () => fs.existsSync(socket))
    expect((await lookAround(withAgent)).sshAgent).toMatchObject({ state: 'answers', keys: 0 })
  } finally {
    await agent.end()
  }
})
