import { once } from 'node:events'
import type { Bench } from './bench.ts'
import { atLeastTimes, atMostTimes, type Target } from './target.ts'
import { type Dial, openTunnelEnds } from './tunnel-ends.ts'

const megabyte = 1024 * 1024
const chunk = Buffer.alloc(64 * 1024)

/** Bulk from the machine, in MB/s. */
async function down(dial: Dial, megabytes: number): Promise<number> {
  const stream = await dial()
  const began = performance.now()
  stream.write(`D${megabytes}\n`)
  let left = megabytes * megabyte
  await new Promise<void>((resolve) => {
    stream.on('data', (data: Buffer) => {
      left -= data.length
      if (left <= 0) resolve()
    })
  })
  stream.destroy()
  return (megabytes / (performance.now() - began)) * 1000
}

async function up(dial: Dial, megabytes: number): Promise<number> {
  const stream = await dial()
  const began = performance.now()
  stream.write(`U${megabytes}\n`)
  const taken = once(stream, 'data')
  for (let sent = 0; sent < megabytes * megabyte; sent += chunk.length) {
    if (!stream.write(chunk)) await once(stream, 'drain')
  }
  await taken
  stream.destroy()
  return (megabytes / (performance.now() - began)) * 1000
}

/** One 64-byte message there and back, in µs. */
async function roundTrip(dial: Dial, times: number): Promise<number> {
  const stream = await dial()
  const message = Buffer.alloc(64)
  stream.write('E\n')
  await once(stream, 'data')
  const began = performance.now()
  for (let time = 0; time < times; time++) {
    stream.write(message)
    await once(stream, 'data')
  }
  const took = performance.now() - began
  stream.destroy()
  return (took / times) * 1000
}

async function channels(dial: Dial, count: number, megabytes: number): Promise<number> {
  const began = performance.now()
  await Promise.all(Array.from({ length: count }, () => down(dial, megabytes)))
  return ((count * megabytes) / (performance.now() - began)) * 1000
}

function bench(name: string, unit: string, target: Target, run: (dial: Dial) => Promise<number>): Bench {
  return {
    ...{ name, unit, target, runs: 5, warmups: 1 },
    against: 'ssh -L with AES-128-GCM, the same server (ssh2 in plain JavaScript)',
    async open() {
      const ends = await openTunnelEnds()
      return { ours: () => run(ends.ours), yardstick: () => run(ends.ssh), close: ends.close }
    },
  }
}

/** The targets are those for plain JavaScript, which is what Electron runs. */
export const tunnelBenches: readonly Bench[] = [
  bench('tunnel.down', 'MB/s', atLeastTimes(0.5), (dial) => down(dial, 200)),
  bench('tunnel.up', 'MB/s', atLeastTimes(0.4), (dial) => up(dial, 200)),
  bench('tunnel.rtt', 'µs', atMostTimes(1.3), (dial) => roundTrip(dial, 2000)),
  bench('tunnel.channels', 'MB/s', atLeastTimes(0.3), (dial) => channels(dial, 20, 10)),
]
