import { type ConsoleAction, onMachine, onTab } from '../../app/action-kit.ts'
import { go } from '../../app/route.ts'
import { openDevTools } from './devtools/operations.ts'
import { openPanel, useInspectorPanel } from './inspector.store.ts'
import { inspectorPanels } from './panels.tsx'
import { hasPage } from './sessions.ts'

export const inspectorActions: readonly ConsoleAction[] = [
  onMachine({
    id: 'machine.inspector',
    title: () => 'Open the inspector',
    group: 'Inspector',
    keys: 'i i',
    when: (_machine, context) => !onTab(context, 'inspector'),
    run: (machine) => go({ screen: 'machine', machineId: machine.id, tab: 'inspector' }),
  }),
  onMachine({
    id: 'inspector.devtools',
    title: () => 'Open full DevTools',
    group: 'Inspector',
    keys: 'i f',
    when: hasPage,
    run: (machine) => void openDevTools(machine),
  }),
  ...inspectorPanels.map(({ value, title, keys }) =>
    onMachine({
      id: `inspector.${value}`,
      title: () => `Inspect: ${title}`,
      group: 'Inspector',
      keys,
      when: (_machine, context) => !onTab(context, 'inspector') || useInspectorPanel.getState().panel !== value,
      run: (machine) => openPanel(machine.id, value),
    }),
  ),
]
