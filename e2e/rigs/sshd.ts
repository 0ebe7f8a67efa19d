import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { freshFolder } from './folder.ts'
import { freePort } from './ports.ts'
import { runProgram, startProgram } from './program.ts'

export interface Sshd {
  pid: number
  port: number
  user: string
  /** The private key that may log in. */
  keyFile: string
  /** The host key as a line for known_hosts, without the host. */
  hostKey: string
  /** Arguments that make OpenSSH's own client come here and read nothing of the user's. */
  sshArgs: string[]
  /** What the server logged, so far. */
  output(): string
  stop(): Promise<void>
}

/** An SSH server of its own: own host key, one user key, on loopback. */
export async function startSshd(extraConfig: readonly string[] = []): Promise<Sshd> {
  const { folder, remove } = freshFolder('sshd')
  chmodSync(folder, 0o755)
  const at = (name: string) => path.join(folder, name)
  for (const name of ['host_key', 'user_key']) {
    await runProgram('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', at(name)])
  }
  writeFileSync(at('authorized_keys'), readFileSync(at('user_key.pub')), { mode: 0o600 })
  // As root it insists on its empty folder, which only the distribution's service makes.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const hostKey = readFileSync(at('host_key.pub'), 'utf8').split(' ').slice(0, 2).join(' ')
  const user = os.userInfo().username
  const port = await freePort()
  writeFileSync(
    at('config'),
    [
      `ListenAddress 127.0.0.1:${port}`,
      `HostKey ${at('host_key')}`,
      `AuthorizedKeysFile ${at('authorized_keys')}`,
      `PidFile ${at('pid')}`,
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PermitRootLogin prohibit-password',
      'AllowTcpForwarding yes',
      'AllowStreamLocalForwarding yes',
      'Subsystem sftp internal-sftp',
      'LogLevel VERBOSE',
      ...extraConfig,
    ].join('\n'),
  )
  writeFileSync(at('known_hosts'), `[127.0.0.1]:${port} ${hostKey}\n`)
  const server = await startProgram('/usr/sbin/sshd', ['-D', '-e', '-f', at('config')])
  const stop = async () => {
    await server.end()
    remove()
  }
  try {
    await server.ready('the SSH server', async () => (await banner(port)).startsWith('SSH-2.0-'))
  } catch (error) {
    await stop()
    throw error
  }
  const options = ['BatchMode=yes', 'IdentitiesOnly=yes', `UserKnownHostsFile=${at('known_hosts')}`]
  return {
    pid: server.pid,
    port,
    user,
    keyFile: at('user_key'),
    hostKey,
    output: server.output,
    sshArgs: [
      ...['-F', 'none', '-i', at('user_key'), '-p', String(port), ...options.flatMap((option) => ['-o', option])],
      `${user}@127.0.0.1`,
    ],
    stop,
  }
}

function banner(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1')
    socket.once('error', reject)
    socket.once('data', (data) => {
      socket.destroy()
      resolve(data.toString())
    })
    socket.once('close', () => reject(new Error('closed without a word')))
  })
}
