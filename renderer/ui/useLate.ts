import { useEffect, useState } from 'react'

/** What comes within this time needs no words: something that flashes up is worse than nothing. */
const quietMs = 1000

/** Whether something has been under way for so long by now that it must be said. */
export function useLate(underWay: boolean): boolean {
  const [late, setLate] = useState(false)
  useEffect(() => {
    if (!underWay) return
    const timer = setTimeout(() => setLate(true), quietMs)
    return () => {
      clearTimeout(timer)
      setLate(false)
    }
  }, [underWay])
  return late
}
