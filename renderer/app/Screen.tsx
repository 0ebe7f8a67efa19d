import { type ComponentType, lazy, Suspense } from 'react'
import { FleetScreen } from '../features/fleet/FleetScreen.tsx'
import { ErrorBoundary } from './ErrorBoundary.tsx'
import { useRoute } from './route.ts'

/** A part of the window that comes when it is needed, or in a quiet moment after the start. */
function later<Props>(load: () => Promise<ComponentType<Props>>) {
  let coming: Promise<{ default: ComponentType<Props> }> | undefined
  const fetch = () => {
    coming ??= load().then((part) => ({ default: part }))
    return coming
  }
  fetchers.push(fetch)
  return lazy(fetch)
}
const fetchers: (() => Promise<unknown>)[] = []

// What a person sees first is the fleet; the others must not be read before it is drawn.
const MachineScreen = later(async () => (await import('../features/machine/MachineScreen.tsx')).MachineScreen)
const TakeoversScreen = later(async () => (await import('../features/takeovers/TakeoversScreen.tsx')).TakeoversScreen)
const DeploysScreen = later(async () => (await import('../features/deploys/DeploysScreen.tsx')).DeploysScreen)
const WorkersScreen = later(async () => (await import('../features/workers/WorkersScreen.tsx')).WorkersScreen)
const AuditScreen = later(async () => (await import('../features/audit/AuditScreen.tsx')).AuditScreen)
const SettingsScreen = later(async () => (await import('../features/settings/SettingsScreen.tsx')).SettingsScreen)
const WallScreen = later(async () => (await import('../features/wall/WallScreen.tsx')).WallScreen)
const LogsScreen = later(async () => (await import('../features/logs/LogsScreen.tsx')).LogsScreen)
const DiagnosticsScreen = later(
  async () => (await import('../features/diagnostics/DiagnosticsScreen.tsx')).DiagnosticsScreen,
)

/** Reads the other screens one after the other, so that going to one later does not wait for the disk. */
export async function fetchScreens(): Promise<void> {
  for (const fetch of fetchers) await fetch().catch(() => {})
}

/** The one screen that is shown. */
export function Screen() {
  const route = useRoute((state) => state.route)
  const place = route.screen === 'machine' ? route.machineId : route.screen
  return (
    <ErrorBoundary key={place}>
      <Suspense>
        {route.screen === 'fleet' && <FleetScreen />}
        {route.screen === 'takeovers' && <TakeoversScreen />}
        {route.screen === 'wall' && <WallScreen />}
        {route.screen === 'settings' && <SettingsScreen />}
        {route.screen === 'workers' && <WorkersScreen />}
        {route.screen === 'deploys' && <DeploysScreen />}
        {route.screen === 'audit' && <AuditScreen />}
        {route.screen === 'diagnostics' && <DiagnosticsScreen />}
        {route.screen === 'logs' && <LogsScreen machineIds={route.machineIds} />}
        {route.screen === 'machine' && <MachineScreen machineId={route.machineId} tab={route.tab} />}
      </Suspense>
    </ErrorBoundary>
  )
}
