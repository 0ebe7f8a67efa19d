import { create } from 'zustand'
import type { AppInfo, Settings } from '../../shared/ipc.ts'
import { call, onIpcEvent } from './bridge.ts'
import { applyTheme } from './theme.ts'

interface AppState {
  info: AppInfo | null
  /** Streams between machines and the windows of this console. */
  openStreams: number
}

/** What main said about itself: version, keychain, settings. */
export const useApp = create<AppState>(() => ({ info: null, openStreams: 0 }))

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
  useApp.setState({ info, openStreams: info.openStreams })
  applyTheme(info.settings.theme)
  const stopFollowing = onIpcEvent('streams.open', ({ open }) => useApp.setState({ openStreams: open }))
  const stopAdopting = onIpcEvent('settings.changed', adopt)
  return () => {
    stopFollowing()
    stopAdopting()
  }
}
