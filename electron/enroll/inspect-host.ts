import { compareVersions } from '../../shared/contract/wire.ts'
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
  /** What was there before, and so stays when the enrolment is undone. */
  hadUser: boolean
  hadState: boolean
}

export const minNode = '22.13.0'
/** The bundle, a Node of our own, and room to work. */
const neededMb = 500

export const places = {
  folder: '/opt/pilothouse',
  agent: '/opt/pilothouse/pilothouse-agent.mjs',
  node: '/opt/pilothouse/node',
  config: '/etc/pilothouse',
  secret: '/etc/pilothouse/secret',
  state: { linux: '/var/lib/pilothouse', darwin: '/var/db/pilothouse' },
  user: 'pilothouse',
} as const

const archs: Record<string, string> = { x86_64: 'x64', amd64: 'x64', aarch64: 'arm64', arm64: 'arm64' }

/** Looks at a machine without changing anything on it; says what stands in the way. */
export async function inspectHost(session: SshSession, ours: { platform: string; arch: string }): Promise<Host> {
  const say = async (program: string, ...args: string[]) => {
    const { code, stdout } = await session.exec(program, args)
    return code === 0 ? stdout.trim() : undefined
  }
  const system = await say('uname', '-s')
  const platform = system === 'Linux' ? 'linux' : system === 'Darwin' ? 'darwin' : undefined
  if (platform === undefined) {
    throw new Problem('not-supported', `The agent runs on Linux and macOS; this machine says ${system ?? 'nothing'}.`)
  }
  const machine = (await say('uname', '-m')) ?? ''
  const arch = archs[machine] ?? machine
  const sudo = await howToBeRoot(say)
  if ((await say(...sudoed(sudo, 'test', '-e', places.secret))) !== undefined) {
    throw new Problem(
      'conflict',
      'An agent is installed there already. Add it with its secret instead, or remove it first.',
    )
  }
  await checkDisk(say)
  if (platform === 'linux' && (await say('sh', '-c', 'command -v systemctl')) === undefined) {
    throw new Problem(
      'install-required',
      'The machine has no systemd, which the agent is installed as a service of. Start the agent by hand and add the machine with its secret.',
    )
  }
  const node = await usableNode(say)
  if (node === undefined && (platform !== ours.platform || arch !== ours.arch)) {
    throw new Problem(
      'install-required',
      `The machine needs Node ${minNode} or newer for all users (now: none that fits), and this console has none for ${platform} ${arch}. Install it there, then try again.`,
    )
  }
  const state = places.state[platform]
  return {
    ...{ platform, arch, sudo, node },
    hadUser: (await say('id', '-u', places.user)) !== undefined,
    hadState: (await say(...sudoed(sudo, 'test', '-e', state))) !== undefined,
  }
}

type Say = (program: string, ...args: string[]) => Promise<string | undefined>

export function sudoed(sudo: readonly string[], ...words: [string, ...string[]]): [string, ...string[]] {
  const [first, ...rest] = [...sudo, ...words]
  return [first ?? '', ...rest]
}

async function howToBeRoot(say: Say): Promise<readonly string[]> {
  if ((await say('id', '-u')) === '0') return []
  if ((await say('sudo', '-n', 'true')) !== undefined) return ['sudo', '-n']
  throw new Problem(
    'forbidden',
    'Installing a service needs root: log in as root, or let this user use sudo without a password.',
  )
}

async function checkDisk(say: Say): Promise<void> {
  const line = (await say('df', '-Pk', '/'))?.split('\n').at(-1)
  const freeMb = Number(line?.split(/\s+/)[3]) / 1024
  if (Number.isFinite(freeMb) && freeMb < neededMb) {
    throw new Problem(
      'storage-full',
      `Only ${Math.round(freeMb)} MB are free on the machine, and ${neededMb} are needed. Make room, then try again.`,
    )
  }
}

/** One that other users can run: a version manager's stands in a home folder that the service cannot enter. */
async function usableNode(say: Say): Promise<string | undefined> {
  const found = await say('sh', '-c', 'command -v node')
  if (found === undefined || !found.startsWith('/')) return undefined
  const [file, version] = [await say('readlink', '-f', found), await say(found, '--version')]
  if (file === undefined || /^\/(home|root|Users)\//.test(file)) return undefined
  return compareVersions(version?.replace(/^v/, '') ?? '0.0.0', minNode) >= 0 ? file : undefined
}
