import { ownBytes, residentBytes } from '../rigs/processes.ts'
import type { Bench } from './bench.ts'
import { prepareServers } from './servers.ts'
import { settled } from './settled.ts'
import { atMost, shown } from './target.ts'

/** What an agent takes while nobody asks it anything. */
const idleBench = (bench: Pick<Bench, 'name' | 'against' | 'target'>, bytesOf: (pid: number) => number): Bench => ({
  ...bench,
  unit: 'MB',
  runs: 3,
  warmups: 0,
  async open() {
    const servers = await prepareServers()
    const weigh = async (start: typeof servers.startAgent) => {
      const { program } = await start()
      const bytes = await settled(() => bytesOf(program.pid))
      await program.end()
      return bytes / 1e6
    }
    return { ours: () => weigh(servers.startAgent), yardstick: () => weigh(servers.startBare), close: servers.close }
  },
})

export const agentIdle = idleBench(
  { name: 'agent.idle', against: 'a bare node:http server, resident', target: atMost(60, 'MB') },
  residentBytes,
)

/** More than half of what is resident are pages of the file that Node is: every program of Node has them. */
export const agentOwn = idleBench(
  { name: 'agent.own', against: "a bare node:http server, without the pages of Node's own file", target: shown },
  ownBytes,
)
