import type { ContainerView } from '../../../shared/contract/docker.ts'
import type { DotLook } from '../../ui/StateDot.tsx'

/** How a container's state looks and is called. */
export function containerLook(state: string): DotLook & { word: string } {
  switch (state) {
    case 'running':
      return { tone: 'up', shape: 'round', word: 'Running' }
    case 'restarting':
      return { tone: 'engine', shape: 'round', word: 'Restarting', pulsing: true }
    case 'created':
      return { tone: 'off', shape: 'square', word: 'Created' }
    case 'exited':
      return { tone: 'off', shape: 'square', word: 'Exited' }
    case 'dead':
      return { tone: 'broken', shape: 'diamond', word: 'Dead' }
    case 'paused':
      return { tone: 'off', shape: 'square', word: 'Paused' }
    default:
      return { tone: 'unknown', shape: 'diamond', word: state }
  }
}

/** `127.0.0.1:8080 → 80`; the same port on two addresses is said once. */
export function portsText(ports: ContainerView['ports']): string {
  const texts = ports.map(({ publicPort, privatePort, ip, type }) => {
    const inside = type === 'tcp' ? `${privatePort}` : `${privatePort}/${type}`
    if (publicPort === null) return inside
    const outside = ip === null || ip === '0.0.0.0' || ip === '::' ? `${publicPort}` : `${ip}:${publicPort}`
    return `${outside} → ${inside}`
  })
  return [...new Set(texts)].join(', ')
}

/** Which of the fleet's services it is; null for a container of someone else's. */
export function serviceOf({ labels }: Pick<ContainerView, 'labels'>): string | null {
  return labels['gh.managed'] === 'true' ? (labels['gh.service'] ?? null) : null
}
