import net from 'node:net'

/** How long a machine may take to accept a connection; a silent network never says no. */
const connectLimitMs = 5000

/** A TCP connection, or the reason why there is none, within the limit. */
export function dial(address: string, port: number): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host: address, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 10_000 })
    const limit = setTimeout(() => {
      socket.destroy(Object.assign(new Error(`${address} did not accept a connection in time`), { code: 'ETIMEDOUT' }))
    }, connectLimitMs)
    // Stays for good: after the connection it keeps an error between two requests from ending the console.
    socket.on('error', (error) => {
      clearTimeout(limit)
      reject(error)
    })
    socket.once('connect', () => {
      clearTimeout(limit)
      resolve(socket)
    })
  })
}
