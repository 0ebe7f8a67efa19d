import type { Settings } from '../../shared/ipc.ts'

type Theme = Settings['theme']

const system = () => window.matchMedia('(prefers-color-scheme: light)')
let chosen: Theme = 'system'

/** Dark or light, as chosen or as the system says. */
export function applyTheme(theme: Theme): void {
  chosen = theme
  const light = theme === 'light' || (theme === 'system' && system().matches)
  document.documentElement.dataset['theme'] = light ? 'light' : 'dark'
}

/** Follows the system while nothing else is chosen; returns the way to stop. */
export function followSystemTheme(): () => void {
  const media = system()
  const change = () => applyTheme(chosen)
  applyTheme(chosen)
  media.addEventListener('change', change)
  return () => media.removeEventListener('change', change)
}
