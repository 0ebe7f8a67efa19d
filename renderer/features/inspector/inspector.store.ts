import { create } from 'zustand'
import { go } from '../../app/route.ts'

/** Which panel is open; the same on every machine, since a person looks for one thing at a time. */
export const useInspectorPanel = create<{ panel: string }>(() => ({ panel: 'console' }))

export function openPanel(machineId: string, panel: string): void {
  useInspectorPanel.setState({ panel })
  go({ screen: 'machine', machineId, tab: 'inspector' })
}
