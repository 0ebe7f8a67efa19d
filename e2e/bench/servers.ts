import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { agentEnv } from '../rigs/agent-process.ts'
import { builtAgent, nodeProgram } from '../rigs/built.ts'
import { freshFolder } from '../rigs/folder.ts'
import { type Answering, startUntilAnswer } from './first-answer.ts'

/** Our agent and the bare server, started the same way. */
export interface Servers {
  startAgent(): Promise<Answering>
  startBare(): Promise<Answering>
  close(): Promise<void>
}

export async function prepareServers(): Promise<Servers> {
  const bundle = await builtAgent()
  // Kept over the runs: an agent starts on the data of its last run, not on a new disk.
  const { folder, remove } = freshFolder('bench')
  const secret = randomBytes(32).toString('base64url')
  const agentSocket = path.join(folder, 'agent.sock')
  // Both keep their compiled code, as the service unit lets the agent do.
  const NODE_COMPILE_CACHE = path.join(folder, 'code-cache')
  let starts = 0
  return {
    startAgent: () =>
      startUntilAnswer(nodeProgram, [bundle, 'serve'], agentSocket, {
        env: agentEnv(folder, { PILOTHOUSE_SECRET: secret, NODE_COMPILE_CACHE }),
      }),
    startBare() {
      // A new one each time: so bare a server leaves its socket behind.
      const socket = path.join(folder, `bare-${starts++}.sock`)
      return startUntilAnswer(nodeProgram, [path.join(import.meta.dirname, 'bare-server.mjs'), socket], socket, {
        env: { ...process.env, NODE_COMPILE_CACHE },
      })
    },
    close: async () => remove(),
  }
}
