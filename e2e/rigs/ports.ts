import net from 'node:net'

/** A TCP port nobody listens on right now, for servers that cannot be told to take any. */
export function freePort(host = '127.0.0.1'): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer()
    server.once('error', reject)
    server.listen(0, host, () => {
      const { port } = server.address() as net.AddressInfo
      server.close(() => resolve(port))
    })
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
