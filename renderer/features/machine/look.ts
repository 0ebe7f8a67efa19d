import type { Link, LinkName, MachineView } from '../../../shared/domain/machine.ts'
import type { DotLook } from '../../ui/StateDot.tsx'
import { driverTitle } from '../engine/driver-title.ts'

export const environmentNames = { dev: 'dev', staging: 'staging', prod: 'prod' } as const satisfies Record<
  MachineView['environment'],
  string
>
export const machineTypeNames = {
  ec2: 'EC2',
  macos: 'macOS',
  local_docker: 'Local',
  ssh_host: 'Linux host',
} as const satisfies Record<MachineView['machineType'], string>

export interface StateLook extends DotLook {
  word: string
}

/** How a machine's state looks and is called: first who drives, then what state it is in. */
export function machineLook(machine: MachineView): StateLook {
  return { ...stateLook(machine), hollow: machine.knownFrom === 'cache' }
}

function stateLook(machine: MachineView): StateLook {
  switch (machine.state) {
    case 'starting':
      return { tone: 'engine', shape: 'round', word: 'Starting', pulsing: true }
    case 'running':
      if (machine.lease?.mine === true) return { tone: 'person', shape: 'diamond', word: 'You control' }
      if (machine.lease !== null) return { tone: 'person', shape: 'round', word: 'Taken over' }
      if (machine.browser?.state === 'failed') return { tone: 'broken', shape: 'diamond', word: 'Browser failed' }
      if (machine.helpWanted) return { tone: 'person', shape: 'diamond', word: 'Needs you' }
      // Green is up with nobody driving; what an engine drives is blue.
      return { tone: machine.driver === null ? 'up' : 'engine', shape: 'round', word: 'Running' }
    case 'paused':
      return { tone: 'person', shape: 'square', word: 'Paused' }
    case 'killed':
      return { tone: 'broken', shape: 'square', word: 'Killed' }
    case 'expired':
      return { tone: 'expired', shape: 'square', word: 'Expired' }
    case 'terminated':
      return { tone: 'off', shape: 'square', word: 'Stopped' }
    case 'unknown':
      return { tone: 'unknown', shape: 'diamond', word: 'Unknown' }
  }
}

/** Whether a person should look at it. */
export function needsAttention(machine: MachineView): boolean {
  return (
    machine.state === 'unknown' ||
    machine.state === 'killed' ||
    machine.state === 'expired' ||
    machine.lease?.mine === true ||
    machine.helpWanted ||
    machine.browser?.state === 'failed'
  )
}

/** In the order in which a keystroke passes them. */
export const linkOrder: readonly LinkName[] = ['laptop', 'tunnel', 'agent', 'docker', 'browser']

export const linkTitles = {
  laptop: 'Laptop',
  tunnel: 'Tunnel',
  agent: 'Agent',
  docker: 'Docker',
  browser: 'Browser',
} as const satisfies Record<LinkName, string>

/** The light of one link of the chain. A browser in a person's hands is amber, in an engine's blue, as everywhere. */
export function linkLook(name: LinkName, link: Link, machine: MachineView): StateLook {
  if (name === 'browser' && link.state === 'up' && machine.lease !== null)
    return { tone: 'person', shape: 'round', word: machine.lease.mine ? 'you' : machine.lease.operator }
  if (name === 'browser' && link.state === 'up' && machine.driver !== null)
    return { tone: 'engine', shape: 'round', word: driverTitle(machine.driver) }
  switch (link.state) {
    case 'up':
      return { tone: 'up', shape: 'round', word: 'up' }
    case 'down':
      return { tone: 'broken', shape: 'diamond', word: 'down' }
    case 'busy':
      return { tone: 'engine', shape: 'round', word: 'starting', pulsing: true }
    case 'off':
      return { tone: 'off', shape: 'square', word: 'off' }
    case 'unknown':
      return { tone: 'unknown', shape: 'diamond', word: 'unknown' }
  }
}

/** The figure beside a link's name: round trip, version, resolution. */
export function linkFigure(name: LinkName, machine: MachineView): string | null {
  if (machine.links[name].state !== 'up') return null
  if (name === 'tunnel' && machine.roundTripMs !== null) return `${Math.round(machine.roundTripMs)} ms`
  // Its version, and how far its clock is off.
  if (name === 'agent') return machine.links.agent.detail || machine.agentVersion
  const resolution = machine.browser?.resolution
  if (name === 'browser' && resolution) return `${resolution.width} × ${resolution.height}`
  return null
}
