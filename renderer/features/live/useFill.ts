import { useEffect } from 'react'
import { useUi } from '../../app/ui.store.ts'

/**
 * Whether the live view fills the window. Where the window may, it also fills the screen: the whole
 * document does, because menus and dialogs stand beside the viewer, not in it.
 */
export function useFill(): boolean {
  const filled = useUi((state) => state.liveFilled)
  useEffect(() => {
    if (!filled) return
    document.documentElement.requestFullscreen?.().catch(() => {})
    const left = () => {
      if (document.fullscreenElement === null) useUi.setState({ liveFilled: false })
    }
    document.addEventListener('fullscreenchange', left)
    return () => {
      document.removeEventListener('fullscreenchange', left)
      if (document.fullscreenElement !== null) void document.exitFullscreen().catch(() => {})
    }
  }, [filled])
  // Whoever leaves the page leaves the full screen with it.
  useEffect(() => () => useUi.setState({ liveFilled: false }), [])
  return filled
}
