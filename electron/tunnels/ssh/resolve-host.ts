import os from 'node:os'
import path from 'node:path'
import { type Condition, type Directive, readConfigFile } from './config-file.ts'
import { bare, type Jump, jumpsOfCommand, readJumps } from './jumps.ts'
import { matchesList } from './patterns.ts'

/** Where and as whom to log in, and what to trust, after OpenSSH's configuration was applied. */
export interface SshHost {
  /** As the person or a ProxyJump named it. */
  alias: string
  host: string
  port: number
  user: string
  /** Under which name its key stands in known_hosts. */
  keyName: string
  identityFiles: string[]
  /** Only the named identities are offered, even if the SSH agent has more. */
  identitiesOnly: boolean
  /** The SSH agent's socket; undefined when there is none to ask. */
  agentSocket: string | undefined
  /** The first one is written to. */
  knownHostsFiles: string[]
  hashKnownHosts: boolean
  strictHostKeys: 'ask' | 'yes' | 'accept-new'
  jumps: Jump[]
  aliveIntervalMs: number | undefined
  aliveCount: number
}

export interface SshWish {
  host: string
  port?: number | undefined
  user?: string | undefined
}

/** What of the surroundings decides: replaced in tests. */
export interface SshEnvironment {
  home: string
  userName: string
  configFiles: string[]
  globalKnownHosts: string[]
  env: NodeJS.ProcessEnv
}

export function systemEnvironment(): SshEnvironment {
  const home = os.homedir()
  const windows = process.platform === 'win32'
  const shared = windows ? path.join(process.env['ProgramData'] ?? 'C:\\ProgramData', 'ssh') : '/etc/ssh'
  return {
    home,
    userName: os.userInfo().username,
    configFiles: [path.join(home, '.ssh', 'config'), path.join(shared, 'ssh_config')],
    globalKnownHosts: [path.join(shared, 'ssh_known_hosts'), path.join(shared, 'ssh_known_hosts2')],
    env: process.env,
  }
}

/** The configuration for one host, as `ssh` would have it: the first value of each setting counts. */
export async function resolveHost(wish: SshWish, surroundings: SshEnvironment): Promise<SshHost> {
  const directives: Directive[] = []
  for (const file of surroundings.configFiles) directives.push(...(await readConfigFile(file, surroundings.home)))
  const found = settingsFor(wish, directives, surroundings.userName)
  const one = (name: string) => found.get(name)?.[0]?.values[0]
  const all = (name: string) => (found.get(name) ?? []).flatMap(({ values }) => values)
  const user = wish.user ?? one('user') ?? surroundings.userName
  const port = wish.port ?? readNumber(one('port'), 22)
  const tokens = {
    h: wish.host,
    n: wish.host,
    p: String(port),
    r: user,
    u: surroundings.userName,
    d: surroundings.home,
  }
  const host = bare(expand(one('hostname') ?? wish.host, { ...tokens }, surroundings))
  const file = (value: string) => expand(value, { ...tokens, h: host }, surroundings)

  // Of the two the one that comes first counts, as the first value of each setting does.
  const way = [...found.keys()].find((name) => name === 'proxyjump' || name === 'proxycommand') ?? 'proxyjump'
  const says = found.get(way)?.[0]?.values.join(' ') ?? 'none'
  const jumps = way === 'proxyjump' ? readJumps(says) : jumpsOfCommand(says, wish.host, file)
  const files = all('identityfile').map(file)
  const own = first(found, 'userknownhostsfile')?.map(file)
  const shared = first(found, 'globalknownhostsfile')?.map(file)
  return {
    alias: wish.host,
    host,
    port,
    user,
    keyName: (one('hostkeyalias') ?? host).toLowerCase(),
    identityFiles: files.length > 0 ? files.filter((name) => name !== 'none') : defaultIdentities(surroundings.home),
    identitiesOnly: isYes(one('identitiesonly')),
    agentSocket: agentSocket(one('identityagent'), file, surroundings.env),
    knownHostsFiles: [
      ...(own ?? [
        path.join(surroundings.home, '.ssh', 'known_hosts'),
        path.join(surroundings.home, '.ssh', 'known_hosts2'),
      ]),
      ...(shared ?? surroundings.globalKnownHosts),
    ].filter((name) => name !== 'none'),
    hashKnownHosts: isYes(one('hashknownhosts')),
    strictHostKeys: strictness(one('stricthostkeychecking')),
    jumps,
    aliveIntervalMs: readNumber(one('serveraliveinterval'), 0) * 1000 || undefined,
    aliveCount: readNumber(one('serveralivecountmax'), 3),
  }
}

/** Names a person may pick: every Host without a wildcard. */
export async function listHosts(surroundings: SshEnvironment): Promise<string[]> {
  const [own] = surroundings.configFiles
  const directives = own === undefined ? [] : await readConfigFile(own, surroundings.home)
  const patterns = directives.flatMap(({ conditions }) =>
    conditions.flatMap((condition) => (condition.kind === 'host' ? condition.patterns : [])),
  )
  return [...new Set(patterns.filter((pattern) => !/[*?!]/.test(pattern)))].sort()
}

function settingsFor(wish: SshWish, directives: readonly Directive[], userName: string): Map<string, Directive[]> {
  const found = new Map<string, Directive[]>()
  for (const directive of directives) {
    const hostName = found.get('hostname')?.[0]?.values[0]?.replaceAll('%h', wish.host) ?? wish.host
    const user = wish.user ?? found.get('user')?.[0]?.values[0] ?? userName
    const texts = { original: wish.host, host: hostName, user, localUser: userName }
    if (!directive.conditions.every((condition) => holds(condition, texts))) continue
    const before = found.get(directive.name)
    if (before === undefined) found.set(directive.name, [directive])
    else before.push(directive)
  }
  return found
}

interface MatchTexts {
  original: string
  host: string
  user: string
  localUser: string
}

function holds(condition: Condition, texts: MatchTexts): boolean {
  if (condition.kind === 'host') return matchesList(condition.patterns, texts.original)
  return condition.criteria.every(({ name, patterns, negated }) => {
    const text = { host: texts.host, originalhost: texts.original, user: texts.user, localuser: texts.localUser }[name]
    if (name === 'all') return !negated
    return text !== undefined && matchesList(patterns, text) !== negated
  })
}

/** Of settings with several values in one line, the first line counts. */
function first(found: Map<string, Directive[]>, name: string): string[] | undefined {
  return found.get(name)?.[0]?.values.flatMap((value) => value.split(/\s+/))
}

function expand(text: string, tokens: Record<string, string>, { home, env }: SshEnvironment): string {
  return text
    .replace(/^~(?=[\\/]|$)/, home)
    .replace(/\$\{(\w+)\}/g, (_all, name: string) => env[name] ?? '')
    .replace(/%(.)/g, (all, letter: string) => (letter === '%' ? '%' : (tokens[letter] ?? all)))
}

function agentSocket(
  wish: string | undefined,
  file: (value: string) => string,
  env: NodeJS.ProcessEnv,
): string | undefined {
  const given = env['SSH_AUTH_SOCK'] || (process.platform === 'win32' ? '\\\\.\\pipe\\openssh-ssh-agent' : undefined)
  if (wish === undefined || wish === 'SSH_AUTH_SOCK') return given
  if (wish.toLowerCase() === 'none') return undefined
  return wish.startsWith('$') ? env[wish.replace(/^\$\{?|\}$/g, '')] : file(wish)
}

function strictness(value: string | undefined): SshHost['strictHostKeys'] {
  const lower = value?.toLowerCase()
  // `no` and `off` would let a changed key pass; the console never does that, so new ones are all it can mean.
  if (lower === 'accept-new' || lower === 'no' || lower === 'off') return 'accept-new'
  return lower === 'yes' ? 'yes' : 'ask'
}

function defaultIdentities(home: string): string[] {
  return ['id_rsa', 'id_ecdsa', 'id_ed25519'].map((name) => path.join(home, '.ssh', name))
}

function readNumber(text: string | undefined, otherwise: number): number {
  const value = Number(text)
  return text === undefined || !Number.isInteger(value) || value < 0 ? otherwise : value
}

function isYes(value: string | undefined): boolean {
  return /^(yes|true)$/i.test(value ?? '')
}
