import { createHash } from 'node:crypto'
import { Problem } from '../../shared/errors.ts'
import { type Host, places, sudoed } from './inspect-host.ts'
import type { SshSession } from './ssh-session.ts'

/** What was put onto a machine, so that exactly that can be taken away again. */
export interface Installed {
  platform: Host['platform']
  hadUser: boolean
  hadState: boolean
  hadConfig: boolean
}

/** Runs one command as root; one that fails says what it printed. */
export async function asRoot(
  session: SshSession,
  { sudo }: Pick<Host, 'sudo'>,
  ...words: [string, ...string[]]
): Promise<string> {
  const [program, ...args] = sudoed(sudo, ...words)
  const { code, stdout, stderr } = await session.exec(program, args, { timeoutMs: 120_000 })
  if (code === 0) return stdout
  const said = (stderr || stdout).trim().split('\n').slice(-3).join(' ').slice(0, 300)
  const name = words[0] === 'sh' ? 'a step' : `"${words.slice(0, 3).join(' ')}"`
  throw new Problem('start-failed', `${name} failed on the machine (code ${code}): ${said}`)
}

/** The digest of a file over there; undefined where there is none. */
export async function digestOf(
  session: SshSession,
  { sudo, platform }: Pick<Host, 'sudo' | 'platform'>,
  file: string,
): Promise<string | undefined> {
  const [sum = '', ...flags] = summing(platform).split(' ')
  const [program, ...args] = sudoed(sudo, sum, ...flags, file)
  const { code, stdout } = await session.exec(program, args)
  return code === 0 ? /^([0-9a-f]{64})\b/.exec(stdout)?.[1] : undefined
}

export const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** With the digest that is wanted, says `there`, or gives a folder that only this user can read. */
const askFor = `
if [ "$($1 $2 "$3" 2>/dev/null | cut -c1-64)" = "$4" ]; then echo there; else mktemp -d; fi`

/** In one step, and only when all of it has arrived. */
const putInPlace = `
set -e
trap 'rm -rf "$2" "$3.new"' EXIT
mkdir -p "$(dirname "$3")"
install -m "$4" "$2/file" "$3.new"
arrived=$($1 "$3.new" | cut -c1-64)
if [ "$arrived" != "$5" ]; then echo "What arrived as $3 is not what was sent (digest $arrived). Check the disk." >&2; exit 1; fi
mv -f "$3.new" "$3"`

const summing = (platform: Host['platform']) => (platform === 'linux' ? 'sha256sum' : 'shasum -a 256')

/**
 * Puts a file where only root can, by way of a folder that only this user can read. One that stands there already is
 * left; a new one takes the old one's place once its digest was compared.
 */
export async function putFile(
  session: SshSession,
  host: Pick<Host, 'sudo' | 'platform'>,
  file: { target: string; bytes: Uint8Array; mode: '0755' | '0600' },
): Promise<'put' | 'there'> {
  const wanted = digest(file.bytes)
  const sum = summing(host.platform)
  const asked = await session.exec('sh', ['-c', askFor, 'sh', host.sudo.join(' '), sum, file.target, wanted])
  const said = asked.stdout.trim()
  if (said === 'there') return 'there'
  if (asked.code !== 0 || !said.startsWith('/'))
    throw new Problem('storage-full', `The machine has no temporary folder: ${asked.stderr.trim()}`)
  await session.writeFile(`${said}/file`, file.bytes, 0o600)
  await asRoot(session, host, 'sh', '-c', putInPlace, 'sh', sum, said, file.target, file.mode, wanted)
  return 'put'
}

/** Writes the service and starts it anew, whether or not it ran. */
export async function installService(session: SshSession, host: Host): Promise<void> {
  if (host.platform === 'darwin') {
    // launchd takes no second job of the same name.
    const [program, ...args] = sudoed(host.sudo, 'launchctl', 'bootout', 'system/com.pilothouse.agent')
    await session.exec(program, args)
  }
  await asRoot(session, host, host.node ?? places.node, places.agent, 'install', 'service')
}

/** Runs each of them; what is not there is removed already, and what cannot be removed is printed. */
const removing = `
run() {
  said=$("$@" 2>&1 >/dev/null) && return
  case "$said" in *'not loaded'* | *'not exist'* | *'not found'* | *'No such'* | *'mail spool'*) return ;; esac
  echo "$*: $said"
}
`

/** Takes away what was installed; goes on past what is not there. Returns what could not be removed. */
export async function removeInstalled(
  session: SshSession,
  sudo: readonly string[],
  { platform, hadUser, hadState, hadConfig }: Installed,
): Promise<string[]> {
  const steps =
    platform === 'linux'
      ? [
          'systemctl disable --now pilothouse-agent.service',
          'rm -f /etc/systemd/system/pilothouse-agent.service',
          'systemctl daemon-reload',
        ]
      : ['launchctl bootout system/com.pilothouse.agent', 'rm -f /Library/LaunchDaemons/com.pilothouse.agent.plist']
  steps.push(`rm -f ${places.secret}`)
  if (!hadConfig) steps.push(`rm -rf ${places.config}`)
  if (!hadState) steps.push(`rm -rf ${places.state[platform]}`)
  if (!hadUser && platform === 'linux') steps.push(`userdel --remove ${places.user}`)
  // Last, because the mark is in it: broken off before, the rest can still be taken away.
  steps.push(`rm -rf ${places.folder}`)
  const script = `${removing}${steps.map((step) => `run ${step}`).join('\n')}\n`
  const left = await asRoot(session, { sudo }, 'sh', '-c', script)
  return left.split('\n').filter((line) => line !== '')
}
