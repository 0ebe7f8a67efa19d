import { useEffect, useState } from 'react'

/** Whether the window is wider than this many pixels. */
export function useWide(pixels: number): boolean {
  return useMedia(`(min-width: ${pixels + 1}px)`)
}

/** Whether the window is taller than this many pixels. */
export function useTall(pixels: number): boolean {
  return useMedia(`(min-height: ${pixels + 1}px)`)
}

function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => window.matchMedia(query).matches)
  useEffect(() => {
    const media = window.matchMedia(query)
    const change = () => setMatches(media.matches)
    change()
    media.addEventListener('change', change)
    return () => media.removeEventListener('change', change)
  }, [query])
  return matches
}
