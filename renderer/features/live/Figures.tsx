import { useEffect, useState } from 'react'
import type { LiveClient } from './client.ts'
import { formatBits } from './figures.ts'
import styles from './live.module.css'
import type { LiveSnapshot } from './snapshot.ts'

/** Asked this often while the figures are looked at. */
const everyMs = 2000

/** What the connection does; shown when asked for. */
export function Figures({ snapshot, client }: { snapshot: LiveSnapshot; client: LiveClient }) {
  const roundTripMs = useRoundTrip(client)
  const { pressToPictureMs, framesPerSecond, bytesPerSecond } = snapshot
  return (
    <span className={styles.figures} data-testid="live-figures">
      {roundTripMs !== null && (
        <span title="Round trip to the agent" data-testid="live-round-trip">
          {Math.max(1, Math.round(roundTripMs))} ms
        </span>
      )}
      {pressToPictureMs !== null && (
        <span title="From the last key or press to the next change of the picture">
          key {Math.round(pressToPictureMs)} ms
        </span>
      )}
      <span>{framesPerSecond} fps</span>
      <span>{formatBits(bytesPerSecond * 8)}</span>
    </span>
  )
}

/** Measured now and again: what was measured when the machine was found says nothing of this minute. */
function useRoundTrip(client: LiveClient): number | null {
  const [ms, setMs] = useState<number | null>(null)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let gone = false
    const measure = async () => {
      const took = document.visibilityState === 'visible' ? await client.roundTrip().catch(() => null) : null
      if (gone) return
      setMs((before) => took ?? before)
      timer = setTimeout(() => void measure(), everyMs)
    }
    void measure()
    return () => {
      gone = true
      clearTimeout(timer)
    }
  }, [client])
  return ms
}
