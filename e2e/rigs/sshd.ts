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

export interface SshdOptions {
  /** Logs in by this password, through PAM; needs root, since the accounts it reads are mounted over the real ones. */
  password?: string
}

/**
 * Why it gives no terminal here; undefined when it does. An ordinary user's server cannot give the terminal to the
 * group that it should have, where the kernel did not do that already.
 */
export const noSshTerminal =
  process.getuid?.() === 0 || process.platform !== 'linux' || /devpts.*gid=/.test(readFileSync('/proc/mounts', 'utf8'))
    ? undefined
    : 'terminals over SSH need root here, or /dev/pts mounted with gid=5'

/** An SSH server of its own: own host key, one user key, on loopback. */
export async function startSshd(extraConfig: readonly string[] = [], options: SshdOptions = {}): Promise<Sshd> {
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
      // Of two lines that say the same, the first counts.
      ...extraConfig,
      ...(options.password === undefined ? [] : ['UsePAM yes', 'PermitRootLogin yes']),
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
    ].join('\n'),
  )
  writeFileSync(at('known_hosts'), `[127.0.0.1]:${port} ${hostKey}\n`)
  const daemon = ['/usr/sbin/sshd', '-D', '-e', '-f', at('config')] as const
  const [program, ...args] =
    options.password === undefined ? daemon : await withAccounts(daemon, user, options.password, at)
  const server = await startProgram(program, args)
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
  const clientOptions = ['BatchMode=yes', 'IdentitiesOnly=yes', `UserKnownHostsFile=${at('known_hosts')}`]
  return {
    pid: server.pid,
    port,
    user,
    keyFile: at('user_key'),
    hostKey,
    output: server.output,
    sshArgs: [
      ...['-F', 'none', '-i', at('user_key'), '-p', String(port), ...clientOptions.flatMap((option) => ['-o', option])],
      `${user}@127.0.0.1`,
    ],
    stop,
  }
}

/** The same daemon in a mount namespace, where one user has that password and PAM asks for nothing else. */
async function withAccounts(
  daemon: readonly string[],
  user: string,
  password: string,
  at: (name: string) => string,
): Promise<[string, ...string[]]> {
  const hash = (await runProgram('openssl', ['passwd', '-6', '-stdin'], { input: password })).trim()
  const others = readFileSync('/etc/shadow', 'utf8').split('\n')
  const lines = [`${user}:${hash}:19000:0:99999:7:::`, ...others.filter((line) => !line.startsWith(`${user}:`))]
  writeFileSync(at('shadow'), lines.join('\n'), { mode: 0o600 })
  const rules = ['auth required pam_unix.so nodelay', 'account required pam_unix.so', 'session required pam_permit.so']
  writeFileSync(at('pam'), `${rules.join('\n')}\n`)
  const mounts = [`mount --bind ${at('shadow')} /etc/shadow`, `mount --bind ${at('pam')} /etc/pam.d/sshd`]
  return ['unshare', '--mount', 'sh', '-c', [...mounts, 'exec "$@"'].join(' && '), 'sh', ...daemon]
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
