import type { ConsoleAction } from '../../app/action-kit.ts'
import { go } from '../../app/route.ts'
import { acceptOldest } from './operations.ts'
import { openRequests, useTakeovers } from './takeovers.store.ts'

export const takeoverActions: readonly ConsoleAction[] = [
  {
    id: 'go.takeovers',
    title: () => 'Go to Takeovers',
    group: 'Go',
    keys: 'g t',
    when: () => true,
    run: () => go({ screen: 'takeovers' }),
  },
  {
    id: 'takeovers.accept',
    title: () => 'Accept the takeover that has waited longest',
    group: 'Control',
    keys: 'shift+t',
    when: () => openRequests(useTakeovers.getState().requests).length > 0,
    run: acceptOldest,
  },
]
