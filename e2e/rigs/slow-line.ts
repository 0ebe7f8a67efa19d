import net, { type AddressInfo } from 'node:net'

/** A line to an agent on which some questions can be kept waiting. */
export interface SlowLine {
  port: number
  /** From now on, whatever is asked at an address that begins so waits for `release`. */
  hold(...paths: string[]): void
  release(): void
  stop(): Promise<void>
}

/** As a machine is that answers its health check, and takes its time for everything else. */
export async function startSlowLine(targetPort: number): Promise<SlowLine> {
  const open = new Set<net.Socket>()
  let held: readonly string[] = []
  let waiting: (() => void)[] = []
  const server = net.createServer((near) => {
    const far = net.connect(targetPort, '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
    }
    far.pipe(near)
    near.on('data', (chunk: Buffer) => {
      const asked = /^[A-Z]+ (\S+) HTTP/.exec(chunk.toString('latin1'))?.[1]
      const pass = () => void far.write(chunk)
      if (asked !== undefined && held.some((path) => asked.startsWith(path))) waiting.push(pass)
      else pass()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    hold(...paths) {
      held = paths
    },
    release() {
      held = []
      for (const pass of waiting) pass()
      waiting = []
    },
    async stop() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
