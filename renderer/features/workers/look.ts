import type { WorkerView } from '../../../shared/contract/workers.ts'
import type { DotLook } from '../../ui/StateDot.tsx'

/** How a worker's status looks and is called. */
export function workerLook(status: WorkerView['status']): DotLook & { word: string } {
  switch (status) {
    case 'idle':
      return { tone: 'up', shape: 'round', word: 'Idle' }
    case 'busy':
      return { tone: 'engine', shape: 'round', word: 'Busy' }
    case 'draining':
      return { tone: 'engine', shape: 'diamond', word: 'Draining' }
    case 'stopped':
      return { tone: 'off', shape: 'square', word: 'Stopped' }
    case 'running':
      return { tone: 'unknown', shape: 'diamond', word: 'Silent' }
    default:
      return { tone: 'unknown', shape: 'diamond', word: status }
  }
}

/** What Docker says and what the worker's own server says are two truths: both are shown. */
export function truths(status: WorkerView['status']): { container: string; server: string } {
  if (status === 'stopped') return { container: 'stopped', server: '–' }
  if (status === 'running') return { container: 'runs', server: 'does not answer' }
  return { container: 'runs', server: status }
}

/** Why a worker cannot be drained; undefined when it can. */
export function whyNoDrain(status: WorkerView['status']): string | undefined {
  if (status === 'stopped') return 'It is stopped: there is nothing to drain.'
  if (status === 'draining') return 'It drains already.'
  return undefined
}
