import { useCallback, useEffect, useRef } from 'react'

/** Whether the form that asked is still before the person: what it asked for may end long after it was closed. */
export function useStillOpen(): () => boolean {
  const open = useRef(false)
  useEffect(() => {
    open.current = true
    return () => {
      open.current = false
    }
  }, [])
  return useCallback(() => open.current, [])
}
