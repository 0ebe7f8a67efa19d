import type { Duplex } from 'node:stream'
import type { Channel, Client } from 'ssh2'
import { backoff } from '../../../shared/client/backoff.ts'
import { Problem } from '../../../shared/errors.ts'
import type { TunnelOf } from '../tunnel.ts'
import { ChannelStream } from './channel-stream.ts'
import type { SshDeps } from './hop.ts'
import { watchPulse } from './pulse.ts'
import type { SshEnvironment, SshWish } from './resolve-host.ts'
import type { Route, RouteStep } from './route.ts'
import { Slots } from './slots.ts'
import { ReceiveWindow, withSmallWindow } from './windows.ts'

export interface ConnectionDeps {
  /** The parts that need ssh2, which is loaded only once a machine is reached by it. */
  load: () => Promise<SshDeps>
  environment: () => SshEnvironment
  /** Hears of each host on the way, for a way that is tried out. */
  onStep?: (step: RouteStep) => void
  random?: () => number
}

export type Remote = TunnelOf<'ssh'>['remote']

export type SshState =
  | { state: 'idle' }
  | { state: 'connecting' }
  | { state: 'up'; roundTripMs: number | undefined }
  | { state: 'down'; problem: Problem }

/** A machine's live view, terminals, logs and calls together stay far below; a loop that leaks does not. */
const maxChannels = 64
/** On a slow link the answer waits behind a window of every other channel's data. */
const channelLimitMs = 20_000
const defaultEveryMs = 5000
const pingMisses = 2
/** After the laptop woke, a connection has this long to prove that it survived. */
const probeLimitMs = 4000
/** What a person has to mend is tried again seldom: servers lock out whoever fails to log in again and again. */
const mendable = { firstMs: 30_000, maxMs: 600_000 }

/** The one SSH connection to a machine: opened when it is needed, watched, and shared by everything. */
export class SshConnection {
  readonly wish: SshWish
  readonly #deps: ConnectionDeps
  readonly #slots = new Slots(maxChannels)
  readonly #streams = new Set<ChannelStream>()
  #state: SshState = { state: 'idle' }
  #connecting: Promise<Route> | undefined
  #route: Route | undefined
  #stopPulse: (() => void) | undefined
  #notBefore = 0
  #closed = false
  readonly #transient: ReturnType<typeof backoff>
  readonly #configured: ReturnType<typeof backoff>

  constructor(wish: SshWish, deps: ConnectionDeps) {
    this.wish = wish
    this.#deps = deps
    const random = deps.random === undefined ? {} : { random: deps.random }
    this.#transient = backoff(random)
    this.#configured = backoff({ ...mendable, ...random })
  }

  get state(): SshState {
    return this.#state
  }

  get channels(): number {
    return this.#streams.size
  }

  /** Logs in if that has not been done. While a failure is fresh it is given again instead of a new try. */
  async ready(): Promise<void> {
    await this.#take()
  }

  /** The connection itself, for commands and file transfers. */
  async client(): Promise<Client> {
    return (await this.#take()).client
  }

  /** A stream to what listens at the other end. */
  async open(remote: Remote): Promise<Duplex> {
    const { client, stream: connection } = await this.#take()
    const release = await this.#slots.take(channelLimitMs)
    try {
      const channel = await openChannel(client, remote, this.wish.host, () => this.probe())
      const stream = new ChannelStream(channel, connection, new ReceiveWindow(client, channel))
      this.#streams.add(stream)
      stream.once('close', () => {
        this.#streams.delete(stream)
        release()
      })
      // Stays for good: an error between two requests must not end the console.
      stream.on('error', () => {})
      return stream
    } catch (error) {
      release()
      throw error
    }
  }

  /** Asks for a sign of life now, and gives the connection up when none comes. Any byte is one: see pulse.ts. */
  probe(): void {
    const route = this.#route
    if (route === undefined) return
    const heard = () => {
      clearTimeout(limit)
      route.stream.off('data', heard)
    }
    const limit = setTimeout(() => {
      route.stream.off('data', heard)
      this.#lose(route, `${this.wish.host} does not answer any more. A new connection is tried.`)
    }, probeLimitMs)
    route.stream.on('data', heard)
    this.#ping(route)
  }

  /** A person, or a network that is back, wants a try now. */
  retryNow(): void {
    this.#notBefore = 0
    this.#transient.reset()
  }

  close(): void {
    this.#closed = true
    if (this.#route !== undefined) this.#lose(this.#route, 'The tunnel was closed.')
    this.#connecting?.then((route) => route.end()).catch(() => {})
    this.#state = { state: 'idle' }
  }

  #take(): Promise<Route> {
    if (this.#closed) return Promise.reject(new Problem('unreachable', 'The tunnel was closed.'))
    if (this.#route !== undefined) return Promise.resolve(this.#route)
    if (this.#connecting !== undefined) return this.#connecting
    if (this.#state.state === 'down' && performance.now() < this.#notBefore) return Promise.reject(this.#state.problem)
    this.#state = { state: 'connecting' }
    this.#connecting = this.#connect().finally(() => {
      this.#connecting = undefined
    })
    return this.#connecting
  }

  async #connect(): Promise<Route> {
    try {
      const { hostsOnTheWay, takeRoute } = await import('./route.ts')
      // Read at each connection: the person may have edited their configuration since.
      const hosts = await hostsOnTheWay(this.wish, this.#deps.environment())
      const route = await takeRoute(hosts, await this.#deps.load(), this.#deps.onStep)
      if (this.#closed) {
        route.end()
        throw new Problem('unreachable', 'The tunnel was closed.')
      }
      this.#hold(route)
      return route
    } catch (error) {
      const problem = Problem.from(error, 'tunnel-setup')
      const wait = problem.code === 'unreachable' ? this.#transient : this.#configured
      this.#notBefore = performance.now() + wait.next()
      this.#state = { state: 'down', problem }
      throw problem
    }
  }

  #hold(route: Route): void {
    this.#route = route
    this.#state = { state: 'up', roundTripMs: undefined }
    this.#transient.reset()
    this.#configured.reset()
    const lost = () => this.#lose(route, `The SSH connection to ${this.wish.host} was lost.`)
    route.client.on('error', lost)
    route.client.once('close', lost)
    const { aliveIntervalMs, aliveCount } = route.target
    this.#stopPulse = watchPulse(route.stream, {
      everyMs: aliveIntervalMs ?? defaultEveryMs,
      misses: aliveIntervalMs === undefined ? pingMisses : Math.max(1, aliveCount),
      ask: () => this.#ping(route),
      onDead: () => this.#lose(route, `${this.wish.host} does not answer any more. Check the network and the machine.`),
    })
    this.#ping(route)
  }

  /** Cancelling a forwarding that was never asked for: every server answers that, with a no. */
  #ping(route: Route): void {
    const sent = performance.now()
    try {
      route.client.unforwardIn('127.0.0.1', 9, () => {
        if (this.#route !== route) return
        this.#state = { state: 'up', roundTripMs: performance.now() - sent }
      })
    } catch {
      this.#lose(route, `The SSH connection to ${this.wish.host} was lost.`)
    }
  }

  #lose(route: Route, why: string): void {
    if (this.#route !== route) return
    this.#route = undefined
    this.#stopPulse?.()
    const problem = new Problem('unreachable', why)
    this.#state = { state: 'down', problem }
    // Spread over half a second: one gateway that fell may have carried all of a fleet.
    this.#notBefore = performance.now() + this.#transient.next()
    route.end()
    for (const stream of this.#streams) stream.destroy(problem)
  }
}

function openChannel(client: Client, remote: Remote, host: string, onSilence: () => void): Promise<Channel> {
  return new Promise((resolve, reject) => {
    let late = false
    const limit = setTimeout(() => {
      late = true
      onSilence()
      reject(new Problem('unreachable', `${host} did not open a way to the agent in time.`))
    }, channelLimitMs)
    const opened = (error: (Error & { reason?: number }) | undefined, channel: Channel) => {
      clearTimeout(limit)
      if (late) channel?.close()
      else if (error === undefined) resolve(channel)
      else reject(refusal(error, remote, host))
    }
    try {
      withSmallWindow(client, () => {
        if ('port' in remote) client.forwardOut('127.0.0.1', 0, '127.0.0.1', remote.port, opened as never)
        else client.openssh_forwardOutStreamLocal(remote.socketPath, opened as never)
      })
    } catch (error) {
      clearTimeout(limit)
      reject(new Problem('unreachable', `The SSH connection to ${host} was lost: ${String(error)}`))
    }
  })
}

/** Numbers of RFC 4254, section 5.1. */
const prohibited = 1
const connectFailed = 2

function refusal(error: Error & { reason?: number }, remote: Remote, host: string): Problem {
  const where = 'port' in remote ? `port ${remote.port}` : remote.socketPath
  if (error.reason === prohibited) {
    const setting = 'port' in remote ? 'AllowTcpForwarding' : 'AllowStreamLocalForwarding'
    return new Problem('tunnel-setup', `The SSH server of ${host} does not forward. Set ${setting} yes there.`)
  }
  if (error.reason === connectFailed) {
    // The way is open and its end is empty: the chain shows this at the agent.
    const cause = Object.assign(new Error(error.message), { code: 'ECONNREFUSED' })
    const detail = `Nothing listens at ${where} of ${host}. Is the agent running, and may ${'port' in remote ? 'it be reached there' : 'this user open its socket'}?`
    return new Problem('unreachable', detail, {}, { cause })
  }
  return new Problem('unreachable', `The SSH connection to ${host} was lost.`)
}
