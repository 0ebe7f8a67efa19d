import { create } from 'zustand'
import type { AppInfo, Settings } from '../../shared/ipc.ts'
import { call, onIpcEvent } from './bridge.ts'
import { applyTheme } from './theme.ts'

interface AppState {
  info: AppInfo | null
}

/** What main said about itself: version, keychain, settings. */
export const useApp = create<AppState>(() => ({ info: null }))

/** Changes settings; the screen follows the event that main sends. */
export async function saveSettings(changed: Partial<Settings>): Promise<void> {
  adopt(await call('settings.set', changed))
}

function adopt(settings: Settings): void {
  const { info } = useApp.getState()
  if (info !== null) useApp.setState({ info: { ...info, settings } })
  applyTheme(settings.theme)
}

/** Reads what main knows and follows its changes; returns the way to stop. */
export async function startApp(): Promise<() => void> {
  const info = await call('app.info', {})
  useApp.setState({ info })
  applyTheme(info.settings.theme)
  return onIpcEvent('settings.changed', adopt)
}
