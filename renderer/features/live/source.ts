import type { PortStream } from '../../../shared/stream.ts'
import type { Screen, ScreenEvents, ScreenLook } from './screen.ts'
import type { LiveWish } from './snapshot.ts'

/** Where pictures come from, and how one is drawn. */
export interface LiveSource {
  open(wish: LiveWish, look: ScreenLook): Promise<PortStream>
  draw(target: HTMLElement, stream: PortStream, wish: LiveWish, look: ScreenLook, events: ScreenEvents): Screen
}
