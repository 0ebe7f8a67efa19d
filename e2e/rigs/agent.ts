import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { type Agent, type AgentHooks, startAgent } from '../../agent/agent.ts'
import { type Config, readConfig } from '../../agent/config.ts'
import type { Log } from '../../agent/log.ts'
import { AgentClient } from '../../shared/client/client.ts'
import { nodeTransport } from '../../shared/client/node.ts'
import { freshFolder } from './folder.ts'

export interface TestAgent {
  agent: Agent
  config: Config
  secret: string
  dataDir: string
  port: number
  /** Over the Unix socket, with the secret. */
  client: AgentClient
  /** A client of another kind: over TCP, with another secret or none, as another operator. */
  clientAs(options: { secret?: string; operator?: string }): AgentClient
  logged: string[]
  /** Stops the agent and starts it again on the same data. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** An agent in this process, on a free port and in a fresh folder. */
export async function startTestAgent(env: Record<string, string> = {}, own: AgentHooks = {}): Promise<TestAgent> {
  // One that was killed a moment ago may still be going.
  const hooks = { waitForFolderMs: 10_000, ...own }
  const { folder, remove } = freshFolder('agent')
  const secret = randomBytes(32).toString('base64url')
  const config = readConfig({
    PILOTHOUSE_DATA_DIR: path.join(folder, 'data'),
    PILOTHOUSE_SOCKET: path.join(folder, 'agent.sock'),
    PILOTHOUSE_PORT: '0',
    ...env,
  })
  const logged: string[] = []
  const log: Log = (level, message, fields) => void logged.push(`${level} ${message} ${JSON.stringify(fields ?? {})}`)
  const clients: AgentClient[] = []
  const make = (address: Parameters<typeof nodeTransport>[0], options: { secret?: string; operator?: string }) => {
    const client = new AgentClient(nodeTransport(address), {
      secret: () => options.secret,
      operator: () => options.operator,
    })
    clients.push(client)
    return client
  }
  let agent = await startAgent(config, secret, log, hooks)
  const rig: TestAgent = {
    agent,
    config,
    secret,
    dataDir: config.dataDir,
    port: agent.port ?? 0,
    client: make({ socketPath: path.join(folder, 'agent.sock') }, { secret, operator: 'Tester' }),
    clientAs: (options) => make({ host: '127.0.0.1', port: rig.port }, options),
    logged,
    async restart() {
      await agent.stop('restart')
      agent = await startAgent(config, secret, log, hooks)
      rig.agent = agent
      rig.port = agent.port ?? 0
    },
    async stop() {
      for (const client of clients) client.close()
      await agent.stop('the test is over')
      remove()
    },
  }
  return rig
}
