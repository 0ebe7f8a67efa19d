import fs from 'node:fs'
import type { Server } from 'node:http'
import net from 'node:net'
import path from 'node:path'
import type { Config } from '../config.ts'
import { makeFolder } from '../storage/make-folder.ts'

export interface Listening {
  socketPath: string | null
  port: number | null
}

/** Tailscale's address ranges: a tailnet is private by itself. */
const tailnet = new net.BlockList()
tailnet.addSubnet('100.64.0.0', 10, 'ipv4')
tailnet.addSubnet('fd7a:115c:a1e0::', 48, 'ipv6')
const loopback = new net.BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Refuses addresses that others could reach, unless that was said twice. */
export function checkBind(config: Config): void {
  if (config.allowPublicBind) return
  for (const { host } of config.bind) {
    const family = net.isIP(host) === 6 ? 'ipv6' : 'ipv4'
    if (net.isIP(host) === 0 || !(tailnet.check(host, family) || loopback.check(host, family))) {
      throw new Error(
        `PILOTHOUSE_BIND has ${host}, which is neither loopback nor a tailnet address: the agent would be open to a network. ` +
          'Use an SSH tunnel, or set PILOTHOUSE_ALLOW_PUBLIC_BIND=1 if you mean it.',
      )
    }
  }
}

/** Starts one server per address. `create` makes a server, because each address needs its own. */
export async function listenAll(config: Config, create: () => Server): Promise<{ servers: Server[] } & Listening> {
  checkBind(config)
  const servers: Server[] = []
  try {
    if (config.socketPath !== undefined) {
      await freeSocketPath(config.socketPath)
      servers.push(await listenOnUnix(create(), config.socketPath))
    }
    let port: number | null = null
    if (config.port !== undefined) {
      const server = await listen(create(), { host: '127.0.0.1', port: config.port }, 'PILOTHOUSE_PORT')
      servers.push(server)
      port = (server.address() as net.AddressInfo).port
    }
    for (const address of config.bind) servers.push(await listen(create(), address, 'PILOTHOUSE_BIND'))
    if (servers.length === 0)
      throw new Error('Both the Unix socket and the port are off: nobody could reach the agent.')
    return { servers, socketPath: config.socketPath ?? null, port }
  } catch (error) {
    for (const server of servers) server.close()
    throw error
  }
}

function listen(server: Server, options: net.ListenOptions, setting: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const where = options.path ?? `${options.host}:${options.port}`
      const why =
        error.code === 'EADDRINUSE'
          ? 'something listens there already'
          : error.code === 'EADDRNOTAVAIL'
            ? 'this machine does not have that address now'
            : error.message
      reject(new Error(`Cannot listen on ${where}: ${why}. Set ${setting} to another.`))
    })
    server.listen(options, () => resolve(server))
  })
}

async function listenOnUnix(server: Server, socketPath: string): Promise<Server> {
  makeFolder(path.dirname(socketPath), 0o750, 'PILOTHOUSE_SOCKET')
  // The mask is there before the socket is: no moment in which anyone may connect.
  const mask = process.umask(0o117)
  // Binding happens within the call; a mask that stayed until the answer would fall on whatever else is made meanwhile.
  const listening = listen(server, { path: socketPath }, 'PILOTHOUSE_SOCKET')
  process.umask(mask)
  await listening
  fs.chmodSync(socketPath, 0o660)
  return server
}

/** A socket file that a dead agent left is removed; one with a living agent behind it is not. */
async function freeSocketPath(socketPath: string): Promise<void> {
  // The kernel cuts a longer path without a word (sun_path has 108 bytes, 104 on macOS).
  if (Buffer.byteLength(socketPath) > 103) throw new Error(`The socket path ${socketPath} is longer than 103 bytes.`)
  const found = fs.statSync(socketPath, { throwIfNoEntry: false })
  if (found !== undefined && !found.isSocket())
    throw new Error(`${socketPath} is there and is no socket. Move it away, or set PILOTHOUSE_SOCKET to another path.`)
  if (found === undefined) return
  const alive = await new Promise<boolean>((resolve) => {
    const probe = net.connect(socketPath)
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
    probe.once('error', () => resolve(false))
  })
  if (alive)
    throw new Error(`Another agent listens on ${socketPath}. Stop it, or set PILOTHOUSE_SOCKET to another path.`)
  fs.rmSync(socketPath, { force: true })
}
