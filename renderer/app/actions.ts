import { auditActions } from '../features/audit/actions.ts'
import { deployActions } from '../features/deploys/actions.ts'
import { fleetActions } from '../features/fleet/actions.ts'
import { localMachine, useFleet } from '../features/fleet/fleet.store.ts'
import { inspectorActions } from '../features/inspector/actions.ts'
import { logsActions } from '../features/logs/actions.ts'
import { machineActions } from '../features/machine/actions.ts'
import { tabActions } from '../features/machine/tab-actions.ts'
import { takeoverActions } from '../features/takeovers/actions.ts'
import { terminalActions } from '../features/terminal/actions.ts'
import { wallActions } from '../features/wall/actions.ts'
import type { ActionContext, ConsoleAction } from './action-kit.ts'
import { useApp } from './app.store.ts'
import { type Chosen, withKeys } from './chosen-keys.ts'
import { controlActions } from './control-actions.ts'
import { usePins } from './pins.ts'
import { useRoute } from './route.ts'
import { windowActions } from './window-actions.ts'

/** What the actions can see, as things are now. */
export function actionContext(): ActionContext {
  const { route } = useRoute.getState()
  const { machines } = useFleet.getState()
  const machine = route.screen === 'machine' ? (machines[route.machineId] ?? null) : null
  return {
    route,
    machine,
    local: localMachine(machines) ?? null,
    theme: useApp.getState().info?.settings.theme ?? 'system',
    dark: document.documentElement.dataset['theme'] === 'dark',
    pinned: machine !== null && usePins.getState().pins.includes(machine.id),
  }
}

/** Everything a person can do; each feature declares its own. */
export const actions: readonly ConsoleAction[] = [
  ...machineActions,
  ...tabActions,
  ...inspectorActions,
  ...terminalActions,
  ...logsActions,
  ...fleetActions,
  ...auditActions,
  ...deployActions,
  ...takeoverActions,
  ...wallActions,
  ...controlActions,
  ...windowActions,
]

const none: Chosen = {}
let derived: { from: Chosen; actions: readonly ConsoleAction[] } = { from: none, actions }

/** The same with the keys that the person chose. */
export function currentActions(): readonly ConsoleAction[] {
  const from = useApp.getState().info?.settings.shortcuts ?? none
  if (derived.from !== from) derived = { from, actions: withKeys(actions, from) }
  return derived.actions
}

/** The keys of an action, for a button that does the same. */
export function keysOf(id: string): string | undefined {
  return currentActions().find((action) => action.id === id)?.keys
}

/** The same, for what stays on screen while the keys are changed. */
export function useKeysOf(id: string): string {
  useApp((state) => state.info?.settings.shortcuts)
  return keysOf(id) ?? ''
}
