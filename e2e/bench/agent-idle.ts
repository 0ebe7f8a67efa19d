import { residentBytes } from '../rigs/processes.ts'
import type { Bench } from './bench.ts'
import { prepareServers } from './servers.ts'
import { settled } from './settled.ts'
import { atMost } from './target.ts'

/** What an agent takes while nobody asks it anything. */
export const agentIdle: Bench = {
  name: 'agent.idle',
  unit: 'MB',
  against: 'a bare node:http server, resident',
  target: atMost(60, 'MB'),
  runs: 3,
  warmups: 0,
  async open() {
    const servers = await prepareServers()
    const weigh = async (start: typeof servers.startAgent) => {
      const { program } = await start()
      const bytes = await settled(() => residentBytes(program.pid))
      await program.end()
      return bytes / 1e6
    }
    return { ours: () => weigh(servers.startAgent), yardstick: () => weigh(servers.startBare), close: servers.close }
  },
}
