import type { MachineView } from '../../../shared/domain/machine.ts'
import type { ShownProblem } from '../../ui/ErrorText.tsx'
import type { StateLook } from '../machine/look.ts'

export const healths = ['healthy', 'degraded', 'unhealthy', 'unknown', 'offline'] as const
export type Health = (typeof healths)[number]

/** How well a machine is, beside what state it is in: remembered is not healthy, and off is not ill. */
export function healthOf(machine: MachineView): Health {
  switch (machine.state) {
    case 'paused':
    case 'terminated':
      return 'offline'
    case 'killed':
    case 'expired':
      return 'unhealthy'
    case 'unknown':
    case 'starting':
      return 'unknown'
    case 'running':
      break
  }
  if (machine.knownFrom === 'cache') return 'unknown'
  const { links, browser, problem, health } = machine
  if (browser?.state === 'failed' || links.agent.state === 'down' || links.tunnel.state === 'down') return 'unhealthy'
  if (health?.status === 'error') return 'unhealthy'
  if (problem !== null || health?.status === 'degraded' || Object.values(links).some((link) => link.state === 'down'))
    return 'degraded'
  return 'healthy'
}

/** What is wrong with a machine that is there: what a check found, or what it says of itself. */
export function troubleOf({ problem, health }: MachineView): ShownProblem | null {
  if (problem !== null) return { ...problem, title: 'What the last check found' }
  if (health === null || health.status === 'ok') return null
  return { title: 'The machine says that it is not well', detail: health.reason, code: health.status }
}

export const healthLooks: Record<Health, StateLook> = {
  healthy: { tone: 'up', shape: 'round', word: 'Healthy' },
  degraded: { tone: 'unknown', shape: 'diamond', word: 'Degraded' },
  unhealthy: { tone: 'broken', shape: 'diamond', word: 'Unhealthy' },
  unknown: { tone: 'unknown', shape: 'diamond', word: 'Unknown' },
  offline: { tone: 'off', shape: 'square', word: 'Offline' },
}
