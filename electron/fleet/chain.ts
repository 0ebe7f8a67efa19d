import type { CallResult } from '../../shared/contract/index.ts'
import type { Link, MachineView } from '../../shared/domain/machine.ts'
import type { Problem, ProblemCode } from '../../shared/errors.ts'
import { isDead } from './lifecycle-record.ts'

export interface ChainFacts {
  state: MachineView['state']
  /** How the tunnel names itself: an address, or this computer. */
  tunnelDetail: string
  isLocal: boolean
  connected: boolean
  /** What stands in the way, if something does. */
  problem: Problem | undefined
  /** A check is under way, in words. */
  checking: string | undefined
  agentVersion: string | null
  roundTripMs: number | null
  /** How far the machine's clock is ahead of this computer's; null where it did not say. */
  clockAheadMs: number | null
  capabilities: MachineView['capabilities']
  browser: CallResult<'browser.status'> | null
}

const off: Link = { state: 'off', detail: 'off' }
const unknown: Link = { state: 'unknown', detail: 'not known' }
const laptop: Link = { state: 'up', detail: 'this console' }

/** A person has to mend the way itself; the agent was not asked. */
const tunnelIsBroken: ReadonlySet<string> = new Set<ProblemCode>([
  ...(['forbidden', 'tunnel-setup', 'ssh-auth-failed', 'host-key-changed', 'host-key-unknown'] as const),
])

/** The host refused or nothing listens there: the way is open, the agent is not at its end. */
const agentIsMissing = new Set(['ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE'])

/** Laptop, tunnel, agent, Docker, browser: which link holds, and which one broke. */
export function linksOf(facts: ChainFacts): MachineView['links'] {
  // Of a sandbox that lost its browser alone, the other links hold.
  if (isDead(facts.state) && !facts.connected) {
    return { laptop, tunnel: off, agent: { ...off, detail: facts.state }, docker: off, browser: off }
  }
  if (facts.connected) {
    const delay = facts.roundTripMs === null ? '' : `${Math.max(1, Math.round(facts.roundTripMs))} ms`
    return {
      laptop,
      tunnel: { state: 'up', detail: facts.isLocal ? delay : [facts.tunnelDetail, delay].filter(Boolean).join(' · ') },
      agent: { state: 'up', detail: [facts.agentVersion ?? '', ...clockWords(facts.clockAheadMs)].join(' · ') },
      docker: dockerLink(facts.capabilities['docker']),
      browser: browserLink(facts.browser),
    }
  }
  const { tunnel, agent } = brokenLink(facts)
  return { laptop, tunnel, agent, docker: unknown, browser: unknown }
}

function brokenLink(facts: ChainFacts): { tunnel: Link; agent: Link } {
  const tunnelUp: Link = { state: 'up', detail: facts.tunnelDetail }
  if (facts.problem === undefined) {
    const busy: Link = { state: 'busy', detail: facts.checking ?? 'connecting' }
    return { tunnel: { ...tunnelUp, state: 'busy' }, agent: busy }
  }
  const { code, message, cause } = facts.problem
  const state = facts.checking === undefined ? 'down' : 'busy'
  const detail = facts.checking ?? message
  if (code === 'no-keychain') return { tunnel: unknown, agent: { state: 'unknown', detail: message } }
  if (tunnelIsBroken.has(code)) return { tunnel: { state: 'down', detail: message }, agent: unknown }
  const errno = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  if (code === 'unreachable' && !agentIsMissing.has(errno) && !facts.isLocal) {
    return { tunnel: { state, detail }, agent: unknown }
  }
  return { tunnel: tunnelUp, agent: { state, detail } }
}

const minute = 60_000
/** Clocks are seldom closer than this, and nobody takes one time for another by it. */
const tellClockMs = minute
/** A clock that is off by more was never set: how far says nothing. */
const mostHours = 48

/** Every time that a machine tells is its own clock's: whoever compares it with a watch has to know. */
function clockWords(aheadMs: number | null): string[] {
  if (aheadMs === null || Math.abs(aheadMs) < tellClockMs) return []
  const minutes = Math.round(Math.abs(aheadMs) / minute)
  const hours = Math.floor(minutes / 60)
  if (hours >= mostHours) return ['clock wrong by days']
  const far = [hours > 0 ? `${hours} h` : '', minutes % 60 > 0 ? `${minutes % 60} min` : ''].filter(Boolean).join(' ')
  return [`clock ${far} ${aheadMs > 0 ? 'ahead' : 'behind'}`]
}

function dockerLink(docker: MachineView['capabilities'][string] | undefined): Link {
  if (docker === undefined) return unknown
  return { state: docker.available ? 'up' : 'off', detail: docker.detail }
}

function browserLink(browser: ChainFacts['browser']): Link {
  if (browser === null) return unknown
  switch (browser.state) {
    case 'active': {
      const size = browser.resolution
      return { state: 'up', detail: size === null ? 'active' : `${size.width} × ${size.height}` }
    }
    case 'starting':
    case 'stopping':
      return { state: 'busy', detail: browser.state }
    case 'inactive':
      return { state: 'off', detail: 'not started' }
    case 'install_required':
      return { state: 'down', detail: `missing: ${browser.missingDependencies.join(', ')}` }
    default:
      return { state: 'down', detail: browser.lastError?.message ?? browser.state }
  }
}
