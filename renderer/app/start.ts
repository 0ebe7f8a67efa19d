import { startDeploys } from '../features/deploys/deploys.store.ts'
import { startDesktops } from '../features/desktop/desktop.store.ts'
import { startEngines } from '../features/engine/engine.store.ts'
import { tryLocal } from '../features/firstrun/local.store.ts'
import { startFleet } from '../features/fleet/fleet.store.ts'
import { startFleetView } from '../features/fleet/view.store.ts'
import { startLeaseNews } from '../features/live/leaseNews.ts'
import { startPictures } from '../features/live/pictures.ts'
import { startTimeline } from '../features/live/timeline.store.ts'
import { loadViewChoices } from '../features/live/viewChoices.ts'
import { startWakes } from '../features/power/wakes.store.ts'
import { startWarnings } from '../features/power/warnings.ts'
import { startTakeovers } from '../features/takeovers/takeovers.store.ts'
import { startWorkers } from '../features/workers/workers.store.ts'
import { toast } from '../ui/Toast.tsx'
import { startApp, useApp } from './app.store.ts'
import { onIpcEvent, problemOf } from './bridge.ts'
import { loadPins } from './pins.ts'
import { startPrompts } from './prompts.store.ts'
import { followHash, go } from './route.ts'
import { listenForKeys } from './shortcuts.ts'
import { receivePorts } from './streams.ts'
import { followSystemTheme } from './theme.ts'
import { show } from './ui.store.ts'
import { followMain } from './windows.ts'

/** Connects the window to main. Everything started here lives as long as the window. */
export function startWindow(): void {
  // First, because main answers while the rest begins: what follows asks the disk for what a person chose, and waits.
  startFleet()
  followSystemTheme()
  followHash()
  loadPins()
  receivePorts()
  listenForKeys()
  startFleetView()
  followMain()
  startPictures()
  startTimeline()
  startEngines()
  startDesktops()
  startTakeovers()
  loadViewChoices()
  startWarnings()
  startLeaseNews()
  startWakes()
  startWorkers()
  startPrompts()
  startDeploys()
  onIpcEvent('command', ({ command }) => {
    if (command === 'palette') show('palette')
    else go({ screen: command })
  })
  startApp().then(
    () => {
      if (useApp.getState().info?.open === 'demo') void tryLocal()
    },
    (error) => {
      const problem = problemOf(error)
      toast({ title: problem.title, detail: problem.detail, kind: 'problem', id: 'start' })
    },
  )
}
