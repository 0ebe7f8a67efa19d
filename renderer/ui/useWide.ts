import { useEffect, useState } from 'react'

/** Whether the window is wider than this many pixels. */
export function useWide(pixels: number): boolean {
  const [wide, setWide] = useState(() => window.innerWidth > pixels)
  useEffect(() => {
    const media = window.matchMedia(`(min-width: ${pixels + 1}px)`)
    const change = () => setWide(media.matches)
    change()
    media.addEventListener('change', change)
    return () => media.removeEventListener('change', change)
  }, [pixels])
  return wide
}
