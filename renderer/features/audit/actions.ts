import type { ConsoleAction } from '../../app/action-kit.ts'
import { exportAudit, nothingWanted, toggleFollow, useAudit, verifyAll, want } from './audit.store.ts'
import { askable } from './sources.ts'

const onAudit: ConsoleAction['when'] = ({ route }) => route.screen === 'audit'

/** What can be done on the audit's screen. */
export const auditActions: readonly ConsoleAction[] = [
  {
    id: 'audit.search',
    title: () => 'Search the audit',
    group: 'Audit',
    keys: 'u /',
    when: onAudit,
    run: () => document.querySelector<HTMLElement>('[data-testid="audit-search"]')?.focus(),
  },
  {
    id: 'audit.follow',
    title: () => (useAudit.getState().following ? 'Stop following the audit' : 'Follow the audit live'),
    group: 'Audit',
    keys: 'u f',
    when: onAudit,
    run: toggleFollow,
  },
  {
    id: 'audit.show-all',
    title: () => 'Show the whole audit',
    group: 'Audit',
    keys: 'u a',
    when: onAudit,
    run: () => want(nothingWanted),
  },
  {
    id: 'audit.verify',
    title: () => 'Check the chains of every audit',
    group: 'Audit',
    keys: 'u v',
    when: onAudit,
    run: () => void verifyAll(askable()),
  },
  {
    id: 'audit.csv',
    title: () => 'Export the audit as CSV…',
    group: 'Audit',
    keys: 'u c',
    when: onAudit,
    run: () => void exportAudit('csv'),
  },
  {
    id: 'audit.json',
    title: () => 'Export the audit as JSON…',
    group: 'Audit',
    keys: 'u j',
    when: onAudit,
    run: () => void exportAudit('json'),
  },
]
