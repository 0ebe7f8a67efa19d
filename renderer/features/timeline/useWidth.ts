import { type RefObject, useEffect, useRef, useState } from 'react'

/** The width of an element as it changes, in whole pixels. */
export function useWidth<Kind extends HTMLElement>(): [RefObject<Kind | null>, number] {
  const element = useRef<Kind>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const measured = element.current
    if (measured === null) return
    const watch = new ResizeObserver(() => setWidth(Math.floor(measured.clientWidth)))
    watch.observe(measured)
    return () => watch.disconnect()
  }, [])
  return [element, width]
}
