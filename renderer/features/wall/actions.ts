import type { ConsoleAction } from '../../app/action-kit.ts'
import { go } from '../../app/route.ts'

export const wallActions: readonly ConsoleAction[] = [
  {
    id: 'go.wall',
    title: () => 'Go to the wall of live pictures',
    group: 'Go',
    keys: 'g l',
    when: () => true,
    run: () => go({ screen: 'wall' }),
  },
]
