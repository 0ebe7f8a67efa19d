import { Notification } from 'electron'
import type { ShownNotification } from './notifications.ts'

/** Held until they are pressed or gone: one that is collected as garbage cannot be pressed. */
const held = new Set<Notification>()

export interface NotificationAnswer {
  /** `silent`: the system took it and never said that it was shown; it may be set to do not disturb. */
  answer: 'shown' | 'failed' | 'silent'
  detail: string
}

/** A system that shows it says so within this time. */
const answerMs = 2000

/** Hands a notification to the system, and tells what that made of it. */
export function showNotification(
  shown: ShownNotification,
  onPress: (place: string) => void,
): Promise<NotificationAnswer> {
  if (!Notification.isSupported()) return Promise.resolve({ answer: 'failed', detail: 'This system shows none.' })
  const { title, body, silent, place } = shown
  const notification = new Notification({ title, body, silent })
  held.add(notification)
  const forget = () => held.delete(notification)
  notification.on('click', () => {
    forget()
    onPress(place)
  })
  notification.on('close', forget)
  return new Promise((resolve) => {
    const silence = setTimeout(
      () => resolve({ answer: 'silent', detail: 'The system took it and said no more.' }),
      answerMs,
    )
    const answered = (answer: NotificationAnswer) => {
      clearTimeout(silence)
      resolve(answer)
    }
    notification.on('show', () => answered({ answer: 'shown', detail: '' }))
    notification.on('failed', (_event, error) => {
      forget()
      answered({ answer: 'failed', detail: error })
    })
    notification.show()
  })
}
