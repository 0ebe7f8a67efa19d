import type { Duplex } from 'node:stream'
import { nodeTransport } from '../../shared/client/node.ts'
import { Problem } from '../../shared/errors.ts'
import type { Tunnel } from './tunnel.ts'

export interface TunnelSockets {
  /** The laptop slept: what was open may be dead on the other side, and TCP would find out in minutes. */
  resumed(): void
}

/** How often open sockets without news are looked after, and how many failed looks in a row end them. */
const lookEveryMs = 5000
const maxFailedLooks = 2

/**
 * A way without a connection of its own: each request and stream is a TCP connection. While streams are open and
 * silent, a new connection is tried now and then; when that fails again and again, so have they.
 */
export function openSockets(options: {
  connect: () => Promise<Duplex>
  hostHeader: string
  detail: string
}): Tunnel & TunnelSockets {
  const open = new Map<Duplex, number>()
  let failed = 0
  let timer: ReturnType<typeof setInterval> | undefined

  const dropAll = (why: string) => {
    for (const socket of open.keys()) socket.destroy(new Problem('unreachable', why))
  }
  const look = async () => {
    const silent = [...open].filter(([socket, seen]) => bytesRead(socket) === seen)
    for (const socket of open.keys()) open.set(socket, bytesRead(socket))
    if (silent.length < open.size || open.size === 0) {
      failed = 0
      return
    }
    try {
      const probe = await options.connect()
      probe.destroy()
      failed = 0
    } catch {
      failed++
      if (failed >= maxFailedLooks) dropAll(`${options.detail} does not answer any more.`)
    }
  }
  const connect = async () => {
    const socket = await options.connect()
    failed = 0
    open.set(socket, bytesRead(socket))
    timer ??= setInterval(() => void look(), lookEveryMs)
    socket.once('close', () => {
      open.delete(socket)
      if (open.size > 0) return
      clearInterval(timer)
      timer = undefined
    })
    return socket
  }
  const transport = nodeTransport({ connect, hostHeader: options.hostHeader })
  return {
    transport: () => transport,
    state: { state: 'up', detail: options.detail },
    resumed: () => dropAll('This computer slept; the connection is made anew.'),
    close() {
      clearInterval(timer)
      timer = undefined
      transport.close()
    },
  }
}

function bytesRead(socket: Duplex): number {
  return 'bytesRead' in socket && typeof socket.bytesRead === 'number' ? socket.bytesRead : 0
}
