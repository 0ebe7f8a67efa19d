import fs from 'node:fs'
import path from 'node:path'
import type { NetworkMachine } from '../../../e2e/rigs/namespaces.ts'
import { accepts, freePort } from '../../../e2e/rigs/ports.ts'
import { runProgram } from '../../../e2e/rigs/program.ts'

export interface NamespaceSshd {
  address: string
  port: number
  /** As known_hosts has it. */
  knownHost: string
  pid: number
  output(): string
}

/** An SSH server that lives in a network of its own; it ends with its machine. */
export async function startSshdIn(
  machine: NetworkMachine,
  options: { folder: string; address: string; authorizedKey: string; config?: readonly string[] },
): Promise<NamespaceSshd> {
  const port = await freePort()
  const at = (name: string) => path.join(options.folder, `${name}-${port}`)
  await runProgram('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at('host_key')])
  fs.writeFileSync(at('authorized_keys'), options.authorizedKey, { mode: 0o600 })
  fs.mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const lines = [
    `ListenAddress ${options.address}:${port}`,
    `HostKey ${at('host_key')}`,
    `AuthorizedKeysFile ${at('authorized_keys')}`,
    `PidFile ${at('pid')}`,
    ...['StrictModes no', 'UsePAM no', 'PasswordAuthentication no', 'KbdInteractiveAuthentication no'],
    ...['PermitRootLogin prohibit-password', 'LogLevel VERBOSE', ...(options.config ?? [])],
  ]
  fs.writeFileSync(at('config'), lines.join('\n'))
  const server = await machine.start('/usr/sbin/sshd', ['-D', '-e', '-f', at('config')])
  const inside = options.address === '127.0.0.1'
  // Its own loopback cannot be asked from here; the program says when it listens.
  await server.ready('an SSH server', () =>
    inside ? server.output().includes('listening on') : accepts({ host: options.address, port }),
  )
  const key = fs
    .readFileSync(`${at('host_key')}.pub`, 'utf8')
    .split(' ')
    .slice(0, 2)
    .join(' ')
  return {
    address: options.address,
    port,
    knownHost: `[${options.address}]:${port} ${key}`,
    pid: server.pid,
    output: server.output,
  }
}
