import { secretShape } from '../../../shared/domain/agent-secret.ts'
import type { MachineView, Tunnel } from '../../../shared/domain/machine.ts'
import type { IpcParams } from '../../../shared/ipc.ts'
import { blankProvider, fromProvider, type TypedProvider, toProvider } from './providerForm.ts'

export type TunnelKind = Exclude<Tunnel['kind'], 'local'>
export const tunnelNames = {
  direct: 'Directly',
  ssh: 'SSH',
  tailscale: 'Tailscale',
} as const satisfies Record<TunnelKind, string>

/** What is typed into the form, before it is checked. Fields of the tunnels that are not chosen keep what they have. */
export interface NewMachine {
  name: string
  environment: IpcParams<'fleet.add'>['environment']
  machineType: IpcParams<'fleet.add'>['machineType']
  tunnel: TunnelKind
  host: string
  /** Of the agent, for a direct way and for a tailnet. */
  port: string
  sshHost: string
  sshUser: string
  sshPort: string
  /** Where the agent listens on that machine: a port, or the path of a socket. */
  remote: string
  peer: string
  secret: string
  /** What is said about its kind of machine. */
  provider: TypedProvider
}

export const blankMachine: NewMachine = {
  name: '',
  environment: 'dev',
  machineType: 'ssh_host',
  tunnel: 'direct',
  host: '',
  port: '8000',
  sshHost: '',
  sshUser: '',
  sshPort: '',
  remote: '8000',
  peer: '',
  secret: '',
  provider: blankProvider,
}

export type Mistakes = Partial<Record<keyof NewMachine, string>>

/** What is wrong with it, by field; main checks again. */
export function checkMachine(typed: NewMachine, takenNames: readonly string[]): Mistakes {
  const mistakes = checkKept(typed, takenNames)
  const secret = checkSecret(typed.secret)
  return secret === undefined ? mistakes : { ...mistakes, secret }
}

/** What is wrong with a secret, whoever's it is. */
export function checkSecret(typed: string): string | undefined {
  const secret = typed.trim()
  if (secret === '') return 'The agent prints it when it is installed.'
  return secretShape.test(secret) ? undefined : 'A secret has only plain letters, digits and signs.'
}

/** What is wrong with what a machine that is known already is to be called and reached by. */
export function checkKept(typed: NewMachine, takenNames: readonly string[]): Mistakes {
  const mistakes: Mistakes = {}
  const name = typed.name.trim()
  if (name === '') mistakes.name = 'Give it a name.'
  else if (name.length > 100) mistakes.name = 'At most 100 characters.'
  else if (takenNames.includes(name)) mistakes.name = 'There is a machine of that name already.'
  return { ...mistakes, ...checkTunnel(typed) }
}

/** What is wrong with the way alone: it can be tried before there is a name. */
export function checkTunnel(given: NewMachine): Mistakes {
  const mistakes: Mistakes = {}
  const typed = apart(given)
  switch (typed.tunnel) {
    case 'direct':
      checkHost(typed.host, 'host', mistakes)
      if (!isPort(typed.port)) mistakes.port = '1 to 65535.'
      break
    case 'ssh':
      checkHost(typed.sshHost, 'sshHost', mistakes)
      if (mistakes.sshHost === undefined && !/^[\w[][\w.:%\]-]*$/.test(typed.sshHost.trim()))
        mistakes.sshHost = 'Only plain letters, digits, dots and dashes.'
      if (/^[^:]+:[^:]*$/.test(typed.sshHost.trim())) mistakes.sshHost = 'The port has a field of its own.'
      if (/[\s:@]|^-/.test(typed.sshUser.trim())) mistakes.sshUser = 'Only the name of the user.'
      if (typed.sshPort.trim() !== '' && !isPort(typed.sshPort)) mistakes.sshPort = '1 to 65535.'
      if (!isPort(typed.remote) && !/^\/.+/.test(typed.remote.trim()))
        mistakes.remote = 'A port, or the whole path of a socket.'
      else if (typed.remote.trim().length > 107) mistakes.remote = 'The path of a socket has at most 107 characters.'
      break
    case 'tailscale':
      if (typed.peer.trim() === '') mistakes.peer = 'Choose a machine of the tailnet.'
      if (!isPort(typed.port)) mistakes.port = '1 to 65535.'
  }
  return mistakes
}

function checkHost(typed: string, key: 'host' | 'sshHost', mistakes: Mistakes): void {
  const host = typed.trim()
  if (host === '') mistakes[key] = 'A host name or an address.'
  else if (/[\s/@]|:\/\/|^-/.test(host)) mistakes[key] = 'Only the host: no scheme, user, path or spaces.'
}

function isPort(text: string): boolean {
  return /^\d+$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= 65535
}

/** `user@host:port`, as people have it from a terminal or a chat; what has a field of its own that is filled stays. */
function apart(typed: NewMachine): NewMachine {
  const text = typed.sshHost.trim().replace(/^ssh:\/\/|^ssh\s+(?!-)/, '')
  // Two colons and more are an IPv6 address.
  const [, user, host, port] = /^(?:([^@\s:/-][^@\s:/]*)@)?(\[[^\]\s]+\]|[^@\s:/]+)(?::(\d+))?\/?$/.exec(text) ?? []
  if (host === undefined || (user && typed.sshUser.trim()) || (port && typed.sshPort.trim())) return typed
  return { ...typed, sshHost: host, sshUser: user ?? typed.sshUser, sshPort: port ?? typed.sshPort }
}

export function toTunnel(given: NewMachine): Tunnel {
  const typed = apart(given)
  switch (typed.tunnel) {
    case 'direct':
      return { kind: 'direct', host: typed.host.trim(), port: Number(typed.port) }
    case 'tailscale':
      return { kind: 'tailscale', peer: typed.peer.trim(), port: Number(typed.port) }
    case 'ssh': {
      const [user, port, remote] = [typed.sshUser.trim(), typed.sshPort.trim(), typed.remote.trim()]
      return {
        kind: 'ssh',
        host: typed.sshHost.trim(),
        ...(user !== '' && { user }),
        ...(port !== '' && { port: Number(port) }),
        remote: isPort(remote) ? { port: Number(remote) } : { socketPath: remote },
      }
    }
  }
}

export function toParams(typed: NewMachine): IpcParams<'fleet.add'> {
  const { environment, machineType, secret } = typed
  const provider = toProvider(machineType, typed.provider)
  return {
    name: typed.name.trim(),
    environment,
    machineType,
    tunnel: toTunnel(typed),
    secret,
    ...(provider && { provider }),
  }
}

/** What is known of a machine, for a form that changes it. */
export function fromMachine({ name, environment, machineType, provider, tunnel }: MachineView): NewMachine {
  const typed = { ...blankMachine, name, environment, machineType, provider: fromProvider(provider) }
  switch (tunnel.kind) {
    case 'local':
      return typed
    case 'direct':
      return { ...typed, tunnel: 'direct', host: tunnel.host, port: String(tunnel.port) }
    case 'tailscale':
      return { ...typed, tunnel: 'tailscale', peer: tunnel.peer, port: String(tunnel.port) }
    case 'ssh': {
      const { host, user = '', port, remote } = tunnel
      const there = 'port' in remote ? String(remote.port) : remote.socketPath
      return { ...typed, tunnel: 'ssh', sshHost: host, sshUser: user, sshPort: String(port ?? ''), remote: there }
    }
  }
}
