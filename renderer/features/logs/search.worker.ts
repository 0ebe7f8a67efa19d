import { answer } from './model/matcher.ts'
import type { ToSearcher } from './model/protocol.ts'

/** The thread that tries expressions; it is ended from outside when one takes too long. */
self.onmessage = ({ data }: MessageEvent<ToSearcher>) => {
  self.postMessage(answer(data))
}
