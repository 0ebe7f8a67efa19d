import {
  Activity,
  Braces,
  Camera,
  Clapperboard,
  Database,
  FolderClosed,
  ListTree,
  SquareTerminal,
  Waypoints,
} from 'lucide-react'
import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import type { InspectorSession } from './session.ts'

export interface PanelProps {
  machine: MachineView
  session: InspectorSession
}

export interface InspectorPanel {
  value: string
  title: string
  icon: ReactNode
  /** Keys that open it from anywhere on the machine's page. */
  keys: string
  /** It is about the machine as much as about a page, and of use without a browser. */
  withoutPage: boolean
  content: (machine: MachineView, session: InspectorSession) => ReactNode
}

/** A panel that is loaded with its first showing. */
function panel(
  value: string,
  title: string,
  keys: string,
  icon: ReactNode,
  load: () => Promise<ComponentType<PanelProps>>,
  withoutPage = false,
): InspectorPanel {
  const Content = lazy(async () => ({ default: await load() }))
  const content: InspectorPanel['content'] = (machine, session) => (
    <Suspense>
      <Content key={machine.id} machine={machine} session={session} />
    </Suspense>
  )
  return { value, title, keys, icon, withoutPage, content }
}

// biome-ignore format: one line for each panel
/** The panels, in the order in which they stand. */
export const inspectorPanels: readonly InspectorPanel[] = [
  panel('console', 'Console', 'i c', <SquareTerminal size={15} aria-hidden />, async () => (await import('./console/ConsolePanel.tsx')).ConsolePanel),
  panel('network', 'Network', 'i n', <Waypoints size={15} aria-hidden />, async () => (await import('./network/NetworkPanel.tsx')).NetworkPanel),
  panel('elements', 'Elements', 'i e', <ListTree size={15} aria-hidden />, async () => (await import('./elements/ElementsPanel.tsx')).ElementsPanel),
  panel('evaluate', 'Evaluate', 'i j', <Braces size={15} aria-hidden />, async () => (await import('./evaluate/EvaluatePanel.tsx')).EvaluatePanel),
  panel('storage', 'Storage', 'i s', <Database size={15} aria-hidden />, async () => (await import('./storage/StoragePanel.tsx')).StoragePanel),
  panel('capture', 'Capture', 'i p', <Camera size={15} aria-hidden />, async () => (await import('./capture/CapturePanel.tsx')).CapturePanel),
  panel('contexts', 'Contexts', 'i u', <FolderClosed size={15} aria-hidden />, async () => (await import('./contexts/ContextsPanel.tsx')).ContextsPanel, true),
  panel('recordings', 'Recordings', 'i r', <Clapperboard size={15} aria-hidden />, async () => (await import('./recordings/RecordingsPanel.tsx')).RecordingsPanel, true),
  panel('diagnostics', 'Diagnostics', 'i d', <Activity size={15} aria-hidden />, async () => (await import('./diagnostics/DiagnosticsPanel.tsx')).DiagnosticsPanel, true),
]
