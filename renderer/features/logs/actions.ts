import { type ActionContext, type ConsoleAction, onMachine, onTab } from '../../app/action-kit.ts'
import { go } from '../../app/route.ts'
import { choose, useChoices } from './choices.store.ts'
import { currentLogs, download, showLogs } from './operations.ts'

const shown = (context: ActionContext) => context.route.screen === 'logs' || onTab(context, 'logs')

function viewOf({ route }: ActionContext): string | undefined {
  if (route.screen === 'logs') return `machines ${route.machineIds.join(' ')}`
  return route.screen === 'machine' ? `machine ${route.machineId}` : undefined
}

const element = (testId: string) => document.querySelector<HTMLElement>(`[data-testid="${testId}"]`)

/** What can be done with logs. */
export const logsActions: readonly ConsoleAction[] = [
  onMachine({
    id: 'machine.logs',
    title: () => 'Show Logs',
    group: 'Machine',
    keys: 'm l',
    when: (_machine, context) => !onTab(context, 'logs'),
    run: showLogs,
  }),
  {
    id: 'go.logs',
    title: () => 'Go to Logs of all machines',
    group: 'Go',
    keys: 'g o',
    when: () => true,
    run: () => go({ screen: 'logs', machineIds: [] }),
  },
  {
    id: 'logs.search',
    title: () => 'Search the lines',
    group: 'Logs',
    keys: 'mod+f',
    when: shown,
    run: () => element('logs-search')?.focus(),
  },
  {
    id: 'logs.pause',
    title: () => (currentLogs.session?.state.getState().paused === true ? 'Go on with the lines' : 'Pause the lines'),
    group: 'Logs',
    keys: 'ctrl+alt+p',
    always: true,
    when: shown,
    run: () => currentLogs.session?.pause(!currentLogs.session.state.getState().paused),
  },
  {
    id: 'logs.follow',
    title: () => 'Follow the newest line',
    group: 'Logs',
    keys: 'shift+g',
    when: shown,
    run: () => element('logs-follow')?.click(),
  },
  {
    id: 'logs.wrap',
    title: () => 'Wrap long lines, or not',
    group: 'Logs',
    keys: 'alt+z',
    when: shown,
    run: (context) => {
      const view = viewOf(context)
      if (view !== undefined) choose(view, { wrap: useChoices.getState().views[view]?.wrap !== true })
    },
  },
  {
    id: 'logs.jump',
    title: () => 'Jump to a time…',
    group: 'Logs',
    keys: 'shift+j',
    when: shown,
    run: () => {
      element('logs-more')?.click()
      requestAnimationFrame(() => element('menu-logs-jump')?.click())
    },
  },
  {
    id: 'logs.clear',
    title: () => 'Clear the view of lines',
    group: 'Logs',
    keys: 'alt+l',
    when: shown,
    run: () => currentLogs.session?.post({ type: 'clear' }),
  },
  {
    id: 'logs.download',
    title: () => 'Download the lines in view',
    group: 'Logs',
    keys: 'alt+d',
    when: shown,
    run: () => {
      if (currentLogs.session !== null) void download(currentLogs.session, 'text')
    },
  },
]
