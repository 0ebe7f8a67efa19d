import net from 'node:net'

/** Below those that systems give to outgoing connections, which could take one before its server does. */
const lowest = 20_000
const highest = 32_000

/** A TCP port nobody listens on right now, for servers that cannot be told to take any. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    if (await canListen(port, host)) return port
  }
  throw new Error(`No port from ${lowest} to ${highest} is free on ${host}`)
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer()
    server.once('error', () => resolve(false))
    server.listen(port, host, () => server.close(() => resolve(true)))
  })
}

/** Whether something accepts connections there. */
export function accepts(address: { port: number; host?: string } | { path: string }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect('path' in address ? address : { host: '127.0.0.1', ...address })
    const answer = (open: boolean) => {
      socket.destroy()
      resolve(open)
    }
    socket.once('connect', () => answer(true))
    socket.once('error', () => answer(false))
  })
}
