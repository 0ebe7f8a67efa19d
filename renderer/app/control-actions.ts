import { type ActionContext, type ConsoleAction, onTab } from './action-kit.ts'
import { go, type SettingsSection } from './route.ts'

/** A control of a screen that has keys of its own: pressing it is the action, and it is there while the control is. */
function control(
  testId: string,
  id: string,
  title: string,
  group: string,
  keys: string,
  where: (context: ActionContext) => boolean,
): ConsoleAction {
  const shown = () =>
    typeof document === 'undefined' ? null : document.querySelector<HTMLElement>(`[data-testid="${testId}"]`)
  return {
    ...{ id, group, keys },
    title: () => title,
    when: (context) => {
      if (!where(context)) return false
      const found = shown()
      return found !== null && found.getAttribute('aria-disabled') !== 'true'
    },
    run: () => {
      shown()?.focus()
      shown()?.click()
    },
  }
}

const tab = (name: string) => (context: ActionContext) => onTab(context, name)
const screen = (name: string) => (context: ActionContext) => context.route.screen === name
const anyOf =
  (...places: ((context: ActionContext) => boolean)[]) =>
  (context: ActionContext) =>
    places.some((place) => place(context))
const workers = anyOf(tab('workers'), screen('workers'))

const section = (name: SettingsSection, title: string, keys: string): ConsoleAction => ({
  id: `settings.${name}`,
  title: () => `Settings: ${title}`,
  group: 'Settings',
  keys,
  when: ({ route }) => route.screen !== 'settings' || (route.section ?? 'general') !== name,
  run: () => go({ screen: 'settings', section: name }),
})

/** What is done on a screen with its own controls, and the parts of the settings. */
export const controlActions: readonly ConsoleAction[] = [
  control('env-add', 'env.add', 'Add a variable…', 'Env', 'v a', tab('env')),
  control('env-import', 'env.import', 'Import a pasted .env…', 'Env', 'v i', tab('env')),
  control('env-review', 'env.review', 'Look at the changed variables and save…', 'Env', 'v r', tab('env')),
  control('env-discard', 'env.discard', 'Discard the changes of variables', 'Env', 'v x', tab('env')),
  control('env-search', 'env.search', 'Search the variables', 'Env', 'v /', tab('env')),
  control('worker-start', 'workers.start', 'Start a worker…', 'Workers', 'k s', tab('workers')),
  control('workers-drain-all', 'workers.drain-all', 'Drain all workers shown…', 'Workers', 'k d', workers),
  control('workers-stop-idle', 'workers.stop-idle', 'Stop all idle workers shown…', 'Workers', 'k x', workers),
  control('workers-search', 'workers.search', 'Search the workers', 'Workers', 'k /', workers),
  control('containers-search', 'containers.search', 'Search the containers', 'Containers', 'c /', tab('containers')),
  control('retry', 'deploys.retry', 'Try the machines that failed again', 'Deploys', 'd t', screen('deploys')),
  control('roll-back', 'deploys.roll-back', 'Roll the newest deploy back…', 'Deploys', 'd b', screen('deploys')),
  control('history-search', 'deploys.search', 'Search the deploys', 'Deploys', 'd /', screen('deploys')),
  control('engine-switch', 'engine.switch', 'Switch the engine…', 'Engine', 'n s', tab('live')),
  control('engine-more', 'engine.more', 'Engine: switches, pins, release…', 'Engine', 'n m', tab('live')),
  control('live-screenshot', 'live.screenshot', 'Take a screenshot', 'Control', 'n p', tab('live')),
  control('live-record', 'live.record', 'Record, or stop', 'Control', 'n r', tab('live')),
  control('clipboard', 'live.clipboard', 'Clipboard of the machine…', 'Control', 'n c', tab('live')),
  control('special-keys', 'live.keys', 'Send special keys…', 'Control', 'n k', tab('live')),
  control('view-menu', 'live.view', 'Quality and scaling…', 'Control', 'n v', tab('live')),
  control('request-hand-on', 'takeovers.hand-on', 'Hand the request on…', 'Control', 'q h', screen('takeovers')),
  control('request-decline', 'takeovers.decline', 'Decline the request…', 'Control', 'q d', screen('takeovers')),
  control('audit-check', 'machine-audit.check', 'Check the chain of this audit', 'Audit', 'u k', tab('audit')),
  control('reconcile', 'diagnostics.reconcile', 'Reconcile now', 'Fleet', 'x r', screen('diagnostics')),
  section('general', 'General', 's g'),
  section('credentials', 'Credentials', 's c'),
  section('tunnels', 'Tunnels', 's t'),
  section('shortcuts', 'Shortcuts', 's k'),
  section('notifications', 'Notifications', 's n'),
  section('prices', 'Prices', 's p'),
  section('data', 'Data', 's d'),
  section('about', 'About', 's a'),
]
