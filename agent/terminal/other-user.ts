import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import os from 'node:os'
import { promisify } from 'node:util'
import { Problem } from '../../shared/errors.ts'
import { findProgram } from '../processes/find-program.ts'

/** Whom a terminal belongs to. */
export interface Account {
  name: string
  uid: number
  gid: number
  home: string
  shell: string
}

const lookLimitMs = 3000

/** The account that terminals are opened as: the one that is configured, else the agent's own. */
export async function terminalAccount(configured: string | undefined): Promise<Account> {
  const own = os.userInfo()
  const ownAccount = {
    name: own.username,
    uid: own.uid,
    gid: own.gid,
    home: own.homedir,
    shell: own.shell ?? '/bin/sh',
  }
  if (configured === undefined || configured === own.username) return ownAccount
  const account = await findAccount(configured)
  if (account === undefined) {
    throw new Problem(
      'conflict',
      `Terminals are opened as ${configured} here, and this machine has no such user. Make it, or correct PILOTHOUSE_TERMINAL_USER.`,
    )
  }
  if (own.uid !== 0 && own.uid !== account.uid) {
    throw new Problem(
      'forbidden',
      `Terminals are opened as ${configured} here, which only root can do, and the agent runs as ${own.username}. Run it as root or as ${configured}.`,
    )
  }
  return account
}

/** What goes in front of a shell so that it runs as another user, in that user's groups, and still ends with the agent. */
export function asUser(account: Account): string[] {
  if (account.uid === process.getuid?.()) return []
  if (process.platform === 'darwin') return ['/usr/bin/su', '-l', account.name, '-c', 'exec "$0" "$@"']
  const setpriv = findProgram(['setpriv'])
  if (setpriv === undefined)
    throw new Problem('install-required', 'To open terminals as another user, setpriv is needed. Install util-linux.')
  // A change of user takes the death signal away, so it is asked for anew.
  return [setpriv, `--reuid=${account.uid}`, `--regid=${account.gid}`, '--init-groups', '--pdeathsig', 'KILL', '--']
}

/** Undefined where there is no such user. Directories beyond the local file are asked where the system asks them. */
async function findAccount(name: string): Promise<Account | undefined> {
  if (process.platform === 'darwin') return findOnMac(name)
  const getent = findProgram(['getent'])
  const text =
    getent === undefined
      ? await readFile('/etc/passwd', 'utf8')
      : await output(getent, ['passwd', name]).catch(() => '')
  for (const line of text.split('\n')) {
    const [user, , uid, gid, , home = '/', shell = ''] = line.split(':')
    if (user === name) return { name, uid: Number(uid), gid: Number(gid), home, shell: shell || '/bin/sh' }
  }
  return undefined
}

async function findOnMac(name: string): Promise<Account | undefined> {
  const keys = ['UniqueID', 'PrimaryGroupID', 'NFSHomeDirectory', 'UserShell']
  const text = await output('/usr/bin/dscl', ['.', '-read', `/Users/${name}`, ...keys]).catch(() => undefined)
  if (text === undefined) return undefined
  const value = (key: string) => new RegExp(`^${key}: (.*)$`, 'm').exec(text)?.[1] ?? ''
  const ids = { uid: Number(value('UniqueID')), gid: Number(value('PrimaryGroupID')) }
  return { name, ...ids, home: value('NFSHomeDirectory'), shell: value('UserShell') || '/bin/zsh' }
}

async function output(program: string, args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(program, [...args], { timeout: lookLimitMs })).stdout
}
