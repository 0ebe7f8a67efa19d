/** A busy moment is shorter than the gap, a laptop's nap is longer. */
const usual = { everyMs: 5000, gapMs: 15_000 }

export type SleepWatchTimes = typeof usual

/**
 * Notices that this process stood still, by a sleeping laptop or otherwise: the system's own notice is not there
 * on every desktop. Returns the way to stop.
 */
export function watchSleep(
  onWake: () => void,
  { everyMs, gapMs }: SleepWatchTimes = usual,
  now: () => number = Date.now,
): () => void {
  let last = now()
  const timer = setInterval(() => {
    const passed = now() - last
    last = now()
    if (passed > everyMs + gapMs) onWake()
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
