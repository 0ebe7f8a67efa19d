import { Notification } from 'electron'
import type { ShownNotification } from './notifications.ts'

/** Held until they are pressed or gone: one that is collected as garbage cannot be pressed. */
const held = new Set<Notification>()

/** Hands a notification to the system; false where it shows none. */
export function showNotification(shown: ShownNotification, onPress: (place: string) => void): boolean {
  if (!Notification.isSupported()) return false
  const { title, body, silent, place } = shown
  const notification = new Notification({ title, body, silent })
  held.add(notification)
  const forget = () => held.delete(notification)
  notification.on('click', () => {
    forget()
    onPress(place)
  })
  notification.on('close', forget)
  notification.on('failed', forget)
  notification.show()
  return true
}
