import fs from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestAgent, type TestAgent } from '../../../e2e/rigs/agent.ts'
import { freshFolder } from '../../../e2e/rigs/folder.ts'
import { runProgram, startProgram } from '../../../e2e/rigs/program.ts'
import { type Sshd, startSshd } from '../../../e2e/rigs/sshd.ts'
import { until } from '../../../e2e/rigs/until.ts'
import { AgentClient } from '../../../shared/client/client.ts'
import { makeSshHome, type SshHome } from '../test/ssh-home.ts'
import type { TunnelOf } from '../tunnel.ts'
import { openSsh } from './ssh-tunnel.ts'

let agent: TestAgent
let sshd: Sshd
let home: SshHome
const authorized = () => path.join(path.dirname(sshd.keyFile), 'authorized_keys')
const known = () => `[127.0.0.1]:${sshd.port} ${sshd.hostKey}\n`

beforeAll(async () => {
  agent = await startTestAgent()
  sshd = await startSshd()
})
afterAll(async () => {
  await sshd?.stop()
  await agent?.stop()
})
beforeEach(() => {
  home = makeSshHome()
  home.writeConfig(
    'Host box',
    'HostName 127.0.0.1',
    `Port ${sshd.port}`,
    `User ${sshd.user}`,
    `IdentityFile ${sshd.keyFile}`,
  )
  fs.writeFileSync(path.join(home.folder, '.ssh', 'known_hosts'), known())
})
afterEach(() => home.remove())

function open(changed: Partial<TunnelOf<'ssh'>> = {}) {
  const socketPath = agent.config.socketPath ?? ''
  const tunnel = openSsh({ kind: 'ssh', host: 'box', remote: { socketPath }, ...changed }, home.connections)
  const client = new AgentClient(tunnel.transport(), { secret: () => agent.secret })
  return { tunnel, client }
}

describe('a machine behind a real SSH server', () => {
  test('is reached at its socket and at its port, by a name of the configuration', async () => {
    for (const remote of [{ socketPath: agent.config.socketPath ?? '' }, { port: agent.port }]) {
      const { tunnel, client } = open({ remote })
      await tunnel.ready?.()
      expect(await client.call('machine.status')).toMatchObject({ agentId: expect.any(String) })
      expect(tunnel.state.state).toBe('up')
      tunnel.close()
    }
    expect(home.shown).toEqual([])
  })

  test('shares one connection, however much is asked at once', async () => {
    const { tunnel, client } = open()
    const answers = await Promise.all(Array.from({ length: 200 }, () => client.call('machine.status')))
    expect(answers).toHaveLength(200)
    expect(home.connections.all()).toHaveLength(1)
    const other = open()
    await other.client.call('machine.status')
    expect(home.connections.all()).toHaveLength(1)
    tunnel.close()
    await other.client.call('machine.status')
    other.tunnel.close()
    expect(home.connections.all()).toHaveLength(0)
  })

  test('streams events, and takes them up again after the connection was cut', async () => {
    const { tunnel, client } = open()
    const socket = await client.open('events', {})
    await new Promise<void>((resolve) => {
      socket.onMessage = () => resolve()
    })
    home.connections.all()[0]?.probe()
    expect(await client.call('machine.status')).toBeDefined()
    tunnel.close()
    expect((await socket.closed).code).toBeGreaterThan(0)
  })

  test('says that the agent is missing when the way is open and its end is empty', async () => {
    for (const remote of [{ socketPath: '/nowhere/agent.sock' }, { port: 1 }]) {
      const { tunnel, client } = open({ remote })
      await tunnel.ready?.()
      await expect(client.call('machine.status')).rejects.toMatchObject({
        code: 'unreachable',
        message: expect.stringContaining('Is the agent running'),
        cause: { code: 'ECONNREFUSED' },
      })
      expect(tunnel.state.state).toBe('up')
      tunnel.close()
    }
  })
})

describe('host keys', () => {
  const otherKey = async () => (await home.makeKey('other', 'ed25519')).public.split(' ').slice(0, 2).join(' ')
  const write = (...lines: string[]) =>
    fs.writeFileSync(path.join(home.folder, '.ssh', 'known_hosts'), lines.map((line) => `${line}\n`).join(''))
  const ssh = (...args: string[]) => runProgram('ssh', [...args.slice(0, -1), args.at(-1) ?? ''])

  test('an unknown one is asked about with its fingerprint, and kept so that ssh itself knows it', async () => {
    for (const hashed of [false, true]) {
      write()
      fs.appendFileSync(path.join(home.folder, '.ssh', 'config'), hashed ? 'HashKnownHosts yes\n' : '')
      home.shown.length = 0
      home.onPrompt = () => ({ action: 'accept' })
      const { tunnel, client } = open()
      await tunnel.ready?.()
      await client.call('machine.status')
      tunnel.close()
      const print = await runProgram('ssh-keygen', ['-lf', path.join(path.dirname(sshd.keyFile), 'host_key.pub')])
      expect(home.shown).toMatchObject([{ kind: 'host-key', keyType: 'ED25519', fingerprint: print.split(' ')[1] }])
      expect(home.knownHosts().startsWith('|1|')).toBe(hashed)
      expect(home.knownHosts().includes('127.0.0.1')).toBe(!hashed)
      const file = path.join(home.folder, '.ssh', 'known_hosts')
      const options = ['BatchMode=yes', 'StrictHostKeyChecking=yes', 'IdentitiesOnly=yes', `UserKnownHostsFile=${file}`]
      const args = ['-F', 'none', '-i', sshd.keyFile, '-p', String(sshd.port), ...options.flatMap((one) => ['-o', one])]
      expect(await ssh(...args, `${sshd.user}@127.0.0.1`, 'echo hello')).toBe('hello\n')
    }
  })

  test('one that the person does not accept is not asked about again by itself', async () => {
    write()
    home.onPrompt = () => ({ action: 'cancel' })
    const { tunnel } = open()
    await expect(tunnel.ready?.()).rejects.toMatchObject({ code: 'host-key-unknown' })
    home.connections.all()[0]?.retryNow()
    await expect(tunnel.ready?.()).rejects.toMatchObject({ code: 'host-key-unknown' })
    expect(home.shown).toHaveLength(1)
    home.prompts.personActs()
    home.connections.all()[0]?.retryNow()
    await expect(tunnel.ready?.()).rejects.toMatchObject({ code: 'host-key-unknown' })
    expect(home.shown).toHaveLength(2)
    expect(home.knownHosts()).toBe('')
    tunnel.close()
  })

  test('those that ssh and ssh-keyscan write are known, hashed or not', async () => {
    const file = path.join(home.folder, '.ssh', 'known_hosts')
    for (const hash of [[], ['-H']]) {
      write(...(await runProgram('ssh-keyscan', [...hash, '-p', String(sshd.port), '127.0.0.1'])).trim().split('\n'))
      const { tunnel } = open()
      await tunnel.ready?.()
      tunnel.close()
    }
    write()
    const options = [
      'StrictHostKeyChecking=accept-new',
      'HashKnownHosts=yes',
      `UserKnownHostsFile=${file}`,
      'BatchMode=yes',
    ]
    await ssh(
      '-F',
      'none',
      '-i',
      sshd.keyFile,
      '-p',
      String(sshd.port),
      ...options.flatMap((one) => ['-o', one]),
      `${sshd.user}@127.0.0.1`,
      'true',
    )
    expect(home.knownHosts()).toMatch(/^\|1\|/)
    const { tunnel } = open()
    await tunnel.ready?.()
    tunnel.close()
    expect(home.shown).toEqual([])
  })

  test('a changed one is refused a hundred times out of a hundred, without a question and before any login', async () => {
    write(`[127.0.0.1]:${sshd.port} ${await otherKey()}`)
    home.onPrompt = () => ({ action: 'accept' })
    const before = sshd.output().length
    for (let time = 0; time < 100; time++) {
      const { tunnel } = open()
      await expect(tunnel.ready?.()).rejects.toMatchObject({ code: 'host-key-changed' })
      tunnel.close()
    }
    await until('the server to have heard of all', () => {
      return (
        (
          sshd
            .output()
            .slice(before)
            .match(/Connection (closed|reset) by/g) ?? []
        ).length >= 100
      )
    })
    // The server writes these for every attempt, even for one with a user it does not have.
    expect(sshd.output().slice(before)).not.toMatch(/userauth-request|Accepted|Failed|authenticating user/)
    expect(home.shown).toEqual([])
    expect(home.knownHosts()).toContain(
      await fs.promises
        .readFile(path.join(home.folder, '.ssh', 'other.pub'), 'utf8')
        .then((text) => text.split(' ')[1] ?? ''),
    )
  })

  test('one of another type than the known one has changed as well, and a revoked one is refused', async () => {
    const rsa = (await home.makeKey('other-rsa', 'rsa')).public.split(' ').slice(0, 2).join(' ')
    write(`[127.0.0.1]:${sshd.port} ${rsa}`)
    const first = open()
    await expect(first.tunnel.ready?.()).rejects.toMatchObject({ code: 'host-key-changed' })
    first.tunnel.close()
    write(known().trim(), `@revoked * ${sshd.hostKey}`)
    const second = open()
    await expect(second.tunnel.ready?.()).rejects.toMatchObject({
      code: 'host-key-changed',
      message: expect.stringContaining('revoked'),
    })
    second.tunnel.close()
    expect(home.shown).toEqual([])
  })
})

describe('logging in', () => {
  const original = () => fs.readFileSync(`${sshd.keyFile}.pub`, 'utf8')
  afterEach(() => fs.writeFileSync(authorized(), original()))
  const useKey = (file: string) => {
    home.writeConfig('Host box', 'HostName 127.0.0.1', `Port ${sshd.port}`, `User ${sshd.user}`, `IdentityFile ${file}`)
  }

  test.each(['ed25519', 'rsa', 'ecdsa'] as const)('with a plain %s key', async (type) => {
    const key = await home.makeKey(`id_${type}`, type)
    fs.writeFileSync(authorized(), key.public)
    useKey(key.file)
    const { tunnel } = open()
    await tunnel.ready?.()
    tunnel.close()
  })

  test.each(['ed25519', 'rsa'] as const)(
    'with a locked %s key: asked once, kept if wished, then taken from there',
    async (type) => {
      const key = await home.makeKey('locked', type, 'open sesame')
      fs.writeFileSync(authorized(), key.public)
      useKey(key.file)
      const typed = ['wrong', 'open sesame']
      home.onPrompt = () => ({ action: 'answer', answers: [typed.shift() ?? ''], remember: true })
      const first = open()
      await first.tunnel.ready?.()
      first.tunnel.close()
      expect(home.shown.map((prompt) => prompt.kind === 'passphrase' && prompt.note)).toEqual([
        null,
        'That is not its passphrase.',
      ])
      expect([...home.kept.values()]).toEqual(['open sesame'])
      const again = open()
      await again.tunnel.ready?.()
      again.tunnel.close()
      expect(home.shown).toHaveLength(2)
    },
  )

  test('a locked key is opened beside the main thread, which goes on with its work', async () => {
    const key = await home.makeKey('slow', 'ed25519', 'open sesame')
    fs.writeFileSync(authorized(), key.public)
    useKey(key.file)
    let turns = 0
    let typedAt = 0
    const turn = () => {
      turns++
      counting = setImmediate(turn)
    }
    let counting = setImmediate(turn)
    home.onPrompt = () => {
      typedAt = turns
      return { action: 'answer', answers: ['open sesame'], remember: false }
    }
    const { tunnel } = open()
    await tunnel.ready?.()
    clearImmediate(counting)
    tunnel.close()
    // A login is a few dozen turns; on this thread the key would have been one of them.
    expect(turns - typedAt).toBeGreaterThan(1000)
  })

  test('asks for no passphrase of a key that the server would not take', async () => {
    const key = await home.makeKey('locked', 'ed25519', 'x')
    useKey(key.file)
    const { tunnel } = open()
    await expect(tunnel.ready?.()).rejects.toMatchObject({
      code: 'ssh-auth-failed',
      message: expect.stringContaining('authorized_keys'),
    })
    expect(home.shown).toEqual([])
    tunnel.close()
  })

  test('with a key that only the SSH agent has', async () => {
    const key = await home.makeKey('in-agent', 'ed25519')
    fs.writeFileSync(authorized(), key.public)
    const { folder, remove } = freshFolder('sshagent')
    const socket = path.join(folder, 'agent.sock')
    const sshAgent = await startProgram('ssh-agent', ['-D', '-a', socket])
    try {
      await sshAgent.ready('the SSH agent', () => fs.existsSync(socket))
      await runProgram('ssh-add', ['-q', key.file], { env: { ...process.env, SSH_AUTH_SOCK: socket } })
      fs.rmSync(key.file)
      home.environment.env = { SSH_AUTH_SOCK: socket }
      home.writeConfig('Host box', 'HostName 127.0.0.1', `Port ${sshd.port}`, `User ${sshd.user}`)
      const { tunnel } = open()
      await tunnel.ready?.()
      tunnel.close()
      // Only what is named: the agent's key is not, then it is.
      fs.appendFileSync(path.join(home.folder, '.ssh', 'config'), 'IdentitiesOnly yes\nIdentityFile ~/.ssh/none\n')
      const only = open()
      await expect(only.tunnel.ready?.()).rejects.toMatchObject({ code: 'ssh-auth-failed' })
      only.tunnel.close()
      fs.appendFileSync(path.join(home.folder, '.ssh', 'config'), 'IdentityFile ~/.ssh/in-agent\n')
      const named = open()
      await named.tunnel.ready?.()
      named.tunnel.close()
    } finally {
      await sshAgent.end()
      remove()
    }
  })

  test('after a refusal the server is left alone until a person acts or time has passed', async () => {
    fs.writeFileSync(authorized(), '')
    const { tunnel } = open()
    await expect(tunnel.ready?.()).rejects.toMatchObject({ code: 'ssh-auth-failed' })
    const before = sshd.output().length
    for (let time = 0; time < 20; time++)
      await expect(tunnel.ready?.()).rejects.toMatchObject({ code: 'ssh-auth-failed' })
    expect(sshd.output().slice(before)).not.toContain('Connection from')
    fs.writeFileSync(authorized(), original())
    home.connections.all()[0]?.retryNow()
    await tunnel.ready?.()
    tunnel.close()
  })

  test('a server that is not there, and one that is not SSH, are told apart', async () => {
    home.writeConfig('Host box', 'HostName 127.0.0.1', 'Port 1')
    const gone = open()
    await expect(gone.tunnel.ready?.()).rejects.toMatchObject({
      message: expect.stringContaining('SSH server running'),
    })
    gone.tunnel.close()
    home.writeConfig('Host box', 'HostName 127.0.0.1', `Port ${agent.port}`)
    const http = open()
    await expect(http.tunnel.ready?.()).rejects.toMatchObject({ code: 'unreachable' })
    http.tunnel.close()
  })
})
