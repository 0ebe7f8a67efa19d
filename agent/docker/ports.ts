import net from 'node:net'
import { Problem } from '../../shared/errors.ts'

const tried = 200

/** The first port from `first` upward that no container of ours has and that nothing on this machine listens on. */
export async function freePortFrom(first: number, taken: ReadonlySet<number>): Promise<number> {
  for (let port = first; port < first + tried && port <= 65_535; port++) {
    if (!taken.has(port) && (await canListen(port))) return port
  }
  throw new Problem(
    'conflict',
    `No port from ${first} upward is free. Stop a worker, or name another port in services.json.`,
  )
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer()
    server.once('error', () => resolve(false))
    // Every address: a container on the host's network listens on all of them.
    server.listen({ port, exclusive: true }, () => server.close(() => resolve(true)))
  })
}
