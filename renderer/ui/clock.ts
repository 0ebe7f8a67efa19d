import { useSyncExternalStore } from 'react'

/** One timer for every age and countdown on screen; it runs only while one of them is shown. */
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let now = Date.now()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (timer === undefined) {
    now = Date.now()
    timer = setInterval(() => {
      now = Date.now()
      for (const notify of listeners) notify()
    }, 1000)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
  }
}

/** The time, to the second, shared by everything that ticks. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}
