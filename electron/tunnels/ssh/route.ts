import net from 'node:net'
import type { Duplex } from 'node:stream'
import type { Client } from 'ssh2'
import { Problem } from '../../../shared/errors.ts'
import { logIn, type SshDeps } from './hop.ts'
import { resolveHost, type SshEnvironment, type SshHost, type SshWish } from './resolve-host.ts'

/** A way that is open: the last host's client, and the stream its bytes pass. */
export interface Route {
  client: Client
  stream: Duplex
  target: SshHost
  /** Ends every hop, the last one first. */
  end: () => void
}

/** One step of the way that was taken, or the one that could not be. */
export interface RouteStep {
  name: string
  problem: Problem | undefined
  detail: string
}

const connectLimitMs = 10_000
/** Longer chains than this are a loop in the configuration. */
const maxHops = 8

/** The hosts to pass, first to last. The first jump may have jumps of its own; the others are reached through it. */
export async function hostsOnTheWay(wish: SshWish, environment: SshEnvironment, depth = 0): Promise<SshHost[]> {
  if (depth > maxHops) throw new Problem('tunnel-setup', `ProxyJump of ${wish.host} leads round in a circle.`)
  const target = await resolveHost(wish, environment)
  const hosts: SshHost[] = []
  for (const [place, { alias, ...over }] of target.jumps.entries()) {
    // A jump for every host would be one for the jump host as well.
    if (alias === wish.host) break
    const jump = { host: alias, ...over }
    hosts.push(
      ...(place === 0 ? await hostsOnTheWay(jump, environment, depth + 1) : [await resolveHost(jump, environment)]),
    )
  }
  return [...hosts, target]
}

/** Connects and logs in, host by host. Each step that is done, or fails, is told. */
export async function takeRoute(
  hosts: readonly SshHost[],
  deps: SshDeps,
  onStep: (step: RouteStep) => void = () => {},
): Promise<Route> {
  const opened: { client: Client; stream: Duplex }[] = []
  const end = () => {
    for (const { client, stream } of opened.toReversed()) {
      client.end()
      client.destroy()
      stream.destroy()
    }
  }
  for (const [place, host] of hosts.entries()) {
    const which = hosts.length === 1 ? '' : ` (host ${place + 1} of ${hosts.length})`
    const name = `${host.user}@${host.host}:${host.port}`
    try {
      const before = opened.at(-1)?.client
      const stream = before === undefined ? await connectTo(host, which) : await jumpTo(before, host, which)
      // Between two hops nobody else listens, and an error without a listener ends the console.
      stream.on('error', () => {})
      // Every channel may wait for room on it at the same time.
      stream.setMaxListeners(0)
      opened.push({ client: await logIn(host, stream, which, deps), stream })
      onStep({ name, problem: undefined, detail: `logged in as ${host.user}` })
    } catch (error) {
      const problem = Problem.from(error, 'unreachable')
      onStep({ name, problem, detail: problem.message })
      end()
      throw problem
    }
  }
  const last = opened.at(-1)
  const target = hosts.at(-1)
  if (last === undefined || target === undefined) throw new Problem('tunnel-setup', 'There is no host to go to.')
  return { ...last, target, end }
}

function connectTo(host: SshHost, which: string): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host: host.host, port: host.port, noDelay: true })
    const limit = setTimeout(() => {
      socket.destroy()
      reject(
        new Problem(
          'unreachable',
          `${host.alias}${which} did not answer within ${connectLimitMs / 1000} s at ${host.host} port ${host.port}. Check the network, the address and its firewall.`,
        ),
      )
    }, connectLimitMs)
    socket.once('connect', () => {
      clearTimeout(limit)
      resolve(socket)
    })
    socket.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(limit)
      reject(new Problem('unreachable', `${host.alias}${which}: ${reasonFor(error, host)}`))
    })
  })
}

function jumpTo(before: Client, host: SshHost, which: string): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => {
      reject(new Problem('unreachable', `${host.alias}${which} did not answer in time through the host before it.`))
    }, connectLimitMs)
    before.forwardOut('127.0.0.1', 0, host.host, host.port, (error, channel) => {
      clearTimeout(limit)
      if (error === undefined) return resolve(channel as Duplex)
      reject(
        new Problem(
          'unreachable',
          `${host.alias}${which} cannot be reached from the host before it: ${error.message.replace('(SSH) ', '')}. Check the address and that the host before it may forward.`,
        ),
      )
    })
  })
}

function reasonFor(error: NodeJS.ErrnoException, host: SshHost): string {
  switch (error.code) {
    case 'ECONNREFUSED':
      return `nothing listens on port ${host.port} of ${host.host}. Is its SSH server running?`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `there is no address for ${host.host}. Check the name, and that this computer is online.`
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `there is no way to ${host.host}. Check that this computer is online, and its VPN if it needs one.`
    default:
      return `${error.message}. Check the network and the address.`
  }
}
