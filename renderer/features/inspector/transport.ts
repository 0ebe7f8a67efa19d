import type { CallResult } from '../../../shared/contract/index.ts'
import type { PortStream } from '../../../shared/stream.ts'
import { callAgent, onIpcEvent } from '../../app/bridge.ts'
import { openStream } from '../../app/streams.ts'

export type PageTab = CallResult<'tabs.list'>['tabs'][number]

/** What an inspector's session needs of the machine; over main in the app, made up in tests. */
export interface InspectorTransport {
  open(targetId: string, role: 'observer' | 'controller'): Promise<PortStream>
  tabs(): Promise<readonly PageTab[]>
  /** Something moved: a page went elsewhere, or another tab came to the front. */
  onMoved(listener: () => void): () => void
}

/** Main adds the lease for a controller; without one it refuses. */
export function ipcTransport(machineId: string): InspectorTransport {
  return {
    open: (targetId, role) => openStream(machineId, 'cdpPage', { targetId, role }),
    tabs: async () => (await callAgent(machineId, 'tabs.list', {})).tabs,
    onMoved: (listener) =>
      onIpcEvent('agent.event', ({ machineId: of, event }) => {
        if (of === machineId && event.type === 'page_navigated') listener()
      }),
  }
}
