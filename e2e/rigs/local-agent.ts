import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { AgentClient } from '../../shared/client/client.ts'
import { nodeTransport } from '../../shared/client/node.ts'
import type { TestConsole } from './electron.ts'
import { markedProcesses } from './processes.ts'
import { until } from './until.ts'

/** The agent a console started for this computer, reached as someone who knows its secret. */
export interface LocalAgentAccess {
  pid: number
  socketPath: string
  dataDir: string
  client: AgentClient
}

/** Waits for the console's local agent and finds the way in: its secret stands in the environment it was started with. */
export function localAgentOf(console: Pick<TestConsole, 'tempDir' | 'marker'>): Promise<LocalAgentAccess> {
  return until('the agent of this computer', () => {
    const [socketPath] = agentSockets(console.tempDir)
    const agent = markedProcesses(console.marker).find(({ command }) => command.includes('pilothouse-agent.mjs serve'))
    if (socketPath === undefined || agent === undefined) return undefined
    const environment = readFileSync(`/proc/${agent.pid}/environ`, 'utf8').split('\0')
    const variable = (name: string) => environment.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1)
    const secret = variable('PILOTHOUSE_SECRET')
    const dataDir = variable('PILOTHOUSE_DATA_DIR')
    if (secret === undefined || dataDir === undefined) return undefined
    const options = { secret: () => secret, operator: () => 'Someone else' }
    return { pid: agent.pid, socketPath, dataDir, client: new AgentClient(nodeTransport({ socketPath }), options) }
  })
}

/** The Unix sockets that consoles made for their agents in this folder. */
export function agentSockets(tempDir: string): string[] {
  return globSync('pilothouse-*/agent.sock', { cwd: tempDir }).map((name) => path.join(tempDir, name))
}
