import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { AgentClient } from '../../shared/client/client.ts'
import { nodeTransport } from '../../shared/client/node.ts'
import { builtAgent, nodeProgram } from './built.ts'
import { freshFolder } from './folder.ts'
import { type Program, startProgram } from './program.ts'

export interface AgentProcess {
  pid: number
  secret: string
  socketPath: string
  dataDir: string
  client: AgentClient
  program: Program
  stop(): Promise<void>
}

/** The environment of an agent that shares nothing with one that may be installed here. */
export function agentEnv(folder: string, more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('PILOTHOUSE_'))
  return {
    ...Object.fromEntries(own),
    PILOTHOUSE_DATA_DIR: path.join(folder, 'data'),
    PILOTHOUSE_SOCKET: path.join(folder, 'agent.sock'),
    PILOTHOUSE_PORT: 'off',
    ...more,
  }
}

/** The bundled agent as a process of its own, as it runs on a machine; `by` is a command that starts another. */
export async function startAgentProcess(
  more: Record<string, string> = {},
  by: readonly string[] = [],
): Promise<AgentProcess> {
  const bundle = await builtAgent()
  const { folder, remove } = freshFolder('agentp')
  const secret = randomBytes(32).toString('base64url')
  const socketPath = path.join(folder, 'agent.sock')
  const [first = nodeProgram, ...args] = [...by, nodeProgram, bundle, 'serve']
  const program = await startProgram(first, args, {
    env: agentEnv(folder, { PILOTHOUSE_SECRET: secret, ...more }),
  })
  const client = new AgentClient(nodeTransport({ socketPath }), { secret: () => secret, operator: () => 'Tester' })
  const stop = async () => {
    client.close()
    await program.end()
    remove()
  }
  try {
    await program.ready('the agent', () => client.call('machine.health'))
  } catch (error) {
    await stop()
    throw error
  }
  return { pid: program.pid, secret, socketPath, dataDir: path.join(folder, 'data'), client, program, stop }
}
