import net from 'node:net'
import { Failures } from './failures.ts'
import { answerTo, type Destination, longestHandshake, readGreeting, readRequest, replies } from './handshake.ts'
import { KnownNames } from './known-names.ts'
import { type LookUp, LookUps } from './look-ups.ts'

/** Chromium opens 32 connections to one proxy at most, so that a few busy sites would keep all others waiting. */
const portCount = 8
const maxConnections = 128
const handshakeMs = 10_000
const connectMs = 30_000

/**
 * The way out for what is not encrypted: a SOCKS5 server for the agent's own Chromium, on loopback. It looks a name up,
 * looks at where that leads, and connects to just that address. Were the name looked up once to be judged and once more
 * to be connected to, whoever answers for it could say two different things.
 */
export class Egress {
  readonly ports: readonly number[]
  readonly #servers: readonly net.Server[]
  readonly #sockets = new Set<net.Socket>()
  readonly #lookUps: LookUps
  readonly #known = new KnownNames()
  readonly #failures = new Failures()

  private constructor(servers: readonly net.Server[], lookUps: LookUps) {
    this.#servers = servers
    this.#lookUps = lookUps
    this.ports = servers.map((server) => (server.address() as net.AddressInfo).port)
    for (const server of servers) server.on('connection', (client) => this.#serve(client))
  }

  static async start(lookUp?: LookUp): Promise<Egress> {
    const servers = Array.from({ length: portCount }, () => net.createServer({ allowHalfOpen: true, noDelay: true }))
    const listening = await Promise.allSettled(servers.map(listen))
    const failed = listening.find((result) => result.status === 'rejected')
    if (failed === undefined) return new Egress(servers, new LookUps(lookUp))
    for (const server of servers) server.close()
    throw failed.reason
  }

  /** What Chromium says of an address, in words that name the cause. */
  explain(url: string, error: string): string {
    return this.#failures.explain(url, error)
  }

  async close(): Promise<void> {
    this.#lookUps.close()
    for (const socket of this.#sockets) socket.destroy()
    await Promise.all(this.#servers.map((server) => new Promise((closed) => server.close(closed))))
  }

  #serve(client: net.Socket): void {
    this.#track(client)
    client.setTimeout(handshakeMs, () => client.destroy())
    const handshake = new Handshake(client, (destination) => {
      client.setTimeout(0)
      void this.#connect(client, destination)
    })
    client.on('data', handshake.take)
  }

  async #connect(client: net.Socket, destination: Destination): Promise<void> {
    const gone = new AbortController()
    client.once('close', () => gone.abort(new Error('The client has gone.')))
    try {
      const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(connectMs)])
      const remote = await this.#open(destination, signal)
      this.#track(remote)
      this.#failures.forget(destination)
      if (client.destroyed) return void remote.destroy()
      // What was sent before the end still goes on to the other side.
      client.once('close', () => remote.destroySoon())
      remote.once('close', () => client.destroySoon())
      client.write(answerTo(replies.connected))
      client.pipe(remote)
      remote.pipe(client)
    } catch (error) {
      if (gone.signal.aborted) return
      this.#failures.keep(destination, error)
      // Any other answer would be the proxy's own failure, and Chromium would stay away from it for a while.
      client.end(answerTo(replies.hostUnreachable))
      client.resume()
      client.setTimeout(handshakeMs)
    }
  }

  async #open({ host, port }: Destination, signal: AbortSignal): Promise<net.Socket> {
    const addresses = net.isIP(host) === 0 ? await this.#lookUps.find(host, signal).catch(asLate) : [host]
    const usable = this.#known.usable(host, addresses)
    if (usable.length === 0) throw Object.assign(new Error('It leads where no page may go.'), { code: 'EACCES' })
    return connectTo(host, port, usable, signal)
  }

  #track(socket: net.Socket): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    // Whoever breaks off is closed; the other end hears of it by that.
    socket.on('error', () => {})
  }
}

/** Reads what a client says before the first byte of its own, in whatever pieces it comes. */
class Handshake {
  readonly #client: net.Socket
  readonly #done: (destination: Destination) => void
  #bytes: Buffer = Buffer.alloc(0)
  #greeted = false

  constructor(client: net.Socket, done: (destination: Destination) => void) {
    this.#client = client
    this.#done = done
  }

  readonly take = (bytes: Buffer): void => {
    this.#bytes = Buffer.concat([this.#bytes, bytes])
    if (this.#bytes.length > longestHandshake) this.#client.destroy()
    else if (this.#greeted || this.#greet()) this.#request()
  }

  #greet(): boolean {
    const step = readGreeting(this.#bytes)
    if (step.is === 'foreign') this.#client.destroy()
    if (step.is === 'refused') this.#client.end(step.answer)
    if (step.is !== 'read') return false
    this.#client.write(step.answer)
    this.#bytes = this.#bytes.subarray(step.bytes)
    this.#greeted = true
    return true
  }

  #request(): void {
    const step = readRequest(this.#bytes)
    if (step.is === 'foreign') this.#client.destroy()
    if (step.is === 'refused') this.#client.end(step.answer)
    if (step.is !== 'read') return
    this.#client.off('data', this.take)
    this.#client.pause()
    const rest = this.#bytes.subarray(step.bytes)
    if (rest.length > 0) this.#client.unshift(rest)
    this.#done(step.destination)
  }
}

function listen(server: net.Server): Promise<void> {
  server.maxConnections = maxConnections
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve())
  })
}

/** Tries the addresses as a browser does, one family soon after the other. */
function connectTo(host: string, port: number, addresses: readonly string[], signal: AbortSignal): Promise<net.Socket> {
  const found = addresses.map((address) => ({ address, family: net.isIPv6(address) ? 6 : 4 }))
  return new Promise((resolve, reject) => {
    const socket = net.connect({
      host,
      port,
      allowHalfOpen: true,
      noDelay: true,
      autoSelectFamily: true,
      // Asked with `all`, since both families are tried.
      lookup: (_host, _options, callback) => (callback as (error: null, all: typeof found) => void)(null, found),
    })
    const giveUp = () => socket.destroy(late())
    signal.addEventListener('abort', giveUp, { once: true })
    socket.once('error', reject)
    socket.once('connect', () => {
      signal.removeEventListener('abort', giveUp)
      resolve(socket)
    })
  })
}

function asLate(error: unknown): never {
  throw (error as { name?: unknown }).name === 'TimeoutError' ? late() : error
}

function late(): Error {
  return Object.assign(new Error('No answer in time.'), { code: 'ETIMEDOUT' })
}
