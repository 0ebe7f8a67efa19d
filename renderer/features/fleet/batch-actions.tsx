import { GitCompareArrows, Play, Power, Rocket, SquareTerminal, Waves } from 'lucide-react'
import type { ReactNode } from 'react'
import { openNewDeploy } from '../deploys/operations.ts'
import {
  compareSelected,
  drainSelected,
  openRunCommand,
  selectedMachines,
  startSelected,
  stopSelected,
} from './operations.ts'

/** What the bar above the fleet offers for the selected machines, in this order. */
export interface BatchAction {
  id: string
  title: string
  icon: ReactNode
  run: () => void
}

const deploySelected = () => openNewDeploy(selectedMachines().map(({ id }) => id))

export const batchActions: readonly BatchAction[] = [
  { id: 'fleet.start', title: 'Start', icon: <Play size={15} aria-hidden />, run: () => startSelected() },
  { id: 'fleet.stop', title: 'Stop', icon: <Power size={15} aria-hidden />, run: () => stopSelected() },
  { id: 'fleet.drain', title: 'Drain', icon: <Waves size={15} aria-hidden />, run: () => drainSelected() },
  { id: 'fleet.deploy', title: 'Deploy…', icon: <Rocket size={15} aria-hidden />, run: deploySelected },
  {
    id: 'fleet.compare-env',
    title: 'Compare env',
    icon: <GitCompareArrows size={15} aria-hidden />,
    run: compareSelected,
  },
  {
    id: 'fleet.run',
    title: 'Run a command',
    icon: <SquareTerminal size={15} aria-hidden />,
    run: openRunCommand,
  },
]
