import {
  ChartGantt,
  Container,
  Cpu,
  KeyRound,
  LayoutDashboard,
  Logs,
  Monitor,
  Rocket,
  Route,
  ScrollText,
  SquareMousePointer,
  SquareTerminal,
} from 'lucide-react'
import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import type { MachineTab } from '../../app/route.ts'
import { LiveTab } from '../live/LiveTab.tsx'

// Loaded when first shown: xterm and the charts are large, and most starts of the console need neither.
const InspectorTab = lazy(() =>
  import('../inspector/InspectorTab.tsx').then((part) => ({ default: part.InspectorTab })),
)
const TimelineTab = lazy(() => import('../timeline/TimelineTab.tsx').then((part) => ({ default: part.TimelineTab })))
const TerminalTab = lazy(() => import('../terminal/TerminalTab.tsx').then((part) => ({ default: part.TerminalTab })))
const LogsTab = lazy(() => import('../logs/LogsTab.tsx').then((part) => ({ default: part.LogsTab })))
const Overview = lazy(() => import('./Overview.tsx').then((part) => ({ default: part.Overview })))
const WorkersTab = lazy(() => import('../workers/WorkersTab.tsx').then((part) => ({ default: part.WorkersTab })))
const ContainersTab = lazy(() =>
  import('../containers/ContainersTab.tsx').then((part) => ({ default: part.ContainersTab })),
)
const EnvTab = lazy(() => import('../env/EnvTab.tsx').then((part) => ({ default: part.EnvTab })))
const MachineDeploys = lazy(() =>
  import('../deploys/MachineDeploys.tsx').then((part) => ({ default: part.MachineDeploys })),
)
const AuditTab = lazy(() => import('../machine-audit/AuditTab.tsx').then((part) => ({ default: part.AuditTab })))
const ConnectionTab = lazy(() =>
  import('../connection/ConnectionTab.tsx').then((part) => ({ default: part.ConnectionTab })),
)

interface TabOfMachine {
  value: MachineTab
  title: string
  icon: ReactNode
  content: (machine: MachineView) => ReactNode
}

/** A tab that starts anew for each machine, and is loaded with its first showing. */
const whenShown = (Tab: ComponentType<{ machine: MachineView }>) => (machine: MachineView) => (
  <Suspense>
    <Tab key={machine.id} machine={machine} />
  </Suspense>
)

/** The parts of a machine's page, in the order in which they stand. */
export const tabsOfMachine: readonly TabOfMachine[] = [
  {
    value: 'live',
    title: 'Live',
    icon: <Monitor size={15} aria-hidden />,
    content: (machine) => <LiveTab machine={machine} />,
  },
  {
    value: 'inspector',
    title: 'Inspector',
    icon: <SquareMousePointer size={15} aria-hidden />,
    content: whenShown(InspectorTab),
  },
  {
    value: 'timeline',
    title: 'Timeline',
    icon: <ChartGantt size={15} aria-hidden />,
    content: whenShown(TimelineTab),
  },
  {
    value: 'overview',
    title: 'Overview',
    icon: <LayoutDashboard size={15} aria-hidden />,
    content: whenShown(Overview),
  },
  {
    value: 'terminal',
    title: 'Terminal',
    icon: <SquareTerminal size={15} aria-hidden />,
    content: whenShown(TerminalTab),
  },
  {
    value: 'logs',
    title: 'Logs',
    icon: <Logs size={15} aria-hidden />,
    content: whenShown(LogsTab),
  },
  {
    value: 'workers',
    title: 'Workers',
    icon: <Cpu size={15} aria-hidden />,
    content: whenShown(WorkersTab),
  },
  {
    value: 'containers',
    title: 'Containers',
    icon: <Container size={15} aria-hidden />,
    content: whenShown(ContainersTab),
  },
  {
    value: 'env',
    title: 'Env',
    icon: <KeyRound size={15} aria-hidden />,
    content: whenShown(EnvTab),
  },
  {
    value: 'deploys',
    title: 'Deploys',
    icon: <Rocket size={15} aria-hidden />,
    content: whenShown(MachineDeploys),
  },
  {
    value: 'audit',
    title: 'Audit',
    icon: <ScrollText size={15} aria-hidden />,
    content: whenShown(AuditTab),
  },
  {
    value: 'connection',
    title: 'Connection',
    icon: <Route size={15} aria-hidden />,
    content: whenShown(ConnectionTab),
  },
]
