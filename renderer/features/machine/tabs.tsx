import { LayoutDashboard, Monitor } from 'lucide-react'
import type { ReactNode } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import type { MachineTab } from '../../app/route.ts'
import { LiveTab } from '../live/LiveTab.tsx'
import { Overview } from './Overview.tsx'

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
]
