import { LayoutDashboard, Monitor, SquareTerminal } from 'lucide-react'
import { lazy, type ReactNode, Suspense } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import type { MachineTab } from '../../app/route.ts'
import { LiveTab } from '../live/LiveTab.tsx'
import { Overview } from './Overview.tsx'

// Loaded when first shown: xterm is large, and most starts of the console never need it.
const TerminalTab = lazy(() => import('../terminal/TerminalTab.tsx').then((part) => ({ default: part.TerminalTab })))

interface TabOfMachine {
  value: MachineTab
  title: string
  icon: ReactNode
  content: (machine: MachineView) => ReactNode
}

/** The parts of a machine's page, in the order in which they stand. */
export const tabsOfMachine: readonly TabOfMachine[] = [
  {
    value: 'live',
    title: 'Live',
    icon: <Monitor size={15} aria-hidden />,
    content: (machine) => <LiveTab machine={machine} />,
  },
  {
    value: 'overview',
    title: 'Overview',
    icon: <LayoutDashboard size={15} aria-hidden />,
    content: (machine) => <Overview machine={machine} />,
  },
  {
    value: 'terminal',
    title: 'Terminal',
    icon: <SquareTerminal size={15} aria-hidden />,
    content: (machine) => (
      <Suspense>
        <TerminalTab key={machine.id} machine={machine} />
      </Suspense>
    ),
  },
]
