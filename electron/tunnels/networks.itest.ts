import fs from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { agentEnv } from '../../e2e/rigs/agent-process.ts'
import { builtAgent, nodeProgram } from '../../e2e/rigs/built.ts'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { type NetworkMachine, noNamespaces, startNetworkMachine } from '../../e2e/rigs/namespaces.ts'
import { accepts } from '../../e2e/rigs/ports.ts'
import { AgentClient } from '../../shared/client/client.ts'
import { openSsh } from './ssh/ssh-tunnel.ts'
import { openTailscale, TailnetDirectory } from './tailscale.ts'
import { tailscaleStatus } from './tailscale-status.ts'
import { makeSshHome, type SshHome } from './test/ssh-home.ts'
import { type NamespaceSshd, startSshdIn } from './test/sshd-in.ts'

const secret = 'a-secret-of-at-least-thirty-two-bytes'

describe.skipIf(noNamespaces !== undefined)('machines in networks of their own', () => {
  let machine: NetworkMachine
  const { folder, remove } = freshFolder('networks')
  const agentPort = 8123

  beforeAll(async () => {
    machine = await startNetworkMachine('100.64.7')
    const env = agentEnv(folder, { PILOTHOUSE_SECRET: secret, PILOTHOUSE_BIND: `${machine.address}:${agentPort}` })
    const agent = await machine.start(nodeProgram, [await builtAgent(), 'serve'], { env })
    await agent.ready('the agent at its address', () => accepts({ host: machine.address, port: agentPort }))
  })
  afterAll(async () => {
    await machine?.stop()
    remove()
  })

  describe('over several SSH hosts', () => {
    let home: SshHome
    let hops: NamespaceSshd[]
    beforeEach(async () => {
      home = makeSshHome()
      const key = await home.makeKey('id', 'ed25519')
      const common = { folder, authorizedKey: key.public }
      // The second and the third are on the machine's own loopback: only from inside can they be reached.
      hops = [
        await startSshdIn(machine, { ...common, address: machine.address }),
        await startSshdIn(machine, { ...common, address: '127.0.0.1' }),
        await startSshdIn(machine, { ...common, address: '127.0.0.1' }),
      ]
      const [first, second, third] = hops
      home.writeConfig(
        ...['Host first', `HostName ${first?.address}`, `Port ${first?.port}`],
        ...['Host second', 'HostName 127.0.0.1', `Port ${second?.port}`, 'ProxyJump first'],
        ...['Host third', 'HostName 127.0.0.1', `Port ${third?.port}`, 'ProxyJump second'],
        ...['Host listed', 'HostName 127.0.0.1', `Port ${third?.port}`, 'ProxyJump first,second'],
        ...['Host lost', 'HostName 127.0.0.1', 'Port 9', 'ProxyJump second'],
        ...['Host *', 'User root', `IdentityFile ${key.file}`],
      )
      fs.writeFileSync(
        path.join(home.folder, '.ssh', 'known_hosts'),
        hops.map(({ knownHost }) => `${knownHost}\n`).join(''),
      )
    })
    afterEach(() => home.remove())
    const open = (host: string) => {
      const config = { kind: 'ssh', host, remote: { socketPath: path.join(folder, 'agent.sock') } } as const
      const tunnel = openSsh(config, home.connections)
      return { tunnel, client: new AgentClient(tunnel.transport(), { secret: () => secret }) }
    }

    test.each(['third', 'listed'])('reaches the agent behind %s', async (host) => {
      const { tunnel, client } = open(host)
      await tunnel.ready?.()
      expect(await client.call('machine.status')).toMatchObject({ agentId: expect.any(String) })
      expect(hops.map((hop) => hop.output().includes('Accepted publickey'))).toEqual([true, true, true])
      tunnel.close()
    })

    test('says at which host it ended', async () => {
      const { tunnel } = open('lost')
      await expect(tunnel.ready?.()).rejects.toMatchObject({ message: expect.stringContaining('lost (host 3 of 3)') })
      tunnel.close()
    })

    test('asks about the key of a host in between, and sends nothing on when it has changed', async () => {
      const file = path.join(home.folder, '.ssh', 'known_hosts')
      const lines = fs.readFileSync(file, 'utf8').trim().split('\n')
      const other = (await home.makeKey('other', 'ed25519')).public.split(' ').slice(0, 2).join(' ')
      fs.writeFileSync(file, [lines[0], `[127.0.0.1]:${hops[1]?.port} ${other}`, lines[2], ''].join('\n'))
      const { tunnel } = open('third')
      await expect(tunnel.ready?.()).rejects.toMatchObject({ code: 'host-key-changed' })
      expect(hops[1]?.output()).not.toMatch(/Accepted|authenticating user/)
      expect(hops[2]?.output()).not.toContain('Connection from')
      tunnel.close()
    })
  })

  describe('in a tailnet', () => {
    /** A program named as Tailscale's own, that prints what that one prints. */
    const tailscale = (status: unknown) => {
      const bin = path.join(folder, 'bin')
      fs.mkdirSync(bin, { recursive: true })
      const text = typeof status === 'string' ? status : JSON.stringify(status)
      fs.writeFileSync(path.join(bin, 'status.json'), text)
      fs.writeFileSync(
        path.join(bin, 'tailscale'),
        `#!/bin/sh\n[ "$*" = "status --json" ] && cat '${bin}/status.json'\n`,
        { mode: 0o755 },
      )
      return new TailnetDirectory(() => tailscaleStatus({ ...process.env, PATH: `${bin}:${process.env['PATH']}` }))
    }
    const peer = (name: string, address: string, online: boolean) => ({
      [`nodekey:${name}`]: {
        ...{ ID: name, HostName: name.toUpperCase(), DNSName: `${name}.tail1234.ts.net.`, OS: 'linux' },
        ...{
          TailscaleIPs: [address, 'fd7a:115c:a1e0::7'],
          Online: online,
          Active: false,
          LastSeen: '2026-01-01T00:00:00Z',
        },
      },
    })
    const running = (...peers: object[]) => ({
      ...{ Version: '1.80.0', BackendState: 'Running', MagicDNSSuffix: 'tail1234.ts.net' },
      ...{
        Self: { HostName: 'laptop', TailscaleIPs: ['100.64.0.1'], Online: true },
        Peer: Object.assign({}, ...peers),
      },
    })
    const ask = async (directory: TailnetDirectory, name = 'box') => {
      const tunnel = openTailscale({ kind: 'tailscale', peer: name, port: agentPort }, directory)
      const client = new AgentClient(tunnel.transport(), { secret: () => secret })
      return client.call('machine.status', {}, { timeoutMs: 10_000 }).finally(() => tunnel.close())
    }

    test('a peer is reached at its address, even if Tailscale believes it offline', async () => {
      for (const online of [true, false]) {
        const directory = tailscale(running(peer('box', machine.address, online)))
        expect(await directory.status()).toMatchObject({
          state: 'ready',
          peers: [{ name: 'box', online, os: 'linux', addresses: [machine.address, 'fd7a:115c:a1e0::7'] }],
        })
        expect(await ask(directory)).toMatchObject({ agentId: expect.any(String) })
      }
    })

    test('not installed, logged out, turned off, unknown and offline each say so, with the next step', async () => {
      const missing = new TailnetDirectory(() => tailscaleStatus({ PATH: path.join(folder, 'empty') }))
      await expect(ask(missing)).rejects.toMatchObject({
        code: 'tunnel-setup',
        message: expect.stringContaining('Install'),
      })
      const cases = [
        [{ BackendState: 'NeedsLogin', Peer: null }, 'logged-out', 'Log in'],
        [{ BackendState: 'Stopped' }, 'stopped', 'Turn it on'],
        ['failed to connect to local tailscaled; is it running?', 'failed', 'does not answer'],
        [running(), 'ready', 'There is no box'],
      ] as const
      for (const [status, state, words] of cases) {
        const directory = tailscale(status)
        expect((await directory.status()).state).toBe(state)
        await expect(ask(directory)).rejects.toMatchObject({
          code: 'tunnel-setup',
          message: expect.stringContaining(words),
        })
      }
      const offline = tailscale(running(peer('box', '100.64.7.77', false)))
      await expect(ask(offline)).rejects.toMatchObject({
        code: 'unreachable',
        message: expect.stringContaining('offline'),
      })
    })
  })
})
