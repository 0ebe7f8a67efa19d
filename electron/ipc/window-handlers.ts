import type { windowCalls } from '../../shared/ipc-windows.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { ShownNotification } from '../notifications.ts'
import { machinePlace } from '../places.ts'
import type { SettingsKeeper } from '../settings.ts'
import type { NotificationAnswer } from '../show-notification.ts'
import type { IpcHandlers } from './dispatch.ts'

export interface WindowHandlerDeps {
  fleet: Fleet
  settings: SettingsKeeper
  windows: { open: (place: string) => void }
  notificationsSupported: () => boolean
  testNotification: (notification: ShownNotification) => Promise<NotificationAnswer>
}

const missing: Record<string, string> = {
  linux: 'There is no notification service (org.freedesktop.Notifications) in this session.',
}

/** Windows of their own, and what the system tells a person. */
export function windowHandlers(deps: WindowHandlerDeps): Pick<IpcHandlers, keyof typeof windowCalls> {
  return {
    'window.open': ({ machineId, tab }) => {
      deps.windows.open(machinePlace(deps.fleet.view(machineId).id, tab))
      return {}
    },
    'notifications.state': () => {
      const supported = deps.notificationsSupported()
      return { supported, detail: supported ? '' : (missing[process.platform] ?? 'This system shows none.') }
    },
    'notifications.test': async () => {
      const answer = await deps.testNotification({
        title: 'Pilothouse',
        body: 'Notifications of this console look like this.',
        silent: !deps.settings.current.notifications.sound,
        place: '#/settings',
      })
      return { shown: answer.answer !== 'failed', ...answer }
    },
  }
}
