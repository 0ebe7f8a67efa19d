import type { BrowserStatus } from '../../../../shared/contract/browser.ts'
import type { DotLook } from '../../../ui/StateDot.tsx'

export type Status = BrowserStatus

/** Shape, colour and word of a browser's state; one that a newer agent knows is shown by its name. */
export function browserLook(state: Status['state']): DotLook & { word: string } {
  switch (state) {
    case 'active':
      return { tone: 'up', shape: 'round', word: 'Active' }
    case 'starting':
      return { tone: 'unknown', shape: 'round', pulsing: true, word: 'Starting' }
    case 'stopping':
      return { tone: 'unknown', shape: 'round', pulsing: true, word: 'Stopping' }
    case 'failed':
      return { tone: 'broken', shape: 'diamond', word: 'Failed' }
    case 'install_required':
      return { tone: 'broken', shape: 'diamond', word: 'Programs missing' }
    case 'inactive':
      return { tone: 'off', shape: 'square', word: 'Off' }
    default:
      return { tone: 'unknown', shape: 'diamond', word: state }
  }
}

const views: Record<string, string> = { vnc: 'VNC', screencast: 'Pictures over CDP', none: 'None' }

/** What is known of the browser, in the order in which it stands there. */
export function factsOf(status: Status): [name: string, value: string][] {
  const { display, resolution, url, contextId, liveView } = status
  return [
    ['Display', display ?? 'None'],
    ['Resolution', resolution === null ? '–' : `${resolution.width} × ${resolution.height}, ${resolution.dpi} dpi`],
    ['Picture', views[liveView] ?? liveView],
    ['Context', contextId ?? '–'],
    ['Page', url ?? '–'],
  ]
}
