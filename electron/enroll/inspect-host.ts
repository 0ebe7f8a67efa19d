import { compareVersions } from '../../shared/domain/versions.ts'
import { Problem } from '../../shared/errors.ts'
import type { SshSession } from './ssh-session.ts'

/** What the machine is, as far as installing an agent on it goes. */
export interface Host {
  platform: 'linux' | 'darwin'
  arch: string
  /** In front of every command that needs root. */
  sudo: readonly string[]
  /** A Node that the service can use; undefined where ours has to be copied. */
  node: string | undefined
  /** Where the agent will listen: a port of its own settings or the usual one, or undefined where that is off. */
  port: number | undefined
  portTaken: boolean
  /** What was there before, and so stays when the enrolment is undone. */
  hadUser: boolean
  hadState: boolean
  hadConfig: boolean
  /** An agent stands there; `mark` names the enrolment that put it there, if one did. */
  installed: boolean
  mark: string | undefined
  /** All of it in words. */
  about: string
}

export const minNode = '22.13.0'
/** The bundle, a Node of our own, and room to work. */
const neededMb = 500
const usualPort = 8000

export const places = {
  folder: '/opt/pilothouse',
  agent: '/opt/pilothouse/pilothouse-agent.mjs',
  node: '/opt/pilothouse/node',
  /** Names the enrolment; the first thing that is put there, and the last that is taken away. */
  mark: '/opt/pilothouse/enrolment',
  /** The agent's native packages, as they were sent. */
  beside: '/opt/pilothouse/beside.json',
  config: '/etc/pilothouse',
  settings: '/etc/pilothouse/agent.env',
  secret: '/etc/pilothouse/secret',
  socket: '/run/pilothouse/agent.sock',
  state: { linux: '/var/lib/pilothouse', darwin: '/var/db/pilothouse' },
  user: 'pilothouse',
} as const

const archs: Record<string, string> = { x86_64: 'x64', amd64: 'x64', aarch64: 'arm64', arm64: 'arm64' }

/**
 * All that is asked of a machine, in one go: over a slow link every question costs a second. It changes nothing, and
 * prints a line for each answer.
 */
const questions = `
say() { printf '%s=%s\\n' "$1" "$(printf '%s' "$2" | tr '\\n' ' ')"; }
there() { if $sudo test -e "$2"; then say "$1" yes; fi; }
say system "$(uname -s)"
say arch "$(uname -m)"
sudo=''
if [ "$(id -u)" != 0 ]; then sudo='sudo -n'; $sudo true 2>/dev/null || { say root no; exit 0; }; say root sudo; fi
say os "$(sed -n 's/^PRETTY_NAME=//p' /etc/os-release 2>/dev/null | tr -d '"')"
say macos "$(sw_vers -productVersion 2>/dev/null)"
say freeKb "$(df -Pk / | awk 'END { print $4 }')"
say systemd "$(command -v systemctl)"
found="$(command -v node)"
case "$found" in /*)
  say node "$(readlink -f "$found")"
  say nodeVersion "$("$found" --version)" ;;
esac
say docker "$($sudo docker version --format '{{.Server.Version}}' 2>/dev/null)"
say port "$($sudo sed -n 's/^PILOTHOUSE_PORT=//p' ${places.settings} 2>/dev/null | tail -n 1)"
say listening "$(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk '$4 == "0A" { sub(".*:", "", $2); print $2 }')"
say listeningMac "$(netstat -an -p tcp 2>/dev/null | awk '$6 == "LISTEN" { sub(".*[.]", "", $4); print $4 }')"
say user "$(id -u ${places.user} 2>/dev/null)"
there stateLinux ${places.state.linux}
there stateMac ${places.state.darwin}
there config ${places.config}
there secret ${places.secret}
there agent ${places.agent}
say mark "$($sudo cat ${places.mark} 2>/dev/null)"
`

/** Looks at a machine without changing anything on it; says what stands in the way. */
export async function inspectHost(session: SshSession, ours: { platform: string; arch: string }): Promise<Host> {
  const { stdout } = await session.exec('sh', ['-c', questions])
  const lines = stdout.split('\n').map((line) => /^(\w+)=(.*?) *$/.exec(line))
  const said = new Map(lines.flatMap((line) => (line?.[2] ? [[line[1] ?? '', line[2]] as const] : [])))
  const system = said.get('system')
  const platform = system === 'Linux' ? 'linux' : system === 'Darwin' ? 'darwin' : undefined
  if (platform === undefined) {
    throw new Problem('not-supported', `The agent runs on Linux and macOS; this machine says ${system ?? 'nothing'}.`)
  }
  if (said.get('root') === 'no') {
    throw new Problem(
      'forbidden',
      'Installing a service needs root: log in as root, or let this user use sudo without a password.',
    )
  }
  const arch = archs[said.get('arch') ?? ''] ?? said.get('arch') ?? ''
  const freeMb = Number(said.get('freeKb')) / 1024
  if (freeMb < neededMb) {
    throw new Problem(
      'storage-full',
      `Only ${Math.round(freeMb)} MB are free on the machine, and ${neededMb} are needed. Make room, then try again.`,
    )
  }
  if (platform === 'linux' && !said.has('systemd')) {
    throw new Problem(
      'install-required',
      'The machine has no systemd, which the agent is installed as a service of. Start the agent by hand and add the machine with its secret.',
    )
  }
  const node = usableNode(said.get('node'), said.get('nodeVersion'))
  if (node.file === undefined && (platform !== ours.platform || arch !== ours.arch)) {
    throw new Problem(
      'install-required',
      `The machine needs Node ${minNode} or newer for all users (now: ${node.words}), and this console has none for ${platform} ${arch}. Install it there, then try again.`,
    )
  }
  const port = said.get('port') === 'off' ? undefined : Number(said.get('port') ?? usualPort)
  const portTaken = port !== undefined && listening(said, platform).includes(port)
  const docker = said.get('docker')
  const sudo = said.has('root') ? ['sudo', '-n'] : []
  return {
    ...{ platform, arch, sudo, node: node.file, port, portTaken },
    hadUser: said.has('user'),
    hadState: said.has(platform === 'linux' ? 'stateLinux' : 'stateMac'),
    hadConfig: said.has('config'),
    installed: said.has('secret') || said.has('agent'),
    mark: said.get('mark'),
    about: [
      `${platform === 'darwin' ? `macOS ${said.get('macos') ?? ''}`.trim() : (said.get('os') ?? 'Linux')} ${arch}`,
      sudo.length === 0 ? 'root' : 'sudo',
      node.words,
      docker === undefined ? 'no Docker: containers and deploys will be missing' : `Docker ${docker}`,
      ...(Number.isFinite(freeMb) ? [`${Math.floor(freeMb / 1024)} GB free`] : []),
      port === undefined ? 'no port' : `port ${port} ${portTaken ? 'in use' : 'free'}`,
    ].join(' · '),
  }
}

export function sudoed(sudo: readonly string[], ...words: [string, ...string[]]): [string, ...string[]] {
  const [first, ...rest] = [...sudo, ...words]
  return [first ?? '', ...rest]
}

/** One that other users can run: a version manager's stands in a home folder that the service cannot enter. */
function usableNode(file: string | undefined, version = 'v0.0.0'): { file: string | undefined; words: string } {
  if (file === undefined) return { file: undefined, words: 'no Node' }
  if (/^\/(home|root|Users)\//.test(file)) return { file: undefined, words: `Node ${version} for one user only` }
  const isNew = compareVersions(version.replace(/^v/, ''), minNode) >= 0
  return { file: isNew ? file : undefined, words: isNew ? `Node ${version}` : `Node ${version} is too old` }
}

/** The ports on which some program listens. */
function listening(said: ReadonlyMap<string, string>, platform: Host['platform']): number[] {
  const words = said.get(platform === 'linux' ? 'listening' : 'listeningMac')?.split(' ') ?? []
  return words.map((word) => Number.parseInt(word, platform === 'linux' ? 16 : 10))
}
