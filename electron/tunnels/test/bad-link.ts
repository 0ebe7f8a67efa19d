import net from 'node:net'

export interface BadLink {
  port: number
  /** Everything stops, as if the cable were out; connections stay open. */
  setSilent(silent: boolean): void
  stop(): Promise<void>
}

const segmentBytes = 1460
/** What a router keeps before it makes the sender wait. */
const queueBytes = 64 * 1024

/**
 * A link with delay, a rate and loss, as TCP lets programs feel it: a lost segment comes after a retransmission, and
 * holds up everything behind it. For kernels without netem.
 */
export async function startBadLink(
  target: number,
  { delayMs, rateKbit, lossPercent }: { delayMs: number; rateKbit: number; lossPercent: number },
): Promise<BadLink> {
  let silent = false
  let count = 0
  const open = new Set<net.Socket>()
  const pass = (from: net.Socket, to: net.Socket) => {
    const line: { data: Buffer; arrives: number }[] = []
    let queued = 0
    /** When the line is free again. */
    let free = 0
    // One timer for the line: two timers of different lengths may fire in the wrong order.
    const deliver = () => {
      for (let next = line[0]; next !== undefined && next.arrives <= performance.now(); next = line[0]) {
        line.shift()
        queued -= next.data.length
        if (!silent && to.writable) to.write(next.data)
      }
      if (queued < queueBytes) from.resume()
      if (line[0] !== undefined) setTimeout(deliver, Math.max(1, line[0].arrives - performance.now()))
    }
    const send = (data: Buffer) => {
      const now = performance.now()
      free = Math.max(free, now) + (data.length * 8) / rateKbit
      const lost = ++count % Math.round(100 / lossPercent) === 0
      const arrives = Math.max(line.at(-1)?.arrives ?? 0, free + delayMs + (lost ? 3 * delayMs : 0))
      line.push({ data, arrives })
      if (line.length === 1) setTimeout(deliver, arrives - now)
    }
    from.on('data', (chunk: Buffer) => {
      queued += chunk.length
      for (let at = 0; at < chunk.length; at += segmentBytes) send(chunk.subarray(at, at + segmentBytes))
      if (queued >= queueBytes) from.pause()
    })
    from.on('close', () => !silent && to.destroy())
    from.on('error', () => {})
  }
  const server = net.createServer((here) => {
    const there = net.connect(target, '127.0.0.1')
    for (const socket of [here, there]) {
      open.add(socket)
      socket.setNoDelay(true)
      socket.once('close', () => open.delete(socket))
    }
    pass(here, there)
    pass(there, here)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as net.AddressInfo).port,
    setSilent(now) {
      silent = now
    },
    async stop() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
