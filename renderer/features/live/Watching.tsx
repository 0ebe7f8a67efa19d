import { Eye } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { Watcher } from '../../../shared/contract/takeover.ts'
import { callAgent, onIpcEvent } from '../../app/bridge.ts'
import styles from './live.module.css'
import { describeWatching } from './watching.ts'

interface WatchingProps {
  machineId: string
  /** How many look, as the fleet knows it; names follow. */
  viewers: number
  connected: boolean
  operator: string
}

/** Who else looks at this browser. */
export function Watching({ machineId, viewers, connected, operator }: WatchingProps) {
  const watching = useWatching(machineId, connected)
  return (
    <p className={styles.watching} data-testid="watching">
      <Eye size={14} aria-hidden />
      <span>{describeWatching(watching, viewers, connected, operator)}</span>
    </p>
  )
}

function useWatching(machineId: string, connected: boolean): readonly Watcher[] | null {
  const [watching, setWatching] = useState<readonly Watcher[] | null>(null)
  useEffect(() => {
    if (!connected) {
      setWatching(null)
      return
    }
    let gone = false
    callAgent(machineId, 'takeover.get', {}).then(
      (answer) => !gone && setWatching(answer.watching ?? null),
      () => {},
    )
    const stop = onIpcEvent('agent.event', ({ machineId: from, event }) => {
      if (from !== machineId || event.type !== 'viewers') return
      setWatching((event['watching'] as Watcher[] | undefined) ?? null)
    })
    return () => {
      gone = true
      stop()
    }
  }, [machineId, connected])
  return watching
}
