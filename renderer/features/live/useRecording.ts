import { useCallback, useEffect, useRef, useState } from 'react'
import type { CallResult } from '../../../shared/contract/index.ts'
import type { LiveClient } from './client.ts'

type Recording = CallResult<'desktop.startRecording'>

/** Asked this often while it is looked at: a machine does not tell of a recording that begins or ends. */
const everyMs = 5000

export interface RunningRecording {
  recording: Recording | null
  /** Looks once more. */
  ask: () => Promise<void>
}

/** The recording that runs, whoever started it; it may also end elsewhere, or by itself. */
export function useRecording(client: LiveClient, able: boolean): RunningRecording {
  const [recording, setRecording] = useState<Recording | null>(null)
  const turn = useRef(0)
  const ask = useCallback(async () => {
    const mine = ++turn.current
    const answer = await client.page('desktop.listRecordings', {}).catch(() => null)
    // What could not be asked is as it was; only the last answer counts.
    if (answer === null || turn.current !== mine) return
    setRecording(answer.recordings.find(({ state }) => state === 'recording') ?? null)
  }, [client])
  useEffect(() => {
    if (!able) return
    void ask()
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void ask()
    }, everyMs)
    return () => {
      clearInterval(timer)
      turn.current++
      setRecording(null)
    }
  }, [able, ask])
  return { recording, ask }
}
