import type { Tunnel } from '../../../shared/domain/machine.ts'

/** What a person types to get a shell on the machine with OpenSSH; null where nothing is known of SSH there. */
export function sshCommand(
  tunnel: Tunnel,
  addresses: { publicIp: string | null; privateIp: string | null },
): string | null {
  switch (tunnel.kind) {
    case 'ssh': {
      const port = tunnel.port === undefined ? '' : ` -p ${tunnel.port}`
      return `ssh${port} ${tunnel.user === undefined ? '' : `${tunnel.user}@`}${bare(tunnel.host)}`
    }
    case 'direct': {
      const host = bare(tunnel.host)
      if (host === 'localhost' || host === '::1' || host.startsWith('127.')) return null
      return `ssh ${host}`
    }
    case 'tailscale':
      return `ssh ${tunnel.peer}`
    case 'local': {
      const address = addresses.publicIp ?? addresses.privateIp
      return address === null ? null : `ssh ${address}`
    }
  }
}

const bare = (host: string) => host.replace(/^\[(.*)\]$/, '$1')

/** The same way that the console takes, for another program: the agent appears on a port of this computer. */
export function forwardCommand(tunnel: Tunnel, port = 8000): string | null {
  if (tunnel.kind !== 'ssh') return null
  const target = 'port' in tunnel.remote ? `127.0.0.1:${tunnel.remote.port}` : tunnel.remote.socketPath
  const command = sshCommand(tunnel, { publicIp: null, privateIp: null }) ?? 'ssh'
  return command.replace(/^ssh/, `ssh -N -L 127.0.0.1:${port}:${target}`)
}
