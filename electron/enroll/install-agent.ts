import { Problem } from '../../shared/errors.ts'
import { type Host, places, sudoed } from './inspect-host.ts'
import type { SshSession } from './ssh-session.ts'

/** What was put onto a machine, so that exactly that can be taken away again. */
export interface Installed {
  platform: Host['platform']
  hadUser: boolean
  hadState: boolean
}

/** Runs one command as root; one that fails says what it printed. */
async function asRoot(
  session: SshSession,
  { sudo }: Pick<Host, 'sudo'>,
  ...words: [string, ...string[]]
): Promise<void> {
  const [program, ...args] = sudoed(sudo, ...words)
  const { code, stdout, stderr } = await session.exec(program, args, { timeoutMs: 120_000 })
  if (code === 0) return
  const said = (stderr || stdout).trim().split('\n').slice(-3).join(' ').slice(0, 300)
  throw new Problem('start-failed', `"${words.slice(0, 3).join(' ')}" failed on the machine (code ${code}): ${said}`)
}

/** Puts a file where only root can, by way of a folder that only this user can read. */
export async function putFile(
  session: SshSession,
  host: Host,
  file: { target: string; bytes: Uint8Array; mode: '0755' | '0600' },
): Promise<void> {
  const made = await session.exec('mktemp', ['-d'])
  const folder = made.stdout.trim()
  if (made.code !== 0 || !folder.startsWith('/'))
    throw new Problem('storage-full', `The machine has no temporary folder: ${made.stderr.trim()}`)
  try {
    await session.writeFile(`${folder}/file`, file.bytes, 0o600)
    const parent = file.target.slice(0, file.target.lastIndexOf('/'))
    await asRoot(session, host, 'mkdir', '-p', parent)
    await asRoot(session, host, 'install', '-m', file.mode, `${folder}/file`, file.target)
  } finally {
    await session.exec('rm', ['-rf', folder]).catch(() => undefined)
  }
}

export async function installService(session: SshSession, host: Host): Promise<void> {
  await asRoot(session, host, host.node ?? places.node, places.agent, 'install', 'service')
}

/** Takes away what was installed; goes on past what is not there. Returns what could not be removed. */
export async function removeInstalled(
  session: SshSession,
  sudo: readonly string[],
  { platform, hadUser, hadState }: Installed,
): Promise<string[]> {
  const steps: [string, ...string[]][] =
    platform === 'linux'
      ? [
          ['systemctl', 'disable', '--now', 'pilothouse-agent.service'],
          ['rm', '-f', '/etc/systemd/system/pilothouse-agent.service'],
          ['systemctl', 'daemon-reload'],
        ]
      : [
          ['launchctl', 'bootout', 'system/com.pilothouse.agent'],
          ['rm', '-f', '/Library/LaunchDaemons/com.pilothouse.agent.plist'],
        ]
  steps.push(['rm', '-rf', places.folder], ['rm', '-rf', places.config])
  if (!hadState) steps.push(['rm', '-rf', places.state[platform]])
  if (!hadUser && platform === 'linux') steps.push(['userdel', '--remove', places.user])
  const left: string[] = []
  for (const words of steps) {
    const [program, ...args] = sudoed(sudo, ...words)
    const { code, stderr } = await session.exec(program, args)
    // A service that was never made, and a user that was never there, are removed already.
    const absent = /not (loaded|exist|found)|No such|does not exist|mail spool/i.test(stderr)
    if (code !== 0 && !absent) left.push(`${words.join(' ')}: ${stderr.trim().slice(0, 200)}`)
  }
  return left
}
