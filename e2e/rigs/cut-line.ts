import net from 'node:net'

export interface CutLine {
  port: number
  /** Ends everything that passes, and lets nothing new through. */
  cut(): void
  mend(): void
  stop(): Promise<void>
}

/** A TCP line to a port of this computer that can be cut and mended. */
export async function startCutLine(targetPort: () => number): Promise<CutLine> {
  const sockets = new Set<net.Socket>()
  let whole = true
  const server = net.createServer((near) => {
    if (!whole) {
      near.resetAndDestroy()
      return
    }
    const far = net.connect(targetPort(), '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.once('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const endAll = () => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return {
    port: (server.address() as net.AddressInfo).port,
    cut() {
      whole = false
      endAll()
    },
    mend() {
      whole = true
    },
    stop() {
      endAll()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
