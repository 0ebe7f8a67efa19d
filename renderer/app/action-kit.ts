import type { MachineView } from '../../shared/domain/machine.ts'
import type { Settings } from '../../shared/ipc.ts'
import type { Action } from './registry.ts'
import type { Route } from './route.ts'

export interface ActionContext {
  route: Route
  /** The machine whose page is open. */
  machine: MachineView | null
  local: MachineView | null
  theme: Settings['theme']
  dark: boolean
  pinned: boolean
}

export type ConsoleAction = Action<ActionContext>

type MachineAction = Omit<ConsoleAction, 'title' | 'when' | 'run'> & {
  title: (machine: MachineView, context: ActionContext) => string
  when?: (machine: MachineView, context: ActionContext) => boolean
  run: (machine: MachineView, context: ActionContext) => void
}

/** An action of the machine whose page is open; without one it is not there. */
export function onMachine({ title, when, run, ...rest }: MachineAction): ConsoleAction {
  return {
    ...rest,
    title: (context) => (context.machine === null ? '' : title(context.machine, context)),
    when: (context) => context.machine !== null && (when?.(context.machine, context) ?? true),
    run: (context) => {
      if (context.machine !== null) run(context.machine, context)
    },
  }
}

export const browserIs = (machine: MachineView, ...states: string[]) => states.includes(machine.browser?.state ?? '')
export const onTab = (context: ActionContext, tab: string) =>
  context.route.screen === 'machine' && context.route.tab === tab
