import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { listHosts, resolveHost, type SshEnvironment } from './resolve-host.ts'

let home = ''
let environment: SshEnvironment
beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'ph-sshconf-'))
  fs.mkdirSync(path.join(home, '.ssh', 'config.d'), { recursive: true })
  environment = {
    ...{ home, userName: 'ada', globalKnownHosts: ['/etc/ssh/ssh_known_hosts'], env: { SSH_AUTH_SOCK: '/run/agent' } },
    configFiles: [path.join(home, '.ssh', 'config')],
  }
})
afterEach(() => fs.rmSync(home, { recursive: true, force: true }))
const write = (text: string, name = 'config') => fs.writeFileSync(path.join(home, '.ssh', name), text)
const resolve = (host: string, more = {}) => resolveHost({ host, ...more }, environment)

test('without a configuration everything is as OpenSSH has it', async () => {
  expect(await resolve('box')).toMatchObject({
    ...{ host: 'box', port: 22, user: 'ada', keyName: 'box', identitiesOnly: false, agentSocket: '/run/agent' },
    ...{ hashKnownHosts: false, strictHostKeys: 'ask', jumps: [], aliveIntervalMs: undefined },
    identityFiles: ['id_rsa', 'id_ecdsa', 'id_ed25519'].map((name) => path.join(home, '.ssh', name)),
  })
})

test('the first value counts, patterns and negations decide, and what the person typed comes before all', async () => {
  write(`
HOST prod-* !prod-9
  user=deploy
  Port 2200
  IdentityFile ~/.ssh/%n-key
Host prod-?
  User other
  HostName %h.internal
  IdentityFile "\${HOME_DIR}/shared key"
  ServerAliveInterval 7
Host *
  User last
  HashKnownHosts yes
`)
  environment.env['HOME_DIR'] = '/keys'
  expect(await resolve('prod-1')).toMatchObject({
    ...{ host: 'prod-1.internal', port: 2200, user: 'deploy', hashKnownHosts: true, aliveIntervalMs: 7000 },
    identityFiles: [path.join(home, '.ssh', 'prod-1-key'), '/keys/shared key'],
  })
  expect(await resolve('prod-9')).toMatchObject({ user: 'other', port: 22 })
  expect(await resolve('prod-10')).toMatchObject({ user: 'deploy', host: 'prod-10' })
  expect(await resolve('prod-1', { user: 'me', port: 1 })).toMatchObject({ user: 'me', port: 1 })
})

test('files are included where they stand, in the order of their names, and conditions reach into them', async () => {
  write('Include config.d/*\nHost inner\n  Include only-inner\nHost *\n  User outer\n')
  write('Host box\n  User from-b\n  Port 3\n', 'config.d/b')
  write('Host box\n  User from-a\n', 'config.d/a')
  write('User included\n', 'only-inner')
  expect(await resolve('box')).toMatchObject({ user: 'from-a', port: 3 })
  expect(await resolve('inner')).toMatchObject({ user: 'included' })
  expect(await resolve('third')).toMatchObject({ user: 'outer' })
  expect(await listHosts(environment)).toEqual(['box', 'inner'])
})

test('a circle of includes is an error, not a hang', async () => {
  write('Include config\n')
  await expect(resolve('box')).rejects.toMatchObject({ code: 'tunnel-setup' })
})

test('Match decides by host and user; what would run a program never holds, and runs nothing', async () => {
  const witness = path.join(home, 'ran')
  write(`
Match exec "touch ${witness}"
  User exec
Match host 10.* user root
  Port 5
Match originalhost box
  User root
  HostName 10.0.0.1
Match host 10.*
  Port 6
Match all
  IdentitiesOnly yes
`)
  expect(await resolve('box')).toMatchObject({ user: 'root', host: '10.0.0.1', port: 6, identitiesOnly: true })
  expect(fs.existsSync(witness)).toBe(false)
})

test('jumps are read with their users and ports, and none is none', async () => {
  write('Host a\n ProxyJump ops@first:2222,second\nHost b\n ProxyJump none\nHost c\n ProxyJump -oX=y\n')
  expect((await resolve('a')).jumps).toEqual([{ alias: 'first', user: 'ops', port: 2222 }, { alias: 'second' }])
  expect((await resolve('b')).jumps).toEqual([])
  await expect(resolve('c')).rejects.toMatchObject({ code: 'tunnel-setup' })
})

test('a ProxyCommand is not run, and said not to be', async () => {
  write('Host a\n ProxyCommand nc %h %p\nHost b\n ProxyCommand none\n')
  await expect(resolve('a')).rejects.toMatchObject({
    code: 'tunnel-setup',
    message: expect.stringContaining('ProxyJump'),
  })
  expect(await resolve('b')).toMatchObject({ host: 'b' })
})

test('a jump that is written as a ProxyCommand is one; nothing else is taken for it', async () => {
  const commands = [
    'ssh -W %h:%p bastion',
    '/usr/bin/ssh -q -l ops -p 2222 bastion -W [%h]:%p 2>/dev/null',
    'exec ssh -qT %r@bastion -W%h:%p',
  ]
  write(commands.map((command, index) => `Host h${index}\n User me\n ProxyCommand ${command}\n`).join(''))
  const jumps = await Promise.all(commands.map(async (_, index) => (await resolve(`h${index}`)).jumps))
  expect(jumps).toEqual([
    [{ alias: 'bastion' }],
    [{ alias: 'bastion', user: 'ops', port: 2222 }],
    [{ alias: 'bastion', user: 'me' }],
  ])
  const others = ['ssh bastion nc %h %p', 'ssh -W other:22 bastion', 'ssh -o X=y -W %h:%p bastion', 'ssh -W %h:%p']
  write(others.map((command, index) => `Host h${index}\n ProxyCommand ${command}\n`).join(''))
  for (const index of others.keys()) await expect(resolve(`h${index}`)).rejects.toMatchObject({ code: 'tunnel-setup' })
})

test('of ProxyJump and ProxyCommand the first one counts', async () => {
  write('Host a b\n ProxyCommand none\nHost c\n ProxyJump near\nHost *\n ProxyJump far\n ProxyCommand nc %h %p\n')
  expect((await resolve('a')).jumps).toEqual([])
  expect((await resolve('c')).jumps).toEqual([{ alias: 'near' }])
  expect((await resolve('d')).jumps).toEqual([{ alias: 'far' }])
})

test('known_hosts files, the agent and how strict to be', async () => {
  write(`
Host a
  UserKnownHostsFile ~/.ssh/one ~/.ssh/two
  IdentityAgent none
  StrictHostKeyChecking no
  HostKeyAlias Alias
`)
  expect(await resolve('a')).toMatchObject({
    knownHostsFiles: [path.join(home, '.ssh', 'one'), path.join(home, '.ssh', 'two'), '/etc/ssh/ssh_known_hosts'],
    ...{ agentSocket: undefined, strictHostKeys: 'accept-new', keyName: 'alias' },
  })
})
