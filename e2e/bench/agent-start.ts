import type { Bench } from './bench.ts'
import { prepareServers } from './servers.ts'
import { atMostTimes } from './target.ts'

/** Process start to the first 200. */
export const agentStart: Bench = {
  name: 'agent.start',
  unit: 'ms',
  against: 'a bare node:http server, to its first 200',
  target: atMostTimes(2),
  runs: 11,
  warmups: 1,
  async open() {
    const servers = await prepareServers()
    const time = async (start: typeof servers.startAgent) => {
      const { program, tookMs } = await start()
      await program.end()
      return tookMs
    }
    return { ours: () => time(servers.startAgent), yardstick: () => time(servers.startBare), close: servers.close }
  },
}
