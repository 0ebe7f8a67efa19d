import { AgentClient } from '../../shared/client/client.ts'
import type { Tunnel as TunnelConfig } from '../../shared/domain/machine.ts'
import { Problem } from '../../shared/errors.ts'
import type { TunnelTestLink } from '../../shared/ipc.ts'
import type { SshConnections } from './ssh/connections.ts'
import type { Tunnel, TunnelOf } from './tunnel.ts'

export interface TestDeps {
  ssh: SshConnections
  open: (config: TunnelConfig) => Tunnel
}

const answerLimitMs = 8000

/** Each link of the way, as far as it holds; the first that does not says why and what to do. */
export async function testTunnel(
  config: TunnelConfig,
  secret: string | undefined,
  deps: TestDeps,
): Promise<TunnelTestLink[]> {
  if (config.kind === 'local') throw new Problem('invalid-params', 'This computer needs no tunnel.')
  const links: TunnelTestLink[] = []
  if (config.kind === 'ssh' && !(await testLogin(config, links, deps.ssh))) return links
  const tunnel = deps.open(config)
  const client = new AgentClient(tunnel.transport(), { secret: () => secret })
  try {
    const began = performance.now()
    const { agentVersion } = await client.call('machine.version', {}, { timeoutMs: answerLimitMs })
    const tookMs = Math.max(1, Math.round(performance.now() - began))
    if (config.kind !== 'ssh') links.push({ name: nameOf(config), state: 'up', detail: 'reached' })
    links.push({ name: 'Agent', state: 'up', detail: `${agentVersion} · ${tookMs} ms` })
    links.push(await testSecret(client, secret))
  } catch (error) {
    links.push(...brokenAt(config, Problem.from(error, 'unreachable')))
  } finally {
    tunnel.close()
  }
  return links
}

async function testLogin(config: TunnelOf<'ssh'>, links: TunnelTestLink[], ssh: SshConnections): Promise<boolean> {
  const { host, port, user } = config
  let told = false
  const connection = ssh.tryOut({ host, port, user }, ({ name, problem, detail }) => {
    told ||= problem !== undefined
    links.push({ name, state: problem === undefined ? 'up' : 'down', detail })
  })
  try {
    await connection.ready()
    return true
  } catch (error) {
    if (!told) links.push({ name: host, state: 'down', detail: Problem.from(error).message })
    return false
  } finally {
    connection.close()
  }
}

async function testSecret(client: AgentClient, secret: string | undefined): Promise<TunnelTestLink> {
  const name = 'Secret'
  if (secret === undefined || secret === '') return { name, state: 'unknown', detail: 'not entered yet' }
  try {
    await client.call('machine.status', {}, { timeoutMs: answerLimitMs })
    return { name, state: 'up', detail: 'accepted' }
  } catch (error) {
    const problem = Problem.from(error, 'unreachable')
    const refused = problem.status === 401
    return { name, state: 'down', detail: refused ? 'The agent refuses this secret.' : problem.message }
  }
}

/** A refused connection, or an answer that is not an agent's, is at the end of a way that holds. */
function brokenAt(config: TunnelConfig, problem: Problem): TunnelTestLink[] {
  const agent = (detail: string): TunnelTestLink => ({ name: 'Agent', state: 'down', detail })
  const code = problem.cause instanceof Error && 'code' in problem.cause ? problem.cause.code : undefined
  const reached = problem.code !== 'unreachable' && problem.code !== 'tunnel-setup' && problem.code !== 'forbidden'
  if (config.kind === 'ssh') return [agent(problem.message)]
  if (problem.code === 'timeout') return [{ name: nameOf(config), state: 'down', detail: problem.message }]
  if (code === 'ECONNREFUSED' || reached) {
    const detail =
      code === 'ECONNREFUSED'
        ? 'Nothing listens there. Is the agent running, and bound to that address?'
        : problem.message
    return [{ name: nameOf(config), state: 'up', detail: 'reached' }, agent(detail)]
  }
  return [{ name: nameOf(config), state: 'down', detail: problem.message }]
}

function nameOf(config: TunnelConfig): string {
  switch (config.kind) {
    case 'direct':
      return `${config.host}:${config.port}`
    case 'tailscale':
      return `${config.peer}:${config.port}`
    case 'ssh':
      return config.host
    case 'local':
      return 'this computer'
  }
}
